// Package perfetto writes the activity of a machine as a trace for Perfetto
// (ui.perfetto.dev, trace_processor). There is a track for each wave slot,
// under its SIMD, compute unit and shader engine, and there are tracks for
// accesses to memory and LDS and for resident workgroups, as many as overlap,
// and counters.
//
// One nanosecond of the trace is one cycle, as the process's name says: cycles
// of most clocks are no whole nanoseconds, and rounded they would lose their order.
//
// The package does not know how a machine works, nor where the bytes go.
package perfetto

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/tracing/probe"
)

// sampleCycles is the least distance between the counters' samples.
const sampleCycles = 100

// Options select the part of a run that is traced.
type Options struct {
	From, To uint64 // cycles; To 0: to the end. Slices that extend beyond them are cut
	Units    Ranges // compute units by their number in the machine; empty: all
	Limit    int64  // bytes, at least MinLimit; 0: unlimited. The trace stops there, the run does not
	Process  uint32 // keeps the tracks apart from those of traces that are concatenated with it; 0: none are
}

// MinLimit suffices for the description of a machine and the note that the trace stopped.
const MinLimit = 1 << 16

// A Writer is a probe.Tracer that writes a trace. Close ends it.
type Writer struct {
	out      packets
	options  Options
	geometry probe.Geometry
	stopped  bool
	hidden   bool // nothing is written until Show(true)
	note     string
	now      uint64 // cycle of the last event

	process  uint64 // root of all tracks
	tracks   uint64 // described so far
	engines  []uint64
	units    []*unit
	slots    []slot
	launches track
	hardware map[string]*hardwareQueue
	frontEnd frontEnd
	open     int // slices
	counters
	flows
}

// A slot is the track of a wave slot, and the wave in it.
type slot struct {
	track
	wave probe.Wave
}

// New returns a writer of a trace.
func New(w io.Writer, o Options) *Writer {
	o.To = cmp.Or(o.To, probe.Unknown)
	return &Writer{out: newPackets(w, o.Process+1), options: o, flows: newFlows(o.Process), process: uint64(o.Process)<<32 + 1}
}

// RunBegin implements probe.Tracer.
func (w *Writer) RunBegin(g *probe.Geometry) {
	w.geometry = *g
	w.engines = make([]uint64, g.Engines)
	w.units = make([]*unit, g.Engines*g.Units)
	w.slots = make([]slot, g.Total())
	w.declareMachine()
	w.launches.id = w.declare(w.process, "launches")
	w.declareCounters()
}

// SetVisible enables or disables the trace. Call it between launches only: the parts of a launch belong together.
func (w *Writer) SetVisible(on bool) { w.hidden = !on }

// Flush passes on all data written so far.
func (w *Writer) Flush() error { return w.out.close() }

// Close ends all slices and the trace.
func (w *Writer) Close() error {
	w.stop()
	return w.out.close()
}

// Note returns the message that the trace stopped at its limit, or "".
func (w *Writer) Note() string { return w.note }

// stop ends all slices that are open, and writes nothing from then on.
func (w *Writer) stop() {
	if w.stopped {
		return
	}
	w.stopped = true
	for i := range w.slots {
		w.finish(&w.slots[i].track)
	}
	for _, u := range w.units {
		if u == nil {
			continue
		}
		for _, l := range []*lanes{&u.memory, &u.lds, &u.groups} {
			for i := range l.lanes {
				w.finish(&l.lanes[i].track)
			}
		}
	}
	w.finish(&w.launches)
}

// finish ends the slices of a track.
func (w *Writer) finish(t *track) {
	for t.open > 0 {
		w.endSlice(t, max(t.last, min(w.now, w.options.To)))
	}
}

// bounded stops the trace when its remaining space is just enough to end it well.
func (w *Writer) bounded() {
	const endBytes, noteBytes = 40, 1 << 10 // of one slice's end; of the note and the current event
	if w.stopped || w.options.Limit == 0 || w.out.written+int64(w.open)*endBytes+noteBytes < w.options.Limit {
		return
	}
	w.note = fmt.Sprintf("the trace stopped at its limit of %d bytes, in cycle %d", w.options.Limit, w.now)
	w.out.beginEvent(max(w.now, w.launches.last), typeInstant, w.launches.id)
	w.out.name(w.note)
	w.out.end()
	w.stop()
}

// cut is the part of an interval that is in the window.
func (w *Writer) cut(from, to uint64) (a, b uint64, ok bool) {
	a, b = max(from, w.options.From), min(to, w.options.To)
	return a, b, !w.stopped && !w.hidden && a < b
}

func (w *Writer) isTraced(unit int) bool { return !w.stopped && !w.hidden && w.options.Units.Has(unit) }

// beginSlice starts a slice; the caller annotates it and calls w.out.end.
func (w *Writer) beginSlice(t *track, at uint64, category, name string) {
	t.last, t.open = at, t.open+1
	w.open++
	w.out.beginEvent(at, typeBegin, t.id)
	w.out.category(category)
	w.out.name(name)
}

func (w *Writer) endSlice(t *track, at uint64) {
	t.last, t.open = at, t.open-1
	w.open--
	w.out.beginEvent(at, typeEnd, t.id)
	w.out.end()
}

// slice is a whole slice without annotations.
func (w *Writer) slice(t *track, from, to uint64, category, name string) {
	if from, to, ok := w.cut(from, to); ok {
		w.beginSlice(t, from, category, name)
		w.out.end()
		w.endSlice(t, to)
	}
}

// LaunchBegin implements probe.Tracer.
func (w *Writer) LaunchBegin(l *probe.LaunchInfo) {
	w.now = max(w.now, l.At)
	if at, _, ok := w.cut(l.At, probe.Unknown); ok {
		w.beginSlice(&w.launches, at, "launch", l.Step)
		w.out.end()
	}
}

// LaunchEnd implements probe.Tracer.
func (w *Writer) LaunchEnd(end uint64) {
	w.now = max(w.now, end)
	if w.launches.open > 0 && !w.stopped {
		w.endSlice(&w.launches, max(w.launches.last, min(end, w.options.To)))
	}
}

// WaveBegin implements probe.Tracer. The slice begins with its first event in the window.
func (w *Writer) WaveBegin(x *probe.Wave) {
	w.now = max(w.now, x.At)
	if w.isTraced(x.Unit) {
		w.slots[w.geometry.Index(x.WaveSlotID)].wave = *x
	}
}

// wave is the track of a wave, whose slice is begun.
func (w *Writer) wave(p probe.WaveSlotID) *slot {
	s := w.slot(p)
	if s.open > 0 {
		return s
	}
	x := &s.wave
	w.beginSlice(&s.track, max(x.At, w.options.From), "wave", x.Program.Name)
	w.out.text("workgroup", fmt.Sprintf("%d,%d,%d", x.Workgroup[0], x.Workgroup[1], x.Workgroup[2]))
	w.out.number("wave", uint64(x.Wave))
	for _, id := range w.launchedBy(x.Group) {
		w.out.lastFlow(id)
	}
	w.out.end()
	return s
}

// WaveEnd implements probe.Tracer.
func (w *Writer) WaveEnd(at uint64, p probe.WaveSlotID) {
	w.now = max(w.now, at)
	if !w.isTraced(p.Unit) {
		return
	}
	if s := &w.slots[w.geometry.Index(p)]; s.open > 0 {
		w.endSlice(&s.track, max(s.last, min(at, w.options.To)))
	}
}

// stalls are the names of the slices of waiting, by reason.
var stalls = func() (names [account.NumReasons]string) {
	for r := range names {
		names[r] = "wait: " + account.Reason(r).String()
	}
	return names
}()

// Issue implements probe.Tracer.
func (w *Writer) Issue(i *probe.Issue) {
	w.now = max(w.now, i.At)
	if _, _, ok := w.cut(i.From, i.End); !ok || !w.isTraced(i.Unit) {
		w.enqueuing = w.enqueuing[:0]
		return
	}
	s := w.wave(i.WaveSlotID)
	w.slice(&s.track, i.From, i.Ready, "stall", stalls[i.Reason])
	w.slice(&s.track, i.Ready, i.StallCycles, "stall", stalls[i.StallReason])
	w.slice(&s.track, max(i.Ready, i.StallCycles), i.At, "stall", stalls[account.Unit])
	if at, end, ok := w.cut(i.At, i.End); ok {
		in := &s.wave.Program.Insts[i.PC]
		w.beginSlice(&s.track, at, "instruction", isa.Table[in.Op].Name)
		w.out.category(in.Class.String())
		w.out.number("pc", uint64(i.PC))
		w.annotateSource(in)
		w.handOver()
		w.out.end()
		w.endSlice(&s.track, end)
	}
	w.bounded()
}

// annotateSource annotates an event with the place of its instruction in the shader.
func (w *Writer) annotateSource(in *isa.Inst) {
	if in.SPIRV != 0 {
		w.out.number("id", uint64(in.SPIRV))
	}
	if in.Line != 0 {
		w.out.number("line", uint64(in.Line))
	}
}

// Waited implements probe.Tracer.
func (w *Writer) Waited(from, to uint64, p probe.WaveSlotID, why account.Reason) {
	if _, _, ok := w.cut(from, to); ok && w.isTraced(p.Unit) {
		w.slice(&w.wave(p).track, from, to, "stall", stalls[why])
		w.bounded()
	}
}

// Ranges are ranges of numbers, both ends included.
type Ranges [][2]int

// Has reports whether one of the ranges contains n; empty ranges contain all numbers.
func (r Ranges) Has(n int) bool {
	for _, x := range r {
		if n >= x[0] && n <= x[1] {
			return true
		}
	}
	return len(r) == 0
}

// ParseRanges reads numbers and ranges below n: "0,3-5".
func ParseRanges(text string, n int) (Ranges, error) {
	var list Ranges
	for _, part := range strings.Split(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, err1 := parseNumber(first)
		b, err2 := parseNumber(last)
		if err1 != nil || err2 != nil || a > b || b >= n {
			return nil, fmt.Errorf("found %q: want numbers and ranges from 0 to %d, such as 0,3-5", text, n-1)
		}
		list = append(list, [2]int{a, b})
	}
	return list, nil
}

// Package accesses writes an address trace: a row for each line that an instruction asks memory for, as Parquet.
package accesses

import (
	"fmt"
	"io"

	"spvsim/internal/parquet"
	"spvsim/tracing/probe"
)

// groupRows are the rows of a group of the file.
const groupRows = 1 << 20

// Options bound a trace.
type Options struct {
	From, To uint64         // cycles, To not included; To 0: no end
	Limit    int64          // bytes of the file; 0: no limit
	Units    func(int) bool // compute units; nil: all
}

// MinLimit is the least limit of a file, in bytes.
const MinLimit = 1 << 20

// A Writer is a probe.Tracer that writes an address trace.
type Writer struct {
	probe.NopTracer
	geometry probe.Geometry
	options  Options
	out      *parquet.Writer
	rows     int // of the group
	all      uint64
	fullAt   uint64 // cycle in which the limit was reached
	full     bool
	err      error
	step     string
	waves    uint64   // that began
	slots    []holder // by wave slot

	cycle, unit, simd, wave, pc, line, bytes *parquet.Column
	steps, programs, kind, level             *parquet.Column
}

// A holder is the wave in a slot.
type holder struct {
	number  uint64
	program string
}

// New begins a trace.
func New(w io.Writer, o Options) *Writer {
	t := &Writer{options: o, out: parquet.NewWriter(w)}
	for _, c := range []struct {
		to   **parquet.Column
		name string
		typ  parquet.Type
	}{
		{&t.cycle, "cycle", parquet.Integer}, {&t.unit, "unit", parquet.Integer}, {&t.simd, "simd", parquet.Integer}, {&t.wave, "wave", parquet.Integer},
		{&t.steps, "step", parquet.Text}, {&t.programs, "program", parquet.Text}, {&t.pc, "pc", parquet.Integer}, {&t.line, "line", parquet.Integer},
		{&t.bytes, "bytes", parquet.Integer}, {&t.kind, "kind", parquet.Text}, {&t.level, "level", parquet.Text},
	} {
		*c.to = t.out.Column(c.name, c.typ)
	}
	return t
}

// RunBegin implements probe.Tracer.
func (t *Writer) RunBegin(g *probe.Geometry) {
	t.geometry = *g
	t.slots = make([]holder, g.Total())
}

// LaunchBegin implements probe.Tracer.
func (t *Writer) LaunchBegin(l *probe.LaunchInfo) { t.step = l.Step }

// WaveBegin implements probe.Tracer.
func (t *Writer) WaveBegin(w *probe.Wave) {
	t.slots[t.geometry.Index(w.WaveSlotID)] = holder{t.waves, w.Program.Name}
	t.waves++
}

// Memory implements probe.Tracer.
func (t *Writer) Memory(a *probe.Access) {
	o := &t.options
	if t.full || a.At < o.From || o.To != 0 && a.At >= o.To || o.Units != nil && !o.Units(a.Unit) {
		return
	}
	w := &t.slots[t.geometry.Index(a.WaveSlotID)]
	for i := range a.Lines {
		l := &a.Lines[i]
		t.cycle.Int(int64(a.At))
		t.unit.Int(int64(a.Unit))
		t.simd.Int(int64(a.SIMD))
		t.wave.Int(int64(w.number))
		t.steps.Text(t.step)
		t.programs.Text(w.program)
		t.pc.Int(int64(a.PC))
		t.line.Int(int64(l.Addr))
		t.bytes.Int(int64(l.Bytes))
		t.kind.Text(a.Kind)
		if l.Level == "" {
			t.level.Null()
		} else {
			t.level.Text(l.Level)
		}
		t.endRow(a.At)
	}
}

// endRow ends a group when it is full, and the trace when the file is.
func (t *Writer) endRow(cycle uint64) {
	t.all++
	t.rows++
	if t.rows%checkedRows == 0 && t.options.Limit != 0 && t.out.Bytes() >= t.options.Limit-checkedBytes {
		t.full, t.fullAt = true, cycle
	}
	if t.rows == groupRows {
		t.endGroup()
	}
}

// The size of the file is looked at each so many rows, which with the end of the file take less than so many bytes.
const (
	checkedRows  = 256
	checkedBytes = MinLimit / 8
)

func (t *Writer) endGroup() {
	if err := t.out.EndGroup(t.rows); t.err == nil {
		t.err = err
	}
	t.rows = 0
}

// Note says where the limit ended the trace; empty: it did not.
func (t *Writer) Note() string {
	if !t.full {
		return ""
	}
	return fmt.Sprintf("ends in cycle %d, at %d bytes: accesses after that are not in it", t.fullAt, t.options.Limit)
}

// Rows returns the number of rows so far.
func (t *Writer) Rows() uint64 { return t.all }

// Close writes the rest of the trace.
func (t *Writer) Close() error {
	if t.rows > 0 {
		t.endGroup()
	}
	if err := t.out.Close(); t.err == nil {
		t.err = err
	}
	return t.err
}

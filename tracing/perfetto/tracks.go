package perfetto

import (
	"fmt"

	"spvsim/tracing/probe"
)

// A track shows slices that nest. Its number is 0 until its first slice.
type track struct {
	id   uint64
	last uint64 // cycle of its last event
	open int    // slices
}

// lanes are the tracks of slices that overlap: as many as overlap at once.
type lanes struct {
	kind  string
	lanes []lane
}

type lane struct {
	track
	busy uint64 // until this cycle; probe.Unknown while that is not known
}

// idleLane returns a lane that is idle at the given cycle.
func (l *lanes) idleLane(at uint64) *lane {
	for i := range l.lanes {
		if l.lanes[i].busy <= at {
			return &l.lanes[i]
		}
	}
	l.lanes = append(l.lanes, lane{})
	return &l.lanes[len(l.lanes)-1]
}

// A unit is a compute unit's tracks.
type unit struct {
	id             uint64
	simds          []uint64
	memory         lanes
	lds            lanes
	groups         lanes
	pending        map[uint64]int // accesses whose end is unknown: id to lane
	workgroupLanes map[uint64]int // resident workgroups: index to lane
}

// declareMachine describes the root of all tracks.
func (w *Writer) declareMachine() {
	name := fmt.Sprintf("%s at %d MHz: 1 ns of this trace is 1 cycle", w.geometry.Machine, w.geometry.ClockMHz)
	process := appendString(appendUint(nil, processID, uint64(w.options.Process)+1), processName, name)
	w.tracks = w.process
	w.out.descriptor(appendMessage(appendUint(nil, descriptorUUID, w.process), descriptorProcess, process))
}

// declare describes a new track and returns its number.
func (w *Writer) declare(parent uint64, format string, args ...any) uint64 {
	w.tracks++
	d := appendString(appendUint(nil, descriptorUUID, w.tracks), descriptorName, fmt.Sprintf(format, args...))
	w.out.descriptor(appendUint(d, descriptorParent, parent))
	return w.tracks
}

// declareCounter describes a new counter's track.
func (w *Writer) declareCounter(name string, of uint64) uint64 {
	w.tracks++
	d := appendString(appendUint(nil, descriptorUUID, w.tracks), descriptorName, name)
	d = appendMessage(d, descriptorCounter, appendUint(nil, counterUnit, of))
	w.out.descriptor(appendUint(d, descriptorParent, w.process))
	return w.tracks
}

// unit returns a compute unit's tracks, and describes them on first use. Numbers in names have as many digits as the
// largest, so that names sort as numbers do.
func (w *Writer) unit(i int) *unit {
	u := w.units[i]
	if u != nil {
		return u
	}
	g := w.geometry
	engine := i / g.Units
	if w.engines[engine] == 0 {
		w.engines[engine] = w.declare(w.process, "SE %0*d", digits(g.Engines), engine)
	}
	u = &unit{
		id:     w.declare(w.engines[engine], "CU %0*d", digits(g.Units), i%g.Units),
		simds:  make([]uint64, g.SIMDs),
		memory: lanes{kind: "memory"}, lds: lanes{kind: "LDS"}, groups: lanes{kind: "workgroups"},
		pending: map[uint64]int{}, workgroupLanes: map[uint64]int{},
	}
	w.units[i] = u
	return u
}

// slot is the track of a wave slot.
func (w *Writer) slot(p probe.WaveSlotID) *slot {
	s := &w.slots[w.geometry.Index(p)]
	if s.id == 0 {
		u := w.unit(p.Unit)
		if u.simds[p.SIMD] == 0 {
			u.simds[p.SIMD] = w.declare(u.id, "SIMD %0*d", digits(w.geometry.SIMDs), p.SIMD)
		}
		s.id = w.declare(u.simds[p.SIMD], "slot %0*d", digits(w.geometry.Slots), p.Slot)
	}
	return s
}

// lane returns an idle lane for a slice that begins at the given cycle, and declares its track if it is new.
func (w *Writer) lane(parent uint64, l *lanes, at uint64) (*lane, int) {
	got := l.idleLane(at)
	n := 0
	for &l.lanes[n] != got {
		n++
	}
	if got.id == 0 {
		got.id = w.declare(parent, "%s %02d", l.kind, n)
	}
	return got, n
}

// digits of the largest of n numbers.
func digits(n int) int { return len(fmt.Sprint(max(n-1, 0))) }

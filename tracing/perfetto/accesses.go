package perfetto

import (
	"fmt"
	"math"
	"strings"

	"spvsim/internal/expression"
	"spvsim/tracing/probe"
)

// maxLines bounds the addresses of an access that are shown.
const maxLines = 8

// Memory implements probe.Tracer. The access has a slice on a lane of its unit, because the wave continues meanwhile.
func (w *Writer) Memory(a *probe.Access) {
	w.now = max(w.now, a.At)
	end := a.Ready
	if end != probe.Unknown {
		end = max(end, a.At+1)
	}
	at, end, ok := w.cut(a.At, end)
	if !ok || !w.isTraced(a.Unit) {
		return
	}
	u := w.unit(a.Unit)
	l, n := w.lane(u.id, &u.memory, at)
	w.beginSlice(&l.track, at, "memory", a.Op)
	w.origin(a)
	if a.Level != "" {
		w.out.text("level", a.Level)
	}
	w.out.number("lines", uint64(len(a.Lines)))
	if len(a.Lines) > 0 {
		w.out.text("addresses", w.addresses(a.Lines))
	}
	w.out.end()
	if a.Ready == probe.Unknown {
		l.busy, u.pending[a.ID] = probe.Unknown, n
	} else {
		l.busy = end
		w.endSlice(&l.track, end)
	}
	w.bounded()
}

// AccessDone implements probe.Tracer.
func (w *Writer) AccessDone(at uint64, unit int, id uint64) {
	w.now = max(w.now, at)
	if !w.isTraced(unit) || w.units[unit] == nil {
		return
	}
	u := w.units[unit]
	if n, ok := u.pending[id]; ok {
		delete(u.pending, id)
		l := &u.memory.lanes[n]
		end := max(l.last, min(max(at, l.last+1), w.options.To))
		l.busy = end
		w.endSlice(&l.track, end)
	}
}

// LDS implements probe.Tracer.
func (w *Writer) LDS(a *probe.Access) {
	w.now = max(w.now, a.At)
	at, end, ok := w.cut(a.At, max(a.Ready, a.At+1))
	if !ok || !w.isTraced(a.Unit) {
		return
	}
	u := w.unit(a.Unit)
	l, _ := w.lane(u.id, &u.lds, at)
	w.beginSlice(&l.track, at, "LDS", a.Op)
	w.origin(a)
	w.out.number("passes", uint64(a.Passes))
	w.out.number("conflict passes", uint64(a.Conflicts))
	w.out.end()
	l.busy = end
	w.endSlice(&l.track, end)
	w.bounded()
}

// origin annotates an access with its wave slot and instruction.
func (w *Writer) origin(a *probe.Access) {
	w.out.number("SIMD", uint64(a.SIMD))
	w.out.number("slot", uint64(a.Slot))
	w.out.number("pc", uint64(a.PC))
	if p := w.slots[w.geometry.Index(a.WaveSlotID)].wave.Program; p != nil {
		w.annotateSource(&p.Insts[a.PC])
	}
}

// addresses lists the first lines of an access.
func (w *Writer) addresses(lines []probe.Line) string {
	var b strings.Builder
	for i, l := range lines[:min(len(lines), maxLines)] {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%#x", l.Addr)
	}
	if more := len(lines) - maxLines; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// WorkgroupBegin implements probe.Tracer.
func (w *Writer) WorkgroupBegin(g *probe.Workgroup) {
	w.now = max(w.now, g.At)
	w.arrived(g)
	at, _, ok := w.cut(g.At, probe.Unknown)
	if !ok || !w.isTraced(g.Unit) {
		return
	}
	u := w.unit(g.Unit)
	l, n := w.lane(u.id, &u.groups, at)
	l.busy, u.workgroupLanes[g.Index] = probe.Unknown, n
	w.beginSlice(&l.track, at, "workgroup", g.Name)
	w.out.text("workgroup", fmt.Sprintf("%d,%d,%d", g.ID[0], g.ID[1], g.ID[2]))
	w.out.end()
	w.bounded()
}

// WorkgroupEnd implements probe.Tracer.
func (w *Writer) WorkgroupEnd(at uint64, unit int, index uint64) {
	w.now = max(w.now, at)
	if !w.isTraced(unit) || w.units[unit] == nil {
		return
	}
	u := w.units[unit]
	if n, ok := u.workgroupLanes[index]; ok {
		delete(u.workgroupLanes, index)
		l := &u.groups.lanes[n]
		end := max(l.last, min(at, w.options.To))
		l.busy = end
		w.endSlice(&l.track, end)
	}
}

func parseNumber(s string) (int, error) {
	n, err := expression.ParseWithin(strings.TrimSpace(s), 0, math.MaxInt32)
	return int(n), err
}

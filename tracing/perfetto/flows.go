package perfetto

import "spvsim/tracing/probe"

// flows join the instruction that enqueues a payload with the first wave of the
// workgroups that the payload starts.
type flows struct {
	serial    uint64
	enqueuing []uint64            // of the instruction that issues now
	waiting   map[waitKey]uint64  // payloads in a queue
	launching map[uint64][]uint64 // by handle of the input
	groups    map[uint64][]uint64 // by index of the workgroup that has no wave yet
}

type waitKey struct {
	payload int
	node    string
}

// newFlows numbers flows from a base that is unique to the process.
func newFlows(process uint32) flows {
	return flows{serial: uint64(process) << 32, waiting: map[waitKey]uint64{}, launching: map[uint64][]uint64{}, groups: map[uint64][]uint64{}}
}

// Enqueued implements probe.Tracer. It comes before the Issue of the instruction that enqueues.
func (w *Writer) Enqueued(p *probe.PayloadWait) {
	w.serial++
	if p.Unit >= 0 && w.isTraced(p.Unit) {
		w.enqueuing = append(w.enqueuing, w.serial)
		w.waiting[waitKey{p.Payload, p.Node}] = w.serial
	}
}

// handOver lets the flows of the payloads that the instruction enqueued begin at its slice.
func (w *Writer) handOver() {
	for _, id := range w.enqueuing {
		w.out.flow(id)
	}
	w.enqueuing = w.enqueuing[:0]
}

// Picked implements probe.Tracer.
func (w *Writer) Picked(p *probe.PayloadWait) {
	key := waitKey{p.Payload, p.Node}
	if id, ok := w.waiting[key]; ok {
		delete(w.waiting, key)
		w.launching[p.Input] = append(w.launching[p.Input], id)
	}
}

// arrived attaches the flows of a launch's payloads to its first workgroup.
func (w *Writer) arrived(g *probe.Workgroup) {
	delete(w.groups, g.Index)
	if list, ok := w.launching[g.Input]; ok {
		delete(w.launching, g.Input)
		w.groups[g.Index] = list
	}
}

// launchedBy is the flows that end at the first wave of a workgroup.
func (w *Writer) launchedBy(group uint64) []uint64 {
	list := w.groups[group]
	delete(w.groups, group)
	return list
}

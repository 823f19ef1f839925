package oracle

import (
	"fmt"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// payloadShift places payload n at address (n+1) << payloadShift: far apart, so
// that an access beyond a payload meets no other.
const payloadShift = 32

// groupPayloads holds a workgroup's payloads in a graph.
type groupPayloads struct {
	handles []uint64          // allocated, in order
	queued  []uint64          // enqueued, in order
	shared  map[siteUse]*site // arrays of the whole workgroup
	used    map[usage]uint32  // payloads allocated
	counts  map[waveSite]int  // executions of an allocation by a wave
	leavers map[uint64][]bool // by handle: waves that have enqueued it
}

// A siteUse is the n-th execution of an allocation.
type siteUse struct{ value, n int }

type waveSite struct{ wave, value int }

// A site holds the operands of an allocation, as the first wave executed it.
type site struct {
	handle       uint64
	count, index uint32
}

// A usage identifies the allocations that a limit bounds: an invocation's or, with lane -1, the workgroup's.
type usage struct{ output, lane int }

// payloadRows has a row for each operation on payloads that may fail.
var payloadRows map[isa.Op]func(w *wave, v *ir.Value) error

func init() {
	payloadRows = map[isa.Op]func(w *wave, v *ir.Value) error{
		isa.PayloadIn:          wordOf(func(w *wave) uint64 { return w.g.m.launch.input }),
		isa.RemainingRecursion: wordOf(func(w *wave) uint64 { return uint64(w.g.m.launch.level) }),
		isa.ShaderIndex:        wordOf(func(w *wave) uint64 { return uint64(w.g.m.launch.node.Index) }),
		isa.MeshGroup:          wordOf(func(w *wave) uint64 { return uint64(w.g.number) }),
		isa.PayloadElem:        eachPayload(payloadElem),
		isa.PayloadLength:      eachPayload(payloadLength),
		isa.PayloadValid:       eachPayload(payloadValid),
		isa.PayloadAlloc:       (*wave).allocShared,
		isa.PayloadAllocLane:   (*wave).allocLanes,
		isa.PayloadEnqueue:     (*wave).enqueue,
		isa.PayloadFinish:      (*wave).finish,
	}
}

func wordOf(f func(w *wave) uint64) func(*wave, *ir.Value) error {
	return func(w *wave, v *ir.Value) error {
		w.setAll(v, f(w))
		return nil
	}
}

func (w *wave) setAll(v *ir.Value, x uint64) {
	w.eachLane(w.mask, func(_ int, l *lane) { l.values[v.ID] = x })
}

func eachPayload(f func(w *wave, v *ir.Value, l *lane) uint64) func(*wave, *ir.Value) error {
	return func(w *wave, v *ir.Value) error {
		w.eachLane(w.mask, func(_ int, l *lane) { l.values[v.ID] = f(w, v, l) })
		return nil
	}
}

// payload carries out an operation on payloads.
func (w *wave) payload(v *ir.Value, row func(*wave, *ir.Value) error) error {
	if w.g.m.graph == nil {
		return fmt.Errorf("%w: the shader runs outside of a graph", ErrGraph)
	}
	if err := row(w, v); err != nil {
		return fmt.Errorf("wave %d: %%%d: %w", w.n, v.SPIRV, err)
	}
	return nil
}

// array returns the array of a handle, or nil.
func (r *graphRun) array(handle uint64) *array {
	if handle == 0 || handle > uint64(len(r.arrays)) {
		return nil
	}
	return r.arrays[handle-1]
}

func payloadElem(w *wave, v *ir.Value, l *lane) uint64 {
	a, i := w.g.m.graph.array(l.value(v.Args[0])), l.value(v.Args[1])
	if a == nil || i >= uint64(len(a.elems)) {
		return 0
	}
	return uint64(a.elems[i]+1) << payloadShift
}

func payloadLength(w *wave, v *ir.Value, l *lane) uint64 {
	if a := w.g.m.graph.array(l.value(v.Args[0])); a != nil {
		return uint64(len(a.elems))
	}
	return 0
}

// payloadValid returns 0 for a node that a sparse array lacks, and for an exhausted recursion.
func payloadValid(w *wave, v *ir.Value, l *lane) uint64 {
	m := w.g.m
	o, index := &m.launch.node.node.Outputs[v.Imm], uint32(l.value(v.Args[0]))
	target := m.graph.find(o.Node, o.BaseIndex+index)
	switch {
	case target == nil || !o.AllowsIndex(o.BaseIndex+index):
		return 0
	case target == m.launch.node:
		return truth(m.launch.level > 0)
	}
	return 1
}

// live returns the lanes that have not ended.
func (w *wave) live() uint64 {
	m := w.mask
	for _, p := range w.pending {
		m |= p
	}
	return m
}

func (w *wave) converged(what string) error {
	if w.live() != w.mask {
		return fmt.Errorf("%w: %s in divergent control flow", ErrGraph, what)
	}
	return nil
}

// uniformValue returns the value of x in all active lanes.
func (w *wave) uniformValue(x *ir.Value, what string) (uint64, error) {
	first := w.lanes[w.first()].value(x)
	var err error
	w.eachLane(w.mask, func(_ int, l *lane) {
		if l.value(x) != first {
			err = fmt.Errorf("%w: %s differs among the invocations", ErrGraph, what)
		}
	})
	return first, err
}

// allocShared allocates for the workgroup: the n-th execution by each wave
// names one array.
func (w *wave) allocShared(v *ir.Value) error {
	if err := w.converged("an allocation"); err != nil {
		return err
	}
	count, err := w.uniformValue(v.Args[0], "the payload count")
	if err != nil {
		return err
	}
	index, err := w.uniformValue(v.Args[1], "the node index")
	if err != nil {
		return err
	}
	g := w.g
	key := siteUse{v.ID, g.counts[waveSite{w.n, v.ID}]}
	g.counts[waveSite{w.n, v.ID}]++
	s := g.shared[key]
	if s == nil {
		h, err := g.allocate(v, uint32(count), uint32(index), -1)
		if err != nil {
			return err
		}
		s = &site{h, uint32(count), uint32(index)}
		g.shared[key] = s
	}
	if s.count != uint32(count) || s.index != uint32(index) {
		return fmt.Errorf("%w: the payload count or node index differs among the waves of the workgroup", ErrGraph)
	}
	w.setAll(v, s.handle)
	return nil
}

func (w *wave) allocLanes(v *ir.Value) error {
	if err := w.converged("an allocation"); err != nil {
		return err
	}
	var err error
	w.eachLane(w.mask, func(i int, l *lane) {
		h, e := w.g.allocate(v, uint32(l.value(v.Args[0])), uint32(l.value(v.Args[1])), w.n*w.g.m.d.WaveSize+i)
		if e != nil {
			err = e
		}
		l.values[v.ID] = h
	})
	return err
}

// allocate makes an array for an invocation, or with lane -1 for the workgroup.
func (g *workgroup) allocate(v *ir.Value, count, index uint32, lane int) (uint64, error) {
	r, l := g.m.graph, g.m.launch
	o := &l.node.node.Outputs[v.Imm]
	if err := g.limit(int(v.Imm), count, lane); err != nil {
		return 0, err
	}
	target := r.find(o.Node, o.BaseIndex+index)
	switch { // an array of no payloads needs no node: shaders ask for none where there is no target
	case count == 0:
	case target == nil || !o.AllowsIndex(o.BaseIndex+index):
		return 0, fmt.Errorf("%w: no node %q index %d", ErrGraph, o.Node, o.BaseIndex+index)
	case target.payloadBytes() != int(o.Bytes) && target.payloadBytes() != 0:
		return 0, fmt.Errorf("%w: payloads of %d bytes for %s, which wants %d", ErrGraph, o.Bytes, target, target.payloadBytes())
	}
	a := &array{output: o, target: target, depth: l.depth + 1, perSet: lane >= 0}
	switch {
	case target == l.node:
		if a.level = l.level - 1; a.level < 0 && count > 0 {
			return 0, fmt.Errorf("%w: %s has no recursion left", ErrGraph, target)
		}
	case target != nil:
		a.level = int(target.node.MaxRecursion)
	}
	for range count {
		r.payloads = append(r.payloads, &payload{data: make([]byte, o.Bytes), owner: g})
		a.elems = append(a.elems, len(r.payloads)-1)
	}
	r.arrays = append(r.arrays, a)
	g.handles = append(g.handles, uint64(len(r.arrays)))
	return uint64(len(r.arrays)), nil
}

// limit counts an allocation against the maximum of its output, or of the output with which it shares limits.
func (g *workgroup) limit(output int, count uint32, lane int) error {
	outputs := g.m.launch.node.node.Outputs
	if s := outputs[output].SharesLimits; s >= 0 {
		output = s
	}
	u := usage{output, lane}
	g.used[u] += count
	if most := outputs[output].MaxPayloads; count > most || g.used[u] > most {
		return fmt.Errorf("%w: %d payloads for %q, at most %d are declared", ErrGraph, g.used[u], outputs[output].Node, most)
	}
	return nil
}

// enqueue takes the arrays of the active lanes from their workgroup.
func (w *wave) enqueue(v *ir.Value) error {
	if err := w.converged("an enqueue"); err != nil {
		return err
	}
	var err error
	seen := map[uint64]bool{}
	w.eachLane(w.mask, func(_ int, l *lane) {
		if h := l.value(v.Args[0]); !seen[h] && err == nil {
			seen[h], err = true, w.enqueueArray(h)
		}
	})
	return err
}

func (w *wave) enqueueArray(h uint64) error {
	g := w.g
	a := g.m.graph.array(h)
	if a == nil || a.output == nil {
		return fmt.Errorf("%w: an enqueue of a payload array that was not allocated", ErrGraph)
	}
	if g.leavers[h] == nil {
		g.leavers[h] = make([]bool, len(g.waves))
	}
	if g.leavers[h][w.n] || a.perSet && a.queued {
		return fmt.Errorf("%w: a second enqueue of a payload array", ErrGraph)
	}
	g.leavers[h][w.n] = true
	if !a.queued {
		a.queued = true
		g.queued = append(g.queued, h)
	}
	return nil
}

// finish counts the workgroup among those that have written their payload.
func (w *wave) finish(v *ir.Value) error {
	r := w.g.m.graph
	a := r.array(w.lanes[w.first()].value(v.Args[0]))
	if a == nil || len(a.elems) != 1 || a.output != nil {
		return fmt.Errorf("%w: OpFinishWritingNodePayloadAMDX without one input payload", ErrGraph)
	}
	p := r.payloads[a.elems[0]]
	if p.host {
		return fmt.Errorf("%w: OpFinishWritingNodePayloadAMDX on a payload that the host dispatched", ErrGraph)
	}
	if p.finished == nil {
		p.finished = map[*workgroup]bool{}
	}
	p.finished[w.g] = true
	w.setAll(v, truth(len(p.finished) == p.groups))
	return nil
}

// payloadBytes returns the payload that an address lies in and the place in it.
// Memory that is not the workgroup's to use is an error.
func (a *access) payloadBytes(at uint64) ([]byte, uint64, error) {
	r, n := a.machine().graph, at>>payloadShift
	if r == nil || n == 0 || n > uint64(len(r.payloads)) {
		return nil, 0, nil
	}
	p, g := r.payloads[n-1], a.w.g
	switch {
	case p.freed:
		return nil, 0, fmt.Errorf("wave %d: %%%d: %w: use of a payload that was freed", a.w.n, a.v.SPIRV, ErrGraph)
	case p.owner == g && g.hasEnqueued(int(n-1), a.w.n), p.owner != g && p.launch != g.m.launch:
		return nil, 0, fmt.Errorf("wave %d: %%%d: %w: use of a payload after its enqueue", a.w.n, a.v.SPIRV, ErrGraph)
	}
	return p.data, at & (1<<payloadShift - 1), nil
}

// hasEnqueued reports that a wave has enqueued the array of a payload.
func (g *workgroup) hasEnqueued(payload, wave int) bool {
	return slices.ContainsFunc(g.queued, func(h uint64) bool {
		return g.leavers[h][wave] && slices.Contains(g.m.graph.arrays[h-1].elems, payload)
	})
}

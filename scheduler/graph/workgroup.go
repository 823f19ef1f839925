package graph

import (
	"fmt"
	"math/bits"
	"spvsim/internal/timing"

	"spvsim/engine"
	"spvsim/isa"
	"spvsim/scheduler"
	"spvsim/simd"
)

// A workgroup is a resident workgroup of a node.
type workgroup struct {
	*workgroups
	*stage
	id          int32
	launch      *nodeLaunch
	workgroupID [3]uint32 // WorkgroupId
	unit        int
	reserved    uint64   // bytes that it may still allocate
	counts      []uint64 // payloads allocated, by owner and root output (see owner)
	allocated   []usage  // by workgroup, if several share a wave
	arrays      []int32  // arrays that it has allocated
	calls       []call   // calls that not all waves have executed
	waves       uint64   // mask of all its waves
	// finished: it has called OpFinishWritingNodePayloadAMDX.
	finished bool
}

// workgroups are the resident workgroups of a run, by index, and the parts of the graph that they use.
type workgroups struct {
	list      []*workgroup
	spare     []int32
	limits    *scheduler.GraphLimits
	engine    *engine.Engine
	pool      *pool
	stats     *graphStats
	queues    *queues
	allocator *allocator
	ring      *ring
	policy    policy
}

// reuseOrMake returns a workgroup to fill in.
func (s *workgroups) reuseOrMake() *workgroup {
	if n := len(s.spare); n > 0 {
		i := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return s.list[i]
	}
	g := &workgroup{workgroups: s, id: int32(len(s.list))}
	s.list = append(s.list, g)
	return g
}

// recycle keeps a workgroup that has ended, for reuse.
func (s *workgroups) recycle(g *workgroup) { s.spare = append(s.spare, g.id) }

// newWorkgroup makes the next workgroup of a launch on a compute unit, and reserves its payload memory.
func (s *workgroups) newWorkgroup(l *nodeLaunch, unit int) *workgroup {
	g := s.reuseOrMake()
	g.launch, g.stage, g.unit, g.reserved = l, l.stage, unit, l.need()
	s.pool.reserved += g.reserved
	g.arrays, g.calls, g.finished = g.arrays[:0], g.calls[:0], false
	g.waves = ^uint64(0) >> (64 - uint(l.Code.Resources.Waves))
	g.allocated = cleared(g.allocated, max(l.lanes, 1))
	g.counts = cleared(g.counts, len(l.outputs)*l.owners())
	return g
}

// cleared returns n zeros, in the memory of list if that is large enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// close frees the payloads that a workgroup allocated and did not enqueue, and faults on calls that not all of its
// waves executed.
func (g *workgroup) close() {
	p := g.pool
	for _, i := range g.arrays {
		a := &p.arrays[i]
		if !a.enqueued {
			g.stats.nodes[g.Node.id].unused += uint64(len(a.elems))
			for _, e := range a.elems {
				p.release(e)
			}
		}
		p.dropArray(i)
	}
	p.reserved -= g.reserved
	if g.engine.Err() != nil {
		return
	}
	for i := range g.calls {
		g.faultIncomplete(&g.calls[i])
	}
}

// faultIncomplete fails the run for a call that a wave did not execute.
func (g *workgroup) faultIncomplete(c *call) {
	g.engine.Fail(fmt.Errorf("%w: %s, node %v: %v: %s: workgroup %v: not in uniform control flow: wave %d did not take part", ErrFault,
		g.Shader, g.Node, c.id, operation(c.op), g.workgroupID, firstMissing(c.waves)))
}

func firstMissing(mask uint64) int {
	i := 0
	for mask>>i&1 != 0 {
		i++
	}
	return i
}

// nowhere is an address outside of all memory, for elements that do not exist.
const nowhere = ^uint64(0) - 1<<20

// Elem implements isa.PayloadTable: the address of an element of an array.
func (g *workgroup) Elem(handle uint64, i uint32) uint64 {
	p := g.pool
	a := p.lookup(handle)
	if a == 0 || int(i) >= len(p.arrays[a].elems) {
		return nowhere
	}
	return p.payloads[p.arrays[a].elems[i]].addr
}

// Length implements isa.PayloadTable: the number of payloads of an array.
func (g *workgroup) Length(handle uint64) uint32 {
	p := g.pool
	if a := p.lookup(handle); a != 0 {
		return uint32(len(p.arrays[a].elems))
	}
	return 0
}

// Valid implements isa.PayloadTable: whether payloads of an output may be allocated for an index.
func (g *workgroup) Valid(k int, index uint32) bool {
	if k >= len(g.outputs) {
		return false
	}
	_, ok := g.target(&g.outputs[k], uint64(index))
	return ok
}

// target returns the stage that payloads of an output for an index go to.
func (g *workgroup) target(o *output, index uint64) (*stage, bool) {
	index += uint64(o.BaseIndex)
	t := o.targets[uint32(index)]
	switch {
	case t == nil || index > 1<<32-1:
		return nil, false
	case t != g.Node:
		return t.stages[len(t.stages)-1], true
	case g.remaining == 0:
		return nil, false
	}
	return t.stages[g.remaining-1], true
}

// firstMask returns the execution mask at the start: a bit for each lane that holds an invocation.
func firstMask(st *isa.State) uint64 {
	total := int(st.LocalSize[0]) * int(st.LocalSize[1]) * int(st.LocalSize[2])
	left := max(min(total-int(st.WaveInGroup)*st.Lanes, st.Lanes), 1)
	return ^uint64(0) >> (64 - uint(left))
}

// handlers execute the operations on payloads.
var handlers = map[isa.Op]func(*workgroup, *waveOp) timing.Response{
	isa.PayloadAlloc:     (*workgroup).allocate,
	isa.PayloadAllocLane: (*workgroup).allocateLanes,
	isa.PayloadEnqueue:   (*workgroup).enqueue,
	isa.PayloadFinish:    (*workgroup).finishWriting,
}

// A waveOp is the execution of one operation by a wave.
type waveOp struct {
	now  uint64
	st   *isa.State
	pc   int
	in   *isa.Inst
	wave *simd.Wave // nil in functional runs
}

func (v *waveOp) bit() uint64 { return 1 << (v.st.WaveInGroup & 63) }

// first returns the lowest active lane.
func (v *waveOp) first() int {
	return bits.TrailingZeros64(v.st.Exec|1<<63) & (v.st.Lanes - 1)
}

func (v *waveOp) source(i, lane int) uint64 { return v.st.Source(v.in, i, lane) }

// uniform returns a source that must be equal in all active lanes, and whether it is.
func (v *waveOp) uniform(i int) (uint64, bool) {
	first := v.source(i, v.first())
	if v.in.Src[i].Kind != isa.Vector {
		return first, true
	}
	for exec := v.st.Exec; exec != 0; exec &= exec - 1 {
		if v.source(i, bits.TrailingZeros64(exec)) != first {
			return first, false
		}
	}
	return first, true
}

// Payloads executes operations on payloads for compute units, of waves of any graph.
type Payloads struct{}

// Execute carries out an operation on payloads.
func (Payloads) Execute(now uint64, unit int, w *simd.Wave, in *isa.Inst) timing.Response {
	pc, _ := w.CurrentInst()
	return workgroupOf(w).execute(&waveOp{now, &w.State, pc, in, w})
}

func workgroupOf(w *simd.Wave) *workgroup { return w.State.Payloads.(*workgroup) }

// execute executes an operation of a wave, in uniform control flow only.
func (g *workgroup) execute(v *waveOp) timing.Response {
	idle := timing.Response{ReadyAt: v.now, UnitFreeAt: v.now}
	if v.st.Exec == 0 {
		return idle // no active lane
	}
	if g.launch.lanes == 0 && v.st.Exec != firstMask(v.st) {
		g.fault(v, -1, "in divergent control flow: lanes %#x of %#x take part", v.st.Exec, firstMask(v.st))
		return idle
	}
	return handlers[v.in.Op](g, v)
}

// fault fails the run for undefined behaviour of a shader.
func (g *workgroup) fault(v *waveOp, lane int, format string, args ...any) {
	st := v.st
	where := operation(v.in.Op)
	if from := v.in.Origin.String(); from != "" {
		where = from + ": " + where
	}
	who := fmt.Sprintf("workgroup %v, wave %d", st.Workgroup, st.WaveInGroup)
	if lane >= 0 {
		who += fmt.Sprintf(", lane %d", lane)
	}
	g.engine.Fail(fmt.Errorf("%w: %s, node %v: %s: %s: %s", ErrFault, g.Shader, g.Node, where, who, fmt.Sprintf(format, args...)))
}

// payloadOps are the SPIR-V instructions of the operations on payloads.
var payloadOps = map[isa.Op]string{
	isa.PayloadAlloc: "OpAllocateNodePayloadsAMDX", isa.PayloadAllocLane: "OpAllocateNodePayloadsAMDX",
	isa.PayloadEnqueue: "OpEnqueueNodePayloadsAMDX", isa.PayloadFinish: "OpFinishWritingNodePayloadAMDX",
}

// operation names an operation in messages.
func operation(op isa.Op) string {
	if o, ok := payloadOps[op]; ok {
		return o
	}
	return isa.Table[op].Name
}

package mem

import (
	"fmt"

	"spvsim/isa"
	"spvsim/mem/lane"
	"spvsim/spec"
)

// Timing is what the issue of one memory instruction costs.
type Timing struct {
	Ready   uint64 // cycle in which results are there, or a store is acknowledged
	Busy    uint64 // cycles that the address path is taken; at least 1
	Lines   int    // distinct cache lines
	Pending bool   // Ready is not known yet: the completion of Token brings it
	Token   uint64
}

// A Port executes the memory instructions of one compute unit.
type Port struct {
	cu       int
	store    *Store
	h        Hierarchy
	vector   uint // log2 of line sizes
	scalar   uint
	lanes    divider // lanes and lines of a cycle
	lines    divider
	word     uint   // log2 of the bytes of a word in the masks of lines
	block    uint   // log2 of the size of blocks that the address path sends; 0: lines
	together int    // lanes whose addresses one cycle takes
	cost     uint64 // fixed-point cycles of a byte returned by all slices of the vector cache
	tokens   uint64
	pages    uint   // log2 of the bytes that one translation of an address serves
	walk     uint64 // fixed-point cycles of a translation
	tex      *TextureSpec
	w        *workspace
	chip     *OnChip // nil: the machine has no on-chip payload memory
	values   *Values // nil: accesses take time
}

// workspace is what one instruction needs while it executes.
type workspace struct {
	coalescer
	lane.Walk
	step     lane.Step // what the walk is made of
	request  Request
	elements coalescer     // distinct elements of an atomic
	mem      [64][]byte    // by lane: the memory that the lane's address is in
	off      [64]uint64    // offset in it
	addr     [64]uint64    // device address of the offset
	bind     [64]int32     // binding, for faults
	texel    [64]*Image    // of image accesses; nil where none is bound
	trash    [64]uint32    // where results nobody wants go
	spread   [4][64]uint32 // uniform store data, by lane
	last     *Buffer       // the buffer found last
}

// buffer is the one that holds an address, or nil.
func (w *workspace) buffer(s *Store, addr uint64) *Buffer {
	if b := w.last; b != nil && addr-b.Addr < b.Size {
		return b
	}
	b := s.Find(addr)
	if b != nil {
		w.last = b
	}
	return b
}

func newWorkspace() *workspace {
	w := &workspace{}
	w.lines, w.elements.lines = make([]Line, 0, tableSize), make([]Line, 0, tableSize)
	return w
}

// NewPorts makes the ports of all compute units. They share one workspace, so
// they must be used from one goroutine.
func NewPorts(store *Store, h Hierarchy, s *HierarchySpec, shape *spec.Shape) []*Port {
	w := newWorkspace()
	vector, scalar := h.LineBytes()
	ports := make([]*Port, shape.Units())
	for i := range ports {
		ports[i] = &Port{cu: i, store: store, h: h, lanes: newDivider(s.VectorMemory.LanesPerCycle), lines: newDivider(s.VectorMemory.LinesPerCycle), word: s.wordShift(), vector: log2(vector), scalar: log2(scalar), block: blockShift(&s.VectorMemory), together: s.VectorMemory.LanesPerCycle,
			cost: costPerByte(s.VectorL1.BytesPerCycle * float64(s.VectorL1.Slices)), w: w, tex: &s.Texture,
			pages: log2(s.VectorMemory.TranslationBytes), walk: uint64(s.VectorMemory.TranslationCycles * (1 << fixedShift))}
	}
	return ports
}

func blockShift(s *VectorMemorySpec) uint {
	if s.BlockBytes < 2 {
		return 0
	}
	return log2(s.BlockBytes)
}

// OnComplete sets the receiver of completions of pending instructions.
func (p *Port) OnComplete(f Completion) { p.h.OnComplete(p.cu, f) }

// An Access carries out one memory instruction on a port.
type Access func(p *Port, now uint64, st *isa.State, env *Env, in *isa.Inst) Timing

// accesses has a row for each operation that a port carries out.
var accesses = func() (t [isa.NumOps]func(in *isa.Inst) Access) {
	always := func(a Access) func(*isa.Inst) Access { return func(*isa.Inst) Access { return a } }
	t[isa.Load], t[isa.Store] = loadOf, storeOf
	t[isa.ImageLoad], t[isa.ImageStore] = always((*Port).imageLoad), always((*Port).imageStore)
	t[isa.ImageSample], t[isa.ImageSampleLod], t[isa.ImageQueryLod] = always((*Port).sample), always((*Port).sample), always((*Port).queryLod)
	t[isa.ImageGather] = always((*Port).sample)
	t[isa.Export] = always((*Port).export)
	t[isa.BufferSize], t[isa.ImageSize], t[isa.ImageSamples] = always((*Port).bufferSize), always((*Port).imageSize), always((*Port).imageSamples)
	for op := isa.AtomicLoad; op <= isa.AtomicFMax; op++ {
		t[op] = always((*Port).atomic)
	}
	return t
}()

// AccessOf is what carries out an instruction, for who issues it often; nil of
// one that is none of memory.
func AccessOf(in *isa.Inst) Access {
	if choose := accesses[in.Op]; choose != nil {
		return choose(in)
	}
	return nil
}

// Issue executes the instruction on the bytes now, and says what it costs.
func (p *Port) Issue(now uint64, st *isa.State, env *Env, in *isa.Inst) Timing {
	a := AccessOf(in)
	if a == nil {
		panic(fmt.Sprintf("mem: operation %d is none of memory", in.Op))
	}
	return a(p, now, st, env, in)
}

// begin empties the workspace for an instruction; where nobody asks for lines, nothing is in it.
func (p *Port) begin(m *isa.Mem, kind Kind) *workspace {
	if p.w.deaf {
		return p.w
	}
	shift := p.vector
	if m.Scalar {
		shift = p.scalar
	}
	p.w.reset(shift)
	p.w.blockShift, p.w.together, p.w.stores, p.w.word = p.block, p.together, kind == Write, p.word
	return p.w
}

// finish asks the hierarchy for the lines collected; lanes moved bytes each.
func (p *Port) finish(now uint64, m *isa.Mem, kind Kind, lanes int, bytes uint32) Timing {
	if p.values != nil {
		p.values.finish(p, m, kind)
		return Timing{}
	}
	return p.finishBusy(now, m, kind, p.busy(m, lanes, bytes))
}

// busy are the cycles that the lines collected take the address path.
func (p *Port) busy(m *isa.Mem, lanes int, bytes uint32) uint64 {
	sent := len(p.w.lines)
	if p.block > 0 && !m.Scalar {
		sent = p.w.blocks
	}
	busy := p.occupancy(sent, lanes, bytes)
	if p.walk > 0 && !m.Scalar {
		busy += p.w.translations(p.pages) * p.walk >> fixedShift
	}
	return busy
}

// finishBusy is finish for an instruction that takes its unit for busy cycles.
func (p *Port) finishBusy(now uint64, m *isa.Mem, kind Kind, busy uint64) Timing {
	if p.values != nil {
		p.values.finish(p, m, kind)
		return Timing{}
	}
	r := &p.w.request
	*r = Request{CU: p.cu, Kind: kind, Scalar: m.Scalar, Coherent: m.Coherent, Lines: p.w.lines, Token: p.tokens + 1, Busy: busy}
	if m.Payload && p.chip != nil {
		if t, all := p.onChip(now, r); all {
			return t
		}
	}
	return p.ask(now, r)
}

// ask sends a request to the hierarchy.
func (p *Port) ask(now uint64, r *Request) Timing {
	reply := p.h.Access(now, r)
	if reply.Pending {
		p.tokens++
	}
	return Timing{Ready: reply.Ready, Busy: reply.Busy, Lines: len(r.Lines), Pending: reply.Pending, Token: r.Token}
}

func (p *Port) occupancy(lines, lanes int, bytes uint32) uint64 {
	cycles := max(1, p.lanes.ceil(lanes), p.lines.ceil(lines))
	data := (uint64(lanes)*uint64(bytes)*p.cost + 1<<fixedShift - 1) >> fixedShift
	return max(cycles, data)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// fault reports an access of one lane out of bounds, unless the shader did not
// ask for it.
func (p *Port) fault(st *isa.State, in *isa.Inst, what string, l int) {
	if in.Mem.Speculative {
		return
	}
	w := p.w
	f := Fault{What: what, Binding: int(w.bind[l]), Offset: w.off[l], Size: uint64(len(w.mem[l])), Lane: l,
		Workgroup: st.Workgroup, Wave: st.WaveInGroup, Origin: in.Origin}
	if in.Mem.Space == isa.SpaceFlat {
		f.Binding, f.Offset = -1, w.addr[l]
	}
	p.store.fault(f)
}

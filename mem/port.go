package mem

import (
	"fmt"

	"spvsim/internal/spec"
	"spvsim/internal/timing"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
	"spvsim/mem/texture"
)

// A Port executes the memory instructions of one compute unit. Lanes move the bytes and collect the lines, the address
// path and the texture unit compute how long these take to send, and the hierarchy when they are there.
type Port struct {
	cu           int
	h            hierarchy.Model
	path         addressPath
	lanes        lanes
	textureUnit  textureUnit
	onChipMemory *OnChip // nil: the machine has no on-chip payload memory
	tokens       uint64

	response timing.Response // to accesses that the hierarchy is not asked for
}

// lanes move the bytes of an instruction, lane by lane, and collect the lines that it needs.
type lanes struct {
	w          *workspace
	store      *Store
	bindings   *Bindings   // of the current instruction, once its lanes are resolved
	functional *Functional // nil: accesses take time
}

// A textureUnit finds, reads and weighs texels for lanes.
type textureUnit struct {
	spec  *hierarchy.TextureSpec
	lanes *lanes
}

// A workspace holds what one instruction needs while it executes.
type workspace struct {
	coalescer
	lane.Addresses
	addressParams lane.AddressParams // inputs of Addresses
	request       hierarchy.Request
	elements      coalescer            // distinct elements of an atomic
	mem           [64][]byte           // by lane: memory of its address
	offset        [64]uint64           // in that memory
	addr          [64]uint64           // device address
	binding       [64]int32            // binding, for faults
	texel         [64]*texture.Image   // of image accesses; nil where none is bound
	trash         [64]uint32           // row of unused results
	uniformRows   [maxWords][64]uint32 // uniform store data, by lane
	buffers       [4]*Buffer           // found last, the last of all first
	flat          Descriptor           // of the buffer of flat addresses
	banks         *hierarchy.DataBanks // of the current load; nil: none
	bankTime      uint64               // fixed-point cycles of the banks
	counts        hierarchy.BankCounts
	kind          hierarchy.Kind // of the instruction
	missed        []int32        // lines that begin a range of addresses that misses in the L1 TLB
}

// buffer returns the buffer that holds an address, or nil.
func (w *workspace) buffer(s *Store, addr uint64) *Buffer {
	if b := w.buffers[0]; b != nil && addr-b.Addr < b.Size {
		return b
	}
	return w.otherBuffer(s, addr)
}

// otherBuffer is buffer where it is not the one found last.
func (w *workspace) otherBuffer(s *Store, addr uint64) *Buffer {
	for _, b := range w.buffers[1:] {
		if b != nil && addr-b.Addr < b.Size {
			return b
		}
	}
	b := s.Find(addr)
	if b != nil {
		copy(w.buffers[1:], w.buffers[:])
		w.buffers[0] = b
	}
	return b
}

func newWorkspace() *workspace {
	w := &workspace{}
	w.lines, w.elements.lines = make([]hierarchy.Line, 0, tableSize), make([]hierarchy.Line, 0, tableSize)
	return w
}

// NewPorts makes the ports of all compute units. They share one workspace, so
// they must be used from one goroutine.
func NewPorts(store *Store, h hierarchy.Model, s *hierarchy.Spec, shape *spec.Shape) []*Port {
	all := lanes{w: newWorkspace(), store: store}
	path := newAddressPath(s)
	path.vector, path.scalar = lineShifts(h)
	ports := make([]*Port, shape.Units())
	for i := range ports {
		path.tlb = hierarchy.NewL1TLB(s)
		ports[i] = &Port{cu: i, h: h, path: path, lanes: all, textureUnit: textureUnit{&s.Texture, &all}}
	}
	return ports
}

// OnComplete sets the receiver of completions of pending instructions.
func (p *Port) OnComplete(f hierarchy.CompletionFunc) { p.h.OnComplete(p.cu, f) }

// An Access carries out one memory instruction on a port. The response is valid until the next access of the machine.
type Access func(p *Port, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response

// accesses has a row for each operation that a port carries out.
var accesses = func() (t [isa.NumOps]func(in *isa.Inst) Access) {
	always := func(a Access) func(*isa.Inst) Access { return func(*isa.Inst) Access { return a } }
	t[isa.Load], t[isa.Store] = loadOf, storeOf
	t[isa.ImageLoad], t[isa.ImageStore] = always((*Port).imageLoad), always((*Port).imageStore)
	t[isa.ImageSample], t[isa.ImageSampleLod], t[isa.ImageQueryLod] = always((*Port).sample), always((*Port).sample), always(queryLod)
	t[isa.ImageGather] = always((*Port).sample)
	t[isa.Export] = always((*Port).export)
	t[isa.BufferSize], t[isa.ImageSize], t[isa.ImageSamples] = always(bufferSize), always(imageSize), always(imageSamples)
	for op := range isa.NumOps {
		if op.Has(isa.FlagAtomic) {
			t[op] = always((*Port).atomic)
		}
	}
	return t
}()

// loadOf picks the loop of a load: those of words of one buffer and of scratch have their own.
func loadOf(in *isa.Inst) Access {
	m, t := in.Mem, lane.Element(in)
	switch {
	case m.Space == isa.SpaceScratch:
		return (*Port).scratchLoad
	case (staticBuffer(m, t) || perLaneBuffer(m, t)) && !lane.AnyScalar(in):
		return (*Port).loadWords
	case flatWords(m, t) && !lane.AnyScalar(in):
		return loadFlat
	case uniformLoad(m):
		return loadUniform
	}
	return (*Port).loadGeneral
}

// storeOf picks the loop of a store.
func storeOf(in *isa.Inst) Access {
	m, t := in.Mem, lane.Element(in)
	switch {
	case m.Space == isa.SpaceScratch:
		return (*Port).scratchStore
	case staticBuffer(m, t):
		return (*Port).storeWords
	case flatWords(m, t):
		return storeFlat
	}
	return (*Port).storeGeneral
}

// AccessOf returns what carries out an instruction, or nil if it is no memory instruction. Callers that issue an
// instruction often keep it.
func AccessOf(in *isa.Inst) Access {
	if choose := accesses[in.Op]; choose != nil {
		return choose(in)
	}
	return nil
}

// Issue executes the instruction on the bytes now, and responds with its time.
func (p *Port) Issue(now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	a := AccessOf(in)
	if a == nil {
		panic(fmt.Sprintf("mem: operation %d is none of memory", in.Op))
	}
	return a(p, now, st, env, in)
}

// beginAccess resets the workspace. In functional mode no lines are collected, so there is nothing to reset.
func (p *Port) beginAccess(m *isa.Mem, kind hierarchy.Kind) *workspace {
	w := p.lanes.w
	if !w.noCoalescing {
		p.path.resetWorkspace(w, m, kind)
	}
	return w
}

// sendRequest asks the hierarchy for the lines collected; lanes moved bytes each.
func (p *Port) sendRequest(now uint64, m *isa.Mem, kind hierarchy.Kind, lanes int, bytes uint32) *timing.Response {
	if p.lanes.functional != nil {
		return p.lanes.functional.finish(p, m, kind)
	}
	return p.sendRequestWith(now, m, kind, p.path.occupiedCycles(p.lanes.w, m.Scalar, lanes, bytes))
}

// sendRequestWith is sendRequest for an instruction that occupies its unit for busy cycles.
func (p *Port) sendRequestWith(now uint64, m *isa.Mem, kind hierarchy.Kind, busy uint64) *timing.Response {
	w := p.lanes.w
	if p.lanes.functional != nil {
		return p.lanes.functional.finish(p, m, kind)
	}
	w.request = hierarchy.Request{CU: p.cu, Kind: kind, Scalar: m.Scalar, Coherent: m.Coherent || m.Payload, Lines: w.lines, Missed: w.missed, Token: p.tokens + 1, Busy: busy}
	if m.Payload && p.onChipMemory != nil && p.onChip(now, &w.request) {
		return &p.response
	}
	r := p.h.Access(now, &w.request)
	if r.Completion == timing.ByCallback {
		p.tokens++
	}
	return r
}

// respond responds to an access without the hierarchy: it is done in cycle ready, and occupies its unit for busy cycles.
func (p *Port) respond(now, ready, busy uint64) *timing.Response {
	p.response.ReadyAt, p.response.UnitFreeAt, p.response.Busy = ready, now+busy, busy
	return &p.response
}

// fault reports an access of one lane out of bounds, unless the shader did not
// ask for it.
func (x *lanes) fault(st *isa.State, in *isa.Inst, what string, l int) {
	if in.Mem.Speculative {
		return
	}
	w := x.w
	f := Fault{What: what, Offset: w.offset[l], Size: uint64(len(w.mem[l])), Lane: l, Workgroup: st.Workgroup, Wave: st.WaveInGroup, Origin: in.Origin}
	switch {
	case in.Mem.Space == isa.SpaceFlat:
		f.Offset = w.addr[l]
	case in.Mem.Space == isa.SpaceScratch:
		f.Where = "private memory"
	case w.binding[l] < 0:
		f.Where = "push constants"
	default:
		f.Address = w.addr[l] - w.offset[l]
		f.Where = x.bindings.name(int(w.binding[l]), f.Address)
	}
	x.store.fault(f)
}

// IssueFor is Issue for a launch whose traffic is counted. The analytic hierarchy responds at once, so what its levels
// count meanwhile is the request's.
func (p *Port) IssueFor(t *hierarchy.Traffic, now uint64, st *isa.State, env *WaveBindings, in *isa.Inst) *timing.Response {
	f, ok := p.h.(*hierarchy.Analytic)
	if !ok {
		return p.Issue(now, st, env, in)
	}
	t.Begin(f)
	r := p.Issue(now, st, env, in)
	t.End(f)
	return r
}

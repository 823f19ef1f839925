package mem

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/mem/hierarchy"
	"spvsim/mem/lane"
)

// A Footprint has the bytes of device memory that a launch reads, writes and updates by atomics.
type Footprint struct {
	pages map[uint64]*footprintPage
	last  uint64 // number of the page found last, plus 1
	page  *footprintPage
}

const footprintShift = 12 // log2 of the bytes of a page

// A footprintPage has a bit for each byte, by kind; nil: none of that kind.
type footprintPage [hierarchy.Atomic + 1]*[1 << footprintShift / 64]uint64

// NewFootprint makes an empty footprint.
func NewFootprint() *Footprint { return &Footprint{pages: map[uint64]*footprintPage{}} }

// Add marks bytes from addr on.
func (f *Footprint) Add(kind hierarchy.Kind, addr, size uint64) {
	for end := addr + size; addr < end; {
		n := min(end-addr, 1<<footprintShift-addr&(1<<footprintShift-1))
		f.addInPage(kind, addr, n)
		addr += n
	}
}

// addInPage is Add within one page.
func (f *Footprint) addInPage(kind hierarchy.Kind, addr, size uint64) {
	number := addr >> footprintShift
	if f.last != number+1 {
		f.last, f.page = number+1, f.pages[number]
		if f.page == nil {
			f.page = &footprintPage{}
			f.pages[number] = f.page
		}
	}
	if f.page[kind] == nil {
		f.page[kind] = &[1 << footprintShift / 64]uint64{}
	}
	list, from := f.page[kind], addr&(1<<footprintShift-1)
	for size > 0 {
		n := min(size, 64-from%64)
		list[from/64] |= ^uint64(0) >> (64 - n) << (from % 64)
		from, size = from+n, size-n
	}
}

// Conflict returns the lowest byte that one of two launches changes and the other touches, unless both do so by
// atomics.
func (f *Footprint) Conflict(o *Footprint) (addr uint64, mine, others hierarchy.Kind, found bool) {
	if len(o.pages) < len(f.pages) {
		addr, others, mine, found = o.Conflict(f)
		return addr, mine, others, found
	}
	for number, a := range f.pages {
		b := o.pages[number]
		if b == nil || found && number<<footprintShift >= addr {
			continue
		}
		if at, x, y, ok := a.conflict(b); ok {
			addr, mine, others, found = number<<footprintShift+at, x, y, true
		}
	}
	return addr, mine, others, found
}

// conflicts are the pairs of kinds whose accesses to one byte need an order.
var conflicts = [][2]hierarchy.Kind{{hierarchy.Write, hierarchy.Write}, {hierarchy.Write, hierarchy.Read}, {hierarchy.Read, hierarchy.Write}, {hierarchy.Write, hierarchy.Atomic}, {hierarchy.Atomic, hierarchy.Write}, {hierarchy.Atomic, hierarchy.Read}, {hierarchy.Read, hierarchy.Atomic}}

func (a *footprintPage) conflict(b *footprintPage) (at uint64, mine, others hierarchy.Kind, found bool) {
	for _, k := range conflicts {
		x, y := a[k[0]], b[k[1]]
		if x == nil || y == nil {
			continue
		}
		for i := range x {
			if both := x[i] & y[i]; both != 0 {
				if n := uint64(i*64 + bits.TrailingZeros64(both)); !found || n < at {
					at, mine, others, found = n, k[0], k[1], true
				}
				break
			}
		}
	}
	return at, mine, others, found
}

// AddFootprint adds what an instruction of a wave is about to access. Images that are sampled or drawn to count as a whole.
func (p *Port) AddFootprint(f *Footprint, st *isa.State, env *WaveBindings, in *isa.Inst) {
	m := in.Mem
	kind, ok := footprintKind(in)
	if !ok || m.Payload {
		return
	}
	switch m.Space {
	case isa.SpaceBuffer, isa.SpaceFlat:
		mask := lane.Active(st, m)
		if kind == hierarchy.Atomic {
			mask = st.Exec
		}
		p.lanes.resolve(st, env, m, mask)
		p.markLanes(f, kind, mask, elemBytes(lane.Element(in))*uint64(max(m.Count, 1)))
	case isa.SpaceImage:
		p.markTexels(f, kind, st, env, in)
	}
}

// Touched finds the bytes that an instruction of a wave is about to access, as far as they are within their memory. The addresses are valid
// until the next access.
func (p *Port) Touched(st *isa.State, env *WaveBindings, in *isa.Inst) lane.Touched {
	var mask, bytes uint64
	w, m := p.lanes.w, in.Mem
	switch _, ok := footprintKind(in); {
	case !ok:
		return lane.Touched{}
	case m.Space == isa.SpaceBuffer || m.Space == isa.SpaceFlat:
		if mask = st.Exec; !in.Op.Has(isa.FlagAtomic) {
			mask = lane.Active(st, m)
		}
		bytes = elemBytes(lane.Element(in)) * uint64(max(m.Count, 1))
		if p.lanes.touchedWords(st, env, in, uint32(bytes)) {
			return lane.Touched{Mask: mask, Addr: &w.addr, Bytes: bytes, Packed: w.Packed}
		}
		p.lanes.resolve(st, env, m, mask)
	case in.Op == isa.ImageLoad || in.Op == isa.ImageStore || m.Space == isa.SpaceImage && in.Op.Has(isa.FlagAtomic):
		mask = st.Exec
		p.lanes.resolveTexels(st, env, in)
	}
	for rest := mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		if w.offset[l] >= uint64(len(w.mem[l])) {
			mask &^= 1 << l
		} else if m.Space == isa.SpaceImage {
			bytes = uint64(w.texel[l].Format.Bytes)
		}
	}
	return lane.Touched{Mask: mask, Addr: &w.addr, Bytes: bytes}
}

// touchedWords computes the addresses of lanes that access words of one buffer; false: it did not, or some are out of bounds.
func (x *lanes) touchedWords(st *isa.State, env *WaveBindings, in *isa.Inst, bytes uint32) bool {
	w := x.w
	d, how := x.wordAddresses(st, env, in, bytes)
	if how == mayFault {
		return false
	}
	for l, offset := range w.Offsets[:st.Lanes] {
		w.addr[l] = d.Addr + uint64(offset)
	}
	return true
}

// footprintKind returns the kind of an access; false if it reaches no memory that launches share.
func footprintKind(in *isa.Inst) (hierarchy.Kind, bool) {
	switch {
	case in.Op == isa.BufferSize || in.Op == isa.ImageSize || in.Op == isa.ImageSamples || in.Op == isa.ImageQueryLod:
		return 0, false
	case in.Op.Has(isa.FlagAtomic):
		return hierarchy.Atomic, true // loads and stores among them, which need no order with updates
	case in.Op.Has(isa.FlagWrites):
		return hierarchy.Write, true
	}
	return hierarchy.Read, true
}

func (p *Port) markLanes(f *Footprint, kind hierarchy.Kind, mask, size uint64) {
	w := p.lanes.w
	for ; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		if have := uint64(len(w.mem[l])); w.offset[l] < have {
			f.Add(kind, w.addr[l], min(size, have-w.offset[l]))
		}
	}
}

// markTexels marks the texels of loads, stores and atomics that are within the image, and whole images of other
// instructions.
func (p *Port) markTexels(f *Footprint, kind hierarchy.Kind, st *isa.State, env *WaveBindings, in *isa.Inst) {
	w, one := p.lanes.w, in.Op == isa.ImageLoad || in.Op == isa.ImageStore || kind == hierarchy.Atomic
	if one {
		p.lanes.resolveTexels(st, env, in)
	}
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		d, _ := env.descriptor(in.Mem, uint32(lane.Value(st, in.Mem.BindingIndex, l, false)))
		switch {
		case d.Image == nil:
		case !one:
			f.Add(kind, d.Addr, uint64(len(d.Bytes)))
		case w.offset[l] < uint64(len(w.mem[l])):
			f.Add(kind, d.Addr+w.offset[l], uint64(d.Image.Format.Bytes))
		}
		if !one && in.Mem.BindingIndex.Kind != isa.Vector {
			return // the same image for all lanes
		}
	}
}

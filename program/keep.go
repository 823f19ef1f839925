package program

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// scratchSpiller keeps values of vector registers in scratch memory: values of up to 32 bits in slots of one local, values
// of 64 bits in another's. A kept phi is a slot that the preceding blocks write; its sources share the slot where
// possible.
type scratchSpiller struct {
	f         *ir.Func
	local     [2]*ir.Local
	slots     map[*ir.Value]*ir.Mem // by value: the access to its slot
	generated map[*ir.Value]bool    // results of loads, and values that are already kept
	// Stores and Loads count the emitted accesses.
	Stores, Loads int
}

func newScratchSpiller(f *ir.Func) *scratchSpiller {
	return &scratchSpiller{f: f, slots: map[*ir.Value]*ir.Mem{}, generated: map[*ir.Value]bool{}}
}

func (k *scratchSpiller) size(v *ir.Value) int {
	if inScalar(v) {
		return 0
	}
	return v.R.Rows()
}

func (k *scratchSpiller) canSpill(v *ir.Value) bool { return !k.generated[v] }

// isRematerializable reports a constant in a vector register, which costs no more to make again than to load.
func isRematerializable(v *ir.Value) bool { return v.Op == isa.Mov && literal(v.Args[0]) }

func (k *scratchSpiller) save(v *ir.Value) []*ir.Value {
	k.generated[v] = true
	if isRematerializable(v) {
		return nil
	}
	return []*ir.Value{k.store(v, v)}
}

// store writes x to the slot of a value.
func (k *scratchSpiller) store(v, x *ir.Value) *ir.Value {
	k.Stores++
	m := *k.slot(v)
	st := k.f.NewValue(isa.Store, m.Elem, isa.Void, x)
	st.Mem, st.Origin = &m, v.Origin
	return st
}

func (k *scratchSpiller) load(v *ir.Value) (x *ir.Value) {
	if isRematerializable(v) {
		x = k.f.NewValue(isa.Mov, v.T, v.R, v.Args[0])
	} else {
		k.Loads++
		m := *k.slot(v)
		x = k.f.NewValue(isa.Load, v.R, v.R)
		x.Mem = &m
	}
	x.Origin = v.Origin
	k.generated[x] = true
	return x
}

func (k *scratchSpiller) slot(v *ir.Value) *ir.Mem {
	if m := k.slots[v]; m != nil {
		return m
	}
	wide := v.R.Rows() - 1
	l := k.local[wide]
	if l == nil {
		l = &ir.Local{ID: len(k.f.Locals), Name: "spilled registers", SlotWords: uint32(wide + 1)}
		k.local[wide], k.f.Locals = l, append(k.f.Locals, l)
	}
	m := &ir.Mem{Access: isa.Access{Space: isa.SpaceScratch, Offset: uint32(len(l.Slots)) * l.SlotWords, Elem: v.R, Count: 1}, Object: l.ID, Align: 4 * l.SlotWords, Local: l}
	l.Slots = append(l.Slots, v.R)
	k.slots[v] = m
	return m
}

// prepare assigns one slot to a kept phi and those of its kept sources that are not live together.
func (k *scratchSpiller) prepare(s *spiller) {
	for _, b := range s.fl.Blocks {
		for _, phi := range b.Phis {
			if !s.isSpilled(phi) {
				continue
			}
			k.slot(phi)
			class := []*ir.Value{phi}
			for _, a := range phi.Args {
				if s.isSpilled(a) && k.slots[a] == nil && !isRematerializable(a) && a.R == phi.R && !slices.ContainsFunc(class, func(c *ir.Value) bool { return s.interfere(a, c) }) {
					k.slots[a] = k.slots[phi]
					class = append(class, a)
				}
			}
		}
	}
}

// phis removes the kept phis of a block: the preceding blocks write their slots, first the copies from slots that other
// copies overwrite.
func (k *scratchSpiller) phis(b *ir.Block, kept func(v *ir.Value) bool) {
	if !slices.ContainsFunc(b.Phis, kept) {
		return
	}
	for i := range b.Preds {
		var list []copyTo
		for _, phi := range b.Phis {
			if a := phi.Args[i]; kept(phi) && a.Op != isa.Undef && a != phi {
				list = append(list, copyTo{phi, a})
			}
		}
		if code := k.parallel(list, kept); len(code) > 0 {
			k.append(b, i, code)
		}
	}
	b.Phis = slices.DeleteFunc(b.Phis, kept)
}

// parallel writes slots as if all at once.
func (k *scratchSpiller) parallel(list []copyTo, kept func(v *ir.Value) bool) (code []*ir.Value) {
	written := map[*ir.Mem]bool{}
	for _, c := range list {
		written[k.slots[c.phi]] = true
	}
	var stores []*ir.Value
	for _, c := range list {
		x := c.src
		switch {
		case kept(x) && k.slots[x] == k.slots[c.phi]:
			continue
		case uniform(x):
			x = k.f.NewValue(isa.Mov, x.R, x.R, x)
			stores = append(stores, x)
		case kept(x):
			x = k.load(x)
			if written[k.slots[c.src]] {
				code = append(code, x)
			} else {
				stores = append(stores, x)
			}
		}
		stores = append(stores, k.store(c.phi, x))
	}
	return append(code, stores...)
}

// append puts code at the end of the block before b by number, or on the way from there where it leads elsewhere too.
func (k *scratchSpiller) append(b *ir.Block, pred int, code []*ir.Value) {
	p := b.Preds[pred]
	if len(p.Succs) > 1 {
		splitEdge(k.f, p, slices.Index(p.Succs, b))
		p = b.Preds[pred]
	}
	for _, v := range code {
		v.Block = p
	}
	p.Code = append(p.Code, code...)
}

// interfere reports that two values live at once.
func (s *spiller) interfere(x, y *ir.Value) bool { return s.livesAt(x, y) || s.livesAt(y, x) }

// livesAt reports that x lives where y has been made.
func (s *spiller) livesAt(x, y *ir.Value) bool {
	b := y.Block
	if y.Op == isa.Phi {
		return s.lv.in[b.ID].has(x.ID) || x.Op == isa.Phi && x.Block == b
	}
	if s.definedAt[x.ID] > s.definedAt[y.ID] && x.Block == b {
		return false
	}
	if s.lv.out[b.ID].has(x.ID) {
		return s.lv.in[b.ID].has(x.ID) || x.Block == b
	}
	uses := s.uses[x.ID]
	i, _ := slices.BinarySearch(uses, s.definedAt[y.ID]+1)
	return i < len(uses) && uses[i] < s.start[s.fl.Position[b.ID]+1]
}

// laneSpiller keeps values of scalar registers in lanes of vector registers, one for each 32 bits. A kept value is replaced
// by one that takes no register; this holds for phis too.
type laneSpiller struct {
	f         *ir.Func
	waveSize  int
	lanes     map[*ir.Value]*ir.Value // by value: its copy in lanes
	generated map[*ir.Value]bool      // results of reads, and values that are already kept
	// Writes and Reads count the emitted instructions.
	Writes, Reads int
}

func newLaneSpiller(f *ir.Func, waveSize int) *laneSpiller {
	return &laneSpiller{f: f, waveSize: waveSize, lanes: map[*ir.Value]*ir.Value{}, generated: map[*ir.Value]bool{}}
}

func (k *laneSpiller) size(v *ir.Value) int {
	if !inScalar(v) || v.InLanes {
		return 0
	}
	return hardwareRegs(v, k.waveSize)
}

// canSpill refuses masks: lanes that wait have bits of their own in them.
func (k *laneSpiller) canSpill(v *ir.Value) bool { return v.Uniform && !k.generated[v] }

func (k *laneSpiller) prepare(*spiller) {}

func (k *laneSpiller) save(v *ir.Value) []*ir.Value { return []*ir.Value{k.write(v)} }

func (k *laneSpiller) write(v *ir.Value) *ir.Value {
	k.Writes++
	x := k.f.NewValue(isa.SaveLane, v.R, v.R, v)
	x.Uniform, x.InLanes, x.Origin = true, true, v.Origin
	k.generated[v] = true
	if !literal(v) && k.lanes[v] == nil {
		k.lanes[v] = x
	}
	return x
}

func (k *laneSpiller) load(v *ir.Value) *ir.Value {
	k.Reads++
	x := k.f.NewValue(isa.RestoreLane, v.R, v.R, k.inLane(v))
	x.Uniform, x.Origin = true, v.Origin
	k.generated[x] = true
	return x
}

// inLane returns a kept value's copy in lanes; the copy of a phi is a phi.
func (k *laneSpiller) inLane(v *ir.Value) *ir.Value {
	x := k.lanes[v]
	if x == nil {
		x = k.f.NewValue(isa.Phi, v.T, v.R)
		x.Uniform, x.InLanes, x.Block, x.Origin = true, true, v.Block, v.Origin
		k.lanes[v] = x
	}
	return x
}

// phis replaces the kept phis of a block by phis of copies in lanes. A source that is not kept is written to lanes at
// the end of its predecessor.
func (k *laneSpiller) phis(b *ir.Block, kept func(v *ir.Value) bool) {
	for n, phi := range b.Phis {
		if !kept(phi) {
			continue
		}
		x := k.inLane(phi)
		for i, a := range phi.Args {
			if !kept(a) && a.Op != isa.Undef {
				w := k.write(a)
				w.Block = b.Preds[i]
				b.Preds[i].Code = append(b.Preds[i].Code, w)
				a = w
			} else if kept(a) {
				a = k.inLane(a)
			}
			x.Args = append(x.Args, a)
		}
		b.Phis[n] = x
	}
}

package opt

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// pointers makes buffers alias where shaders address them by pointers: to the compiler of such a machine, the arguments
// of a kernel may point to the same memory unless the module declares Restrict. Loads then keep their order to stores
// through other pointers, and memory that a store may have written before is no longer read through the scalar cache
// (LLVM: noclobber).
func pointers(f *ir.Func, o Options) bool {
	if f.Kernel {
		noClobber(f)
	}
	if !o.SelectBuffers {
		return false
	}
	written := writtenBefore(f, aliases)
	for _, b := range f.Blocks {
		after := written[b.ID]
		for _, v := range b.Code {
			if !aliases(f, v) {
				continue
			}
			v.Mem.Object = -1
			v.Mem.ReadOnly = v.Mem.ReadOnly && !after
			after = after || v.Op.Has(isa.FlagWrites)
		}
	}
	return true
}

// noClobber marks the loads of a kernel that no store comes before.
func noClobber(f *ir.Func) {
	written := writtenBefore(f, flat)
	for _, b := range f.Blocks {
		after := written[b.ID]
		for _, v := range b.Code {
			if !flat(f, v) {
				continue
			}
			v.Mem.Unclobbered = v.Op == isa.Load && !after && !v.Mem.Volatile
			after = after || v.Op.Has(isa.FlagWrites)
		}
	}
}

// flat reports an access by address.
func flat(_ *ir.Func, v *ir.Value) bool { return v.Mem != nil && v.Mem.Space == isa.SpaceFlat }

// pointerSums adds the uniform part of an address to the part that differs by lane, where shaders address buffers by
// pointers. An access then takes the 64-bit address of each lane from vector registers, because a 32-bit offset to a
// scalar pointer must be known not to overflow (LLVM: v_lshl_add_u64 and no saddr). Loop-invariant parts are added
// before the loop.
func pointerSums(f *ir.Func, o Options) bool {
	if !o.SelectBuffers {
		return false
	}
	for _, b := range f.Blocks {
		out := make([]*ir.Value, 0, len(b.Code)+8)
		for _, v := range b.Code {
			if scattered(v) {
				out = append(out, joinAddress(f, v))
			}
			out = append(out, v)
		}
		b.Code = out
	}
	return true
}

// scattered reports whether v is an access to a buffer whose address has both parts.
func scattered(v *ir.Value) bool {
	m := v.Mem
	return m != nil && m.Space == isa.SpaceBuffer && !m.Payload && m.HasBase && m.HasIndex && v.Args[0].R == isa.I32 && v.Args[1].R == isa.I32
}

// joinAddress makes one part of both.
func joinAddress(f *ir.Func, v *ir.Value) *ir.Value {
	sum := f.NewValue(isa.IAdd, isa.I32, isa.I32, v.Args[0], v.Args[1])
	sum.Block, sum.Origin = v.Block, v.Origin
	v.Mem.HasBase = false
	v.Args = append([]*ir.Value{sum}, v.Args[2:]...)
	return sum
}

// aliases reports an access to a storage buffer that another name may have, too.
func aliases(f *ir.Func, v *ir.Value) bool {
	if v.Mem == nil || v.Mem.Space != isa.SpaceBuffer || v.Mem.Payload || v.Mem.Binding >= len(f.Bindings) { // the constant data
		return false
	}
	a := &f.Bindings[v.Mem.Binding]
	return a.Kind == ir.StorageBuffer && !a.Restrict
}

// writtenBefore reports, by block id, that memory of some accesses may be written before the block.
func writtenBefore(f *ir.Func, some func(f *ir.Func, v *ir.Value) bool) []bool {
	before := make([]bool, f.NumBlocks())
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if some(f, v) && v.Op.Has(isa.FlagWrites) {
				markReachable(b, before)
				break
			}
		}
	}
	return before
}

// markReachable marks the blocks that b reaches.
func markReachable(b *ir.Block, reached []bool) {
	for work := []*ir.Block{b}; len(work) > 0; {
		b, work = work[len(work)-1], work[:len(work)-1]
		for _, to := range b.Succs {
			if to != nil && !reached[to.ID] {
				reached[to.ID] = true
				work = append(work, to)
			}
		}
	}
}

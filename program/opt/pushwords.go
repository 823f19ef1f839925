package opt

import (
	"cmp"
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// mostPushWords bounds the push constants that a wave has in scalar registers from its start: the driver passes 16 (GCN
// and RDNA: user SGPRs), among them the addresses of descriptors and of the grid's size.
const mostPushWords = 12

// pushWords turns loads of push constants at constant offsets into words that the wave has from its start, the lowest
// first, as Mesa does (radv_shader_args.c). Where buffers are pointers, push constants are loaded.
func pushWords(f *ir.Func, o Options) bool {
	if o.SelectBuffers {
		return false
	}
	var at []uint32
	eachValue(f, func(v *ir.Value) {
		if pushWord(v) {
			at = append(at, v.Mem.Offset)
		}
	})
	slices.SortFunc(at, cmp.Compare[uint32])
	at = slices.Compact(at)
	at = at[:min(len(at), mostPushWords)]
	eachValue(f, func(v *ir.Value) {
		if pushWord(v) && slices.Contains(at, v.Mem.Offset) {
			v.Op, v.T, v.Imm, v.Mem = isa.PushWord, v.R, uint64(v.Mem.Offset), nil
		}
	})
	return len(at) > 0
}

func pushWord(v *ir.Value) bool {
	m := v.Mem
	return v.Op == isa.Load && m.Space == isa.SpacePush && !m.HasBase && !m.HasIndex && m.Count <= 1 && m.Elem.Bits() == 32 && m.Offset%4 == 0
}

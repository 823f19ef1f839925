package program

import (
	"slices"

	"spvsim/isa"
	"spvsim/program/ir"
)

// preset lists the operations whose results hardware puts in registers before a wave starts.
var preset = map[isa.Op]bool{
	isa.LocalIDX: true, isa.LocalIDY: true, isa.LocalIDZ: true, isa.LocalIndex: true,
	isa.WorkgroupIDX: true, isa.WorkgroupIDY: true, isa.WorkgroupIDZ: true,
	isa.NumWorkgroupsX: true, isa.NumWorkgroupsY: true, isa.NumWorkgroupsZ: true,
	isa.SubgroupID: true, isa.NumSubgroups: true, isa.PushWord: true,
	isa.FragCoord: true, isa.Barycentric: true, isa.FrontFacing: true, isa.HelperLane: true, isa.PrimitiveIndex: true,
	isa.SampleIndex: true, isa.SampleCover: true, isa.PointCoord: true,
	isa.PayloadIn: true, isa.RemainingRecursion: true, isa.ShaderIndex: true, isa.MeshGroup: true,
}

// uniform reports a value that one word holds for all lanes.
func uniform(v *ir.Value) bool {
	return v.Uniform || v.Op == isa.Const || v.Op == isa.Undef
}

// literal reports a value that needs no register.
func literal(v *ir.Value) bool { return v.Op == isa.Const || v.Op == isa.Undef }

// A presetKey distinguishes preset values.
type presetKey struct {
	op  isa.Op
	imm uint64
}

// hoistPreset takes the preset values out of the blocks, one for each operation,
// and returns them in the order in which they first appear.
func hoistPreset(f *ir.Func) []*ir.Value {
	first := map[presetKey]*ir.Value{}
	var list []*ir.Value
	same := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks {
		kept := b.Code[:0]
		for _, v := range b.Code {
			key := presetKey{v.Op, v.Imm}
			switch {
			case !preset[v.Op]:
				kept = append(kept, v)
			case first[key] == nil:
				first[key] = v
				list = append(list, v)
			default:
				same[v] = first[key]
			}
		}
		b.Code = kept
	}
	if len(same) > 0 {
		replace(f, same)
	}
	return list
}

// dropBarriers removes control barriers from workgroups of one wave, which has no other to wait for, as both compilers
// do (Mesa's nir_opt_barriers, LLVM's wave_barrier). Waits for memory stay. In programs that are checked they order the lanes.
func dropBarriers(f *ir.Func, t *Target) {
	if f.Invocations() > uint64(t.WaveSize) {
		return
	}
	for _, b := range f.Blocks {
		if !t.Check {
			b.Code = slices.DeleteFunc(b.Code, func(v *ir.Value) bool { return v.Op == isa.Barrier })
			continue
		}
		for _, v := range b.Code {
			if v.Op == isa.Barrier {
				v.Op, v.Imm = isa.LaneOrder, 0
			}
		}
	}
}

func replace(f *ir.Func, same map[*ir.Value]*ir.Value) {
	fix := func(p **ir.Value) {
		if to := same[*p]; to != nil {
			*p = to
		}
	}
	for _, b := range f.Blocks {
		for _, list := range [][]*ir.Value{b.Phis, b.Code} {
			for _, v := range list {
				for i := range v.Args {
					fix(&v.Args[i])
				}
			}
		}
		if b.Cond != nil {
			fix(&b.Cond)
		}
	}
}

// legalise makes every operand available in the form in which its instruction
// reads it: a uniform truth value that a per-lane instruction reads becomes a
// lane mask, and a uniform memory index goes to the base.
func legalise(f *ir.Func, waveSize int) {
	order := ir.NewOrder(f)
	vectors := newVectorCopier(f, order)
	for _, b := range order.Blocks {
		code := make([]*ir.Value, 0, len(b.Code))
		masks := map[*ir.Value]*ir.Value{}
		vectors.block = b
		toMask := func(a *ir.Value) *ir.Value {
			if masks[a] == nil {
				m := f.NewValue(isa.ToLanes, isa.Bool, isa.Bool, a)
				m.Block, m.Origin = b, a.Origin
				code = append(code, m)
				masks[a] = m
			}
			return masks[a]
		}
		for _, v := range b.Code {
			if v.Mem != nil {
				if sum := uniformIndex(f, v); sum != nil {
					code = append(code, sum)
				}
				code = vectors.access(code, v)
			}
			if v.Op == isa.MatrixMulAdd {
				code = append(code, toVectors(f, v, waveSize)...)
			}
			if needsMasks(v) {
				for i, a := range v.Args {
					if a.R == isa.Bool && a.Uniform && !literal(a) {
						v.Args[i] = toMask(a)
					}
				}
			}
			code = append(code, v)
		}
		for _, s := range b.Succs {
			i := predIndex(s, b)
			for _, phi := range s.Phis {
				if a := phi.Args[i]; phi.R == isa.Bool && !phi.Uniform && a.Uniform && !literal(a) {
					phi.Args[i] = toMask(a)
				}
			}
		}
		b.Code = code
	}
}

// needsMasks reports an instruction that reads truth values as lane masks.
func needsMasks(v *ir.Value) bool {
	return v.Op != isa.ToLanes && (!v.Uniform || v.Op.Has(isa.FlagCrossLane))
}

// uniformIndex moves a uniform index to the base of a memory access. It returns
// the sum when there is a base already.
func uniformIndex(f *ir.Func, v *ir.Value) *ir.Value {
	m := v.Mem
	if !m.HasIndex {
		return nil
	}
	base, index, _, _ := v.MemArgs()
	if !uniform(index) {
		return nil
	}
	m.HasIndex = false
	if base == nil {
		m.HasBase = true
		return nil
	}
	t := isa.I32
	if m.Space == isa.SpaceFlat {
		t = isa.I64
	}
	sum := f.NewValue(isa.IAdd, t, t, base, index)
	sum.Uniform, sum.Block, sum.Origin = true, v.Block, v.Origin
	v.Args = append([]*ir.Value{sum}, v.Args[2:]...)
	return sum
}

func predIndex(b, pred *ir.Block) int {
	for i, p := range b.Preds {
		if p == pred {
			return i
		}
	}
	panic("program: a successor does not list its predecessor")
}

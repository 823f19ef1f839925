package spirv

import "slices"

// Repair rewrites two kinds of instructions that zink emits for OpenCL kernels against the rules of types: an OpBitcast of a
// number to a narrower integer, which takes the lower bits, and an operand of an integer atomic whose type has the width
// of the result's, which is cast. It leaves other instructions alone.
func Repair(m *Module) {
	r := repairer{m: m, types: map[ID]*Instruction{}, of: map[ID]ID{}}
	var out []Instruction
	changed := false
	for i := range m.Instructions {
		in := &m.Instructions[i]
		if in.Op == OpTypeInt || in.Op == OpTypeFloat {
			r.types[in.Result] = in
		}
		if in.Type != 0 {
			r.of[in.Result] = in.Type
		}
		casts := r.instruction(in)
		if len(casts) > 0 && !changed {
			out, changed = slices.Clone(m.Instructions[:i]), true
		}
		if changed {
			out = append(append(out, casts...), *in)
		}
	}
	if changed {
		m.Instructions = out
	}
}

type repairer struct {
	m     *Module
	types map[ID]*Instruction // of numbers
	of    map[ID]ID           // type of each value
}

// width returns the bits of a type of numbers, integers or floats; 0: it is none.
func (r *repairer) width(t ID, of Op) uint32 {
	if in := r.types[t]; in != nil && in.Op == of {
		return in.Operands[0]
	}
	return 0
}

// integer returns the declared integer type of a width; 0: there is none.
func (r *repairer) integer(width uint32) (t ID) {
	for id, in := range r.types {
		if in.Op == OpTypeInt && in.Operands[0] == width && (t == 0 || id < t) {
			t = id
		}
	}
	return t
}

// cast returns a cast of a value, which comes before an instruction.
func (r *repairer) cast(t ID, value uint32, before *Instruction) Instruction {
	r.m.Bound++
	return Instruction{Op: OpBitcast, Type: t, Result: ID(r.m.Bound - 1), Operands: []uint32{value}, Word: before.Word}
}

// narrow repairs a cast to an integer of fewer bits.
func (r *repairer) narrow(in *Instruction, to uint32) (casts []Instruction) {
	from := r.of[ID(in.Operands[0])]
	if float := r.width(from, OpTypeFloat); float > to {
		t := r.integer(float)
		if t == 0 {
			return nil
		}
		casts = append(casts, r.cast(t, in.Operands[0], in))
		in.Operands = []uint32{uint32(casts[0].Result)}
	} else if r.width(from, OpTypeInt) <= to {
		return nil
	}
	in.Op = OpSConvert // to fewer bits: it takes the lower ones, whatever the signs
	return casts
}

// atomicValue is the index of the first operand of an atomic operation that is a value, after pointer, scope and semantics.
const atomicValue = 3

// instruction repairs an instruction in its place, and returns the casts that come before it.
func (r *repairer) instruction(in *Instruction) (casts []Instruction) {
	switch to := r.width(in.Type, OpTypeInt); {
	case to == 0 || len(in.Operands) == 0:
	case in.Op == OpBitcast:
		return r.narrow(in, to)
	case in.Op >= OpAtomicExchange && in.Op <= OpAtomicXor:
		first := atomicValue
		if in.Op == OpAtomicCompareExchange {
			first++ // it has semantics for both outcomes
		}
		for k := first; k < len(in.Operands); k++ {
			if t := r.of[ID(in.Operands[k])]; t == in.Type || r.width(t, OpTypeInt) != to && r.width(t, OpTypeFloat) != to {
				continue
			}
			casts = append(casts, r.cast(in.Type, in.Operands[k], in))
			in.Operands = slices.Clone(in.Operands)
			in.Operands[k] = uint32(casts[len(casts)-1].Result)
		}
	}
	return casts
}

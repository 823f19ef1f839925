package isa

import "math/bits"

// A PayloadTable gives a wave access to the payloads that it can name. It belongs to the node whose workgroup runs. All
// results are defined for any argument, because the compiler may move calls ahead: an element beyond the length, or of
// no array, has an address outside of all payloads.
type PayloadTable interface {
	// Elem returns the address of element i of an array.
	Elem(handle uint64, i uint32) uint64
	// Length returns the number of payloads of an array.
	Length(handle uint64) uint32
	// Valid reports whether payloads of an output (an index in the node's
	// outputs) may be allocated for a node index, base index not added.
	Valid(output int, index uint32) bool
}

// noPayload is the address of elements that do not exist.
const noPayload = ^uint64(0) - 1<<16

func payloadElem(st *State, _ *Inst, a, b uint64) uint64 {
	if st.Payloads == nil {
		return noPayload
	}
	return st.Payloads.Elem(a, uint32(b))
}

func payloadLength(st *State, _ *Inst, a, _ uint64) uint64 {
	if st.Payloads == nil {
		return 0
	}
	return uint64(st.Payloads.Length(a))
}

func payloadValid(st *State, in *Inst, a, _ uint64) uint64 {
	return truth(st.Payloads != nil && st.Payloads.Valid(int(in.Imm), uint32(a)))
}

// payloadOp asks once where the sources are the same in all lanes, else for
// each active lane.
func payloadOp(f func(st *State, in *Inst, a, b uint64) uint64) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		if in.Src[0].Kind != Vector && in.Src[1].Kind != Vector {
			st.writeUniform(in, f(st, in, st.word(in.Src[0]), st.word(in.Src[1])))
			return
		}
		types := in.sourceTypes()
		a, b := st.viewOf(in.Src[0], types[0]), st.viewOf(in.Src[1], types[1])
		out := st.sinkFor(in.Dst, ResultType(in.Op, in.T, in.From))
		for rest := st.Exec; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest)
			out.set(l, f(st, in, a.lane(l), b.lane(l)))
		}
		out.done(st, in.Dst)
	}
}

// Source returns the i-th source of an instruction in a lane, for operations that
// the machine carries out.
func (st *State) Source(in *Inst, i, lane int) uint64 {
	v := st.viewOf(in.Src[i], SourceType(in.Op, i, in.T, in.From))
	return v.lane(lane)
}

// SetResult sets the result of an instruction that the machine executed, the same for all active lanes, in the form
// that the program uses.
func (st *State) SetResult(in *Inst, x uint64) {
	if in.Dst.Kind != None {
		st.writeUniform(in, x)
	}
}

// SetLane sets one lane's result in a vector register.
func (st *State) SetLane(in *Inst, lane int, x uint64) {
	if in.Dst.Kind != Vector {
		return
	}
	out := st.sinkFor(in.Dst, ResultType(in.Op, in.T, in.From))
	out.set(lane, x)
}

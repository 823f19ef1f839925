package isa

import (
	"math/bits"

	"spvsim/spirv"
)

// Operations of execution graphs.
const (
	// Execution graphs. A payload array is named by a handle (I64, opaque, not
	// zero); its elements need not be contiguous.
	PayloadIn          Op = endMemory + iota // I64: handle of the input payload array, 0 if there is none
	PayloadElem                              // a I64 handle, b I32 index -> I64 address of the element
	PayloadLength                            // a I64 handle -> I32
	PayloadValid                             // a I32 node index -> Bool: payloads of output Imm may be allocated for it
	PayloadAlloc                             // a I32 count, b I32 node index -> I64 handle of one array of output Imm for the whole workgroup
	PayloadAllocLane                         // as PayloadAlloc, one array for each active lane
	PayloadEnqueue                           // a I64 handle
	PayloadFinish                            // a I64 handle -> Bool: all workgroups of the payload have done so
	RemainingRecursion                       // I32
	ShaderIndex                              // I32
	MeshGroup                                // I32: number of the workgroup among those of its mesh node

	endPayloads
)

var payloadRows = []Row{
	{PayloadIn, "payload_in", alu, handle, waveID, nil, specNote("variables of storage class NodePayloadAMDX")},
	{PayloadElem, "payload_elem", vector, sig(OfI64, OfI64, OfI32), costlySALU, nil, specNote("access chains into OpTypeNodePayloadArrayAMDX")},
	{PayloadLength, "payload_length", vector, sig(OfI32, OfI64), costlySALU, nil, core(spirv.OpNodePayloadArrayLengthAMDX)},
	{PayloadValid, "payload_valid", scalar, sig(OfBool, OfI32), costlySALU, nil, core(spirv.OpIsNodePayloadValidAMDX)},
	{PayloadAlloc, "payload_alloc", message, allocate, effect | ofWave, nil, core(spirv.OpAllocateNodePayloadsAMDX).merge(specNote("Workgroup"))},
	{PayloadAllocLane, "payload_alloc_lane", message, allocate, effect | perLane, nil, core(spirv.OpAllocateNodePayloadsAMDX).merge(specNote("Invocation"))},
	{PayloadEnqueue, "payload_enqueue", message, sig(OfNothing, OfI64), effect | crossLane, nil, core(spirv.OpEnqueueNodePayloadsAMDX)},
	{PayloadFinish, "payload_finish", message, sig(OfBool, OfI64), effect | ofWave, nil, core(spirv.OpFinishWritingNodePayloadAMDX)},
	{RemainingRecursion, "remaining_recursion", alu, word, waveID, nil, specNote("BuiltIn RemainingRecursionLevelsAMDX")},
	{ShaderIndex, "shader_index", alu, word, waveID, nil, specNote("BuiltIn ShaderIndexAMDX")},
	{MeshGroup, "mesh_group", alu, word, waveID, nil, specNote("outputs of MeshEXT entry points")},
}

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

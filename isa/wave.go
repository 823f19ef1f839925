package isa

import (
	"math"
	"math/bits"

	"spvsim/spirv"
)

// What a lane and its wave are.
const (
	// Identity of the lane and the wave. Result I32 unless said.
	LaneID   Op = endConversions + iota // lane within the wave
	LocalIDX                            // LocalInvocationId; Imm 1: four consecutive lanes are 2x2 in x and y
	LocalIDY
	LocalIDZ
	LocalIndex // LocalInvocationIndex; Imm as LocalIDX
	WorkgroupIDX
	WorkgroupIDY
	WorkgroupIDZ
	NumWorkgroupsX
	NumWorkgroupsY
	NumWorkgroupsZ
	SubgroupID // wave within the workgroup
	NumSubgroups
	PushWord // the 32 bits of push constants at byte Imm, which a wave may have from its start
	Clock    // I64: the simulated clock in cycles at issue
	Realtime // I64: a clock in nanoseconds of simulated time at issue

	endIdentity
)

var identityRows = []Row{
	{LaneID, "lane_id", vector, word, ident, nil, specNote("BuiltIn SubgroupLocalInvocationId")},
	{LocalIDX, "local_id_x", vector, word, ident | FlagLocalID, nil, specNote("BuiltIn LocalInvocationId")},
	{LocalIDY, "local_id_y", vector, word, ident | FlagLocalID, nil, specNote("BuiltIn LocalInvocationId")},
	{LocalIDZ, "local_id_z", vector, word, ident | FlagLocalID, nil, specNote("BuiltIn LocalInvocationId")},
	{LocalIndex, "local_index", vector, word, ident, nil, specNote("BuiltIn LocalInvocationIndex")},
	{WorkgroupIDX, "workgroup_id_x", alu, word, waveID | FlagWorkgroupID, nil, specNote("BuiltIn WorkgroupId")},
	{WorkgroupIDY, "workgroup_id_y", alu, word, waveID | FlagWorkgroupID, nil, specNote("BuiltIn WorkgroupId")},
	{WorkgroupIDZ, "workgroup_id_z", alu, word, waveID | FlagWorkgroupID, nil, specNote("BuiltIn WorkgroupId")},
	{NumWorkgroupsX, "num_workgroups_x", alu, word, waveID | FlagNumWorkgroups, nil, specNote("BuiltIn NumWorkgroups")},
	{NumWorkgroupsY, "num_workgroups_y", alu, word, waveID | FlagNumWorkgroups, nil, specNote("BuiltIn NumWorkgroups")},
	{NumWorkgroupsZ, "num_workgroups_z", alu, word, waveID | FlagNumWorkgroups, nil, specNote("BuiltIn NumWorkgroups")},
	{SubgroupID, "subgroup_id", alu, word, waveID, nil, specNote("BuiltIn SubgroupId")},
	{NumSubgroups, "num_subgroups", alu, word, waveID, nil, specNote("BuiltIn NumSubgroups")},
	{PushWord, "push_word", alu, constant, waveID, nil, specNote("variables of storage class PushConstant")},
	{Clock, "clock", sameClass(ClassClock), clock, FlagEffect | FlagUniform | FlagScalarUnit, nil, core(spirv.OpReadClockKHR)},
	{Realtime, "realtime", sameClass(ClassClock), clock, FlagEffect | FlagUniform | FlagScalarUnit, nil, core(spirv.OpReadClockKHR)},
}

// waveOps execute the operations that look at the wave as a whole: identity,
// lanes among each other, execution masks.
var waveOps [NumOps]func(*State, *Inst)

func init() {
	waveOps = [NumOps]func(*State, *Inst){
		LaneID:         laneNumbers,
		LocalIndex:     arranged(linearPosition),
		LocalIDX:       arranged(0),
		LocalIDY:       arranged(1),
		LocalIDZ:       arranged(2),
		WorkgroupIDX:   perWave(func(st *State) uint64 { return uint64(st.Workgroup[0]) }),
		WorkgroupIDY:   perWave(func(st *State) uint64 { return uint64(st.Workgroup[1]) }),
		WorkgroupIDZ:   perWave(func(st *State) uint64 { return uint64(st.Workgroup[2]) }),
		NumWorkgroupsX: perWave(func(st *State) uint64 { return uint64(st.NumWorkgroups[0]) }),
		NumWorkgroupsY: perWave(func(st *State) uint64 { return uint64(st.NumWorkgroups[1]) }),
		NumWorkgroupsZ: perWave(func(st *State) uint64 { return uint64(st.NumWorkgroups[2]) }),
		SubgroupID:     perWave(func(st *State) uint64 { return uint64(st.WaveInGroup) }),
		NumSubgroups:   perWave(func(st *State) uint64 { return uint64(st.WavesInGroup) }),
		PushWord:       pushWord,
		Clock:          perWave(func(st *State) uint64 { return st.Now & st.ClockMask }),
		Realtime:       perWave(func(st *State) uint64 { return st.Nanoseconds }),

		PayloadIn:          perWave(func(st *State) uint64 { return st.PayloadIn }),
		RemainingRecursion: perWave(func(st *State) uint64 { return uint64(st.RemainingRecursion) }),
		ShaderIndex:        perWave(func(st *State) uint64 { return uint64(st.ShaderIndex) }),
		MeshGroup:          perWave(func(st *State) uint64 { return uint64(st.MeshGroup) }),
		PayloadElem:        payloadOp(payloadElem),
		PayloadLength:      payloadOp(payloadLength),
		PayloadValid:       payloadOp(payloadValid),

		ToLanes:        toLanes,
		ToScalar:       readFirstLane,
		Ballot:         ballot,
		LaneOfMask:     laneOfMask,
		Elect:          elect,
		VoteAll:        voteAll,
		VoteAny:        voteAny,
		VoteAllEqual:   voteAllEqual,
		ReadLane:       readLane,
		ReadFirstLane:  readFirstLane,
		Shuffle:        shuffle,
		QuadBroadcast:  quadBroadcast,
		QuadSwap:       quadSwap,
		QuadAll:        quadVote(func(votes, active uint64) bool { return votes&active == active }),
		QuadAny:        quadVote(func(votes, active uint64) bool { return votes&active != 0 }),
		SwizzleQuad:    swizzleQuad,
		SwizzleMirror:  swizzleMasked,
		SwizzleEight:   swizzleMasked,
		SwizzleSixteen: swizzleMasked,
		SwizzleMasked:  swizzleMasked,
		WriteLane:      writeLane,
		Reduce:         reduce,
		InclusiveScan:  inclusiveScan,
		ExclusiveScan:  exclusiveScan,
		MaskedBitCount: maskedBitCount,
		MatrixMulAdd:   matrixMulAdd,
		LaneOrder:      orderLanes,
		CheckWritten:   checkWritten,

		FragCoord:      perFragment32(func(f *Fragments, in *Inst, lane int) uint32 { return math.Float32bits(f.Coord[in.Imm&3][lane]) }),
		Barycentric:    perFragment32(barycentric),
		BarycentricAt:  barycentricAt,
		SampleOffset:   sampleOffset,
		SampleIndex:    perFragment32(func(f *Fragments, _ *Inst, lane int) uint32 { return uint32(f.Sample[lane]) }),
		SampleCover:    perFragment32(func(f *Fragments, _ *Inst, lane int) uint32 { return uint32(f.Cover[lane]) }),
		PointCoord:     perFragment32(func(f *Fragments, in *Inst, lane int) uint32 { return math.Float32bits(f.Point[in.Imm&1][lane]) }),
		PrimitiveIndex: perFragment32(func(f *Fragments, _ *Inst, lane int) uint32 { return f.Prims[lane/4].Index }),
		InterpFlat:     perFragment32(func(f *Fragments, in *Inst, lane int) uint32 { return f.param(in, lane)[in.Imm>>cornerShift%3] }),
		InterpP1:       interpP1,
		InterpP2:       interpP2,
		FrontFacing:    laneBits(func(st *State) uint64 { return st.fragments().Front }),
		HelperLane:     laneBits(func(st *State) uint64 { return st.fragments().Helpers }),
		IsHelper:       laneBits(func(st *State) uint64 { return st.Helpers }),
		Demote:         func(st *State, _ *Inst) { st.Helpers |= st.Exec },

		MaskZero:  func(st *State, in *Inst) { st.S[in.Dst.Index] = 0 },
		MaskSplit: maskSplit,
		MaskPark:  maskPark,
		MaskJoin:  maskJoin,
		MaskKill:  func(st *State, _ *Inst) { st.Exec = 0 },
	}
	for op := range NumOps {
		if f := waveOps[op]; f != nil && op.Has(FlagSubgroup) {
			waveOps[op] = withoutHelperLanes(f)
		}
	}
}

// withoutHelperLanes executes an operation of a subgroup, among the lanes that are no helpers if the instruction excludes them.
// Helpers then get results that are the same for the whole wave, and otherwise keep the contents of their registers.
func withoutHelperLanes(f func(*State, *Inst)) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		if in.Imm&withoutHelpers == 0 || st.Helpers == 0 {
			f(st, in)
			return
		}
		exec := st.Exec
		st.Exec &^= st.Helpers
		f(st, in)
		st.Exec = exec
	}
}

// writeUniform writes one value to the destination of a result: a scalar word, the active lanes of a vector register, or
// those of a lane mask.
func (st *State) writeUniform(in *Inst, x uint64) {
	t := ResultType(in.Op, in.T, in.From)
	switch {
	case in.Dst.Kind == Vector:
		st.fill(in.Dst, t, x)
	case t == Bool && !in.Uniform:
		st.setMask(in.Dst, -x)
	default:
		st.S[in.Dst.Index] = x
	}
}

// fill writes x to the active lanes of a vector register.
func (st *State) fill(r Reg, t Type, x uint64) {
	FillRow(st.row(r, 0), uint32(x), st.Exec, st.Full)
	if t.Rows() == 2 {
		FillRow(st.row(r, 1), uint32(x>>32), st.Exec, st.Full)
	}
}

// FillRow sets the lanes of a row in exec to one value; full is the mask of all lanes.
func FillRow(d []uint32, x uint32, exec, full uint64) {
	if exec != full {
		for ; exec != 0; exec &= exec - 1 {
			d[bits.TrailingZeros64(exec)] = x
		}
		return
	}
	fillRow(d, x)
}

func fillRowGo(d []uint32, x uint32) {
	for l := range d {
		d[l] = x
	}
}

func perWave(f func(*State) uint64) func(*State, *Inst) {
	return func(st *State, in *Inst) { st.writeUniform(in, f(st)) }
}

// pushWord reads zero behind the end of the push constants.
func pushWord(st *State, in *Inst) {
	word := uint64(0)
	for i := range uint64(4) {
		if at := in.Imm + i; at < uint64(len(st.Push)) {
			word |= uint64(st.Push[at]) << (8 * i)
		}
	}
	st.writeUniform(in, word)
}

func laneNumbers(st *State, in *Inst) {
	d := st.target(in)
	for l := range d {
		d[l] = uint32(l)
	}
	st.merge(in, d)
}

// QuadPlace returns the position in a linear workgroup, in the order of
// LocalInvocationIndex, of the n-th invocation when four consecutive ones stand
// 2x2 in x and y (DerivativeGroupQuadsKHR).
func QuadPlace(n uint32, size [3]uint32) uint32 {
	quad, at := n/4, n%4
	row := size[0] / 2
	return (quad/row*2+at/2)*size[0] + quad%row*2 + at%2
}

// linearPosition is the index of the linear position among the coordinates.
const linearPosition = 3

// arranged returns the n-th coordinate of the position in the workgroup, or all of it
// in one number. Imm 1 arranges positions in quads.
func arranged(n int) func(*State, *Inst) {
	return func(st *State, in *Inst) {
		d, size := st.target(in), st.LocalSize
		at := localIndex(st, 0)
		if in.Imm == 0 {
			walkCoordinates(d, at, size, n)
		} else {
			for l := range d {
				d[l] = coordinates(QuadPlace(at+uint32(l), size), size)[n]
			}
		}
		st.merge(in, d)
	}
}

// coordinates returns the coordinates of a linear position in a workgroup, and itself.
func coordinates(at uint32, size [3]uint32) [linearPosition + 1]uint32 {
	return [linearPosition + 1]uint32{at % size[0], at / size[0] % size[1], at / size[0] / size[1], at}
}

// walkCoordinates writes the n-th coordinate of consecutive positions, without a division for each.
func walkCoordinates(d []uint32, at uint32, size [3]uint32, n int) {
	p := coordinates(at, size)
	if p[0]+uint32(len(d)) <= size[0] { // one line of the workgroup
		next, step := p[n], uint32(0)
		if n == 0 || n == linearPosition {
			step = 1
		}
		for l := range d {
			d[l] = next
			next += step
		}
		return
	}
	for l := range d {
		d[l] = p[n]
		p[linearPosition]++
		if p[0]++; p[0] < size[0] {
			continue
		}
		p[0] = 0
		if p[1]++; p[1] == size[1] {
			p[1], p[2] = 0, p[2]+1
		}
	}
}

func localIndex(st *State, lane uint32) uint32 { return st.WaveInGroup*uint32(st.Lanes) + lane }

// TakesBranch reports whether a branch instruction jumps to its Target.
func TakesBranch(st *State, in *Inst) bool {
	switch in.Op {
	case Branch:
		return true
	case BranchTrue:
		return st.word(in.Src[0]) != 0
	case BranchFalse:
		return st.word(in.Src[0]) == 0
	case BranchExecZ:
		return st.Exec == 0
	case BranchExecNZ:
		return st.Exec != 0
	}
	return false
}

func orderLanes(st *State, in *Inst) {
	if st.Checks != nil {
		st.Checks.OrderLanes(st, in.Imm)
	}
}

func checkWritten(st *State, in *Inst) {
	if st.Checks == nil {
		return
	}
	lanes := uint64(0)
	for mask := st.Exec; mask != 0; mask &= mask - 1 {
		l := bits.TrailingZeros64(mask)
		if r := in.Src[0]; r.Kind == Vector && st.row(r, 0)[l] == 0 || r.Kind != Vector && st.word(r) == 0 {
			lanes |= 1 << l
		}
	}
	if lanes != 0 {
		st.Checks.ReadUnwritten(st, in, lanes)
	}
}

func maskSplit(st *State, in *Inst) {
	a := st.mask(in.Src[0])
	if in.Imm != 0 {
		a = ^a
	}
	st.S[in.Dst.Index] |= st.Exec &^ a
	st.Exec &= a
}

func maskPark(st *State, in *Inst) {
	st.S[in.Dst.Index] |= st.Exec
	st.Exec = 0
}

func maskJoin(st *State, in *Inst) {
	st.Exec |= st.mask(in.Src[0])
	st.S[in.Src[0].Index] = 0
}

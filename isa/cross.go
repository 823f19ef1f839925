package isa

import (
	"math/bits"

	"spvsim/spirv"
)

// Operations across lanes.
const (
	// Across the lanes of a wave. Only active lanes take part.
	Ballot         Op = endIdentity + iota // a Bool -> I64 mask of the active lanes in which a is true
	LaneOfMask                             // a I64 mask -> Bool: the bit of the own lane (inverse ballot)
	Elect                                  // Bool: true in the lowest active lane
	VoteAll                                // a Bool -> Bool
	VoteAny                                // a Bool -> Bool
	VoteAllEqual                           // a T -> Bool
	ReadLane                               // a of lane b (b uniform); 0 when b is outside the wave or inactive
	ReadFirstLane                          // a of the lowest active lane
	Shuffle                                // a of lane b (b differs by lane); 0 when outside or inactive
	QuadBroadcast                          // a of lane b (0..3) of the own quad
	QuadSwap                               // Imm: 0 horizontal, 1 vertical, 2 diagonal
	QuadAll                                // a Bool -> Bool, over the active lanes of the own quad
	QuadAny                                // a Bool -> Bool, over the active lanes of the own quad
	SwizzleQuad                            // a of the lane of the own quad that Imm gives, see QuadImm; 0 when inactive
	SwizzleMirror                          // SwizzleMasked that moves lanes as one DPP row operation does: xor 7, 8 or 15
	SwizzleEight                           // SwizzleMasked within eight lanes: DPP8 where the machine has it
	SwizzleSixteen                         // SwizzleMasked within sixteen lanes or across to the other sixteen: permlane where the machine has it
	SwizzleMasked                          // a of lane ((l & and) | or) ^ xor of the own 32 lanes, see MaskImm; 0 when inactive
	WriteLane                              // b in lane c (I32), a in the others
	Reduce                                 // Imm: GroupImm(operator, cluster size)
	InclusiveScan                          // Imm as Reduce
	ExclusiveScan                          // Imm as Reduce
	MaskedBitCount                         // bits of the I64 mask a below the own lane, plus b (I32): mbcnt
	// MatrixMulAdd is a product of matrices in the registers of a wave: Imm is a MatrixImm, the operands are in
	// Inst.Matrix. In the intermediate form the registers of A, of B and of C are the arguments, and those of D come
	// through Proj.
	MatrixMulAdd

	endCrossLane
)

var crossRows = []Row{
	{Ballot, "ballot", scalar, sig(OfI64, OfBool), ofWave | FlagScalarUnit | FlagSubgroup, nil, core(spirv.OpGroupNonUniformBallot, spirv.OpSubgroupBallotKHR)},
	{LaneOfMask, "lane_of_mask", scalar, sig(OfBool, OfI64), ident, nil, core(spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract)},
	{Elect, "elect", scalar, sig(OfBool), perLane | FlagSubgroup, nil, core(spirv.OpGroupNonUniformElect)},
	{VoteAll, "vote_all", scalar, vote, ofWave | FlagScalarUnit | FlagSubgroup, nil, core(spirv.OpGroupNonUniformAll, spirv.OpGroupAll, spirv.OpSubgroupAllKHR)},
	{VoteAny, "vote_any", scalar, vote, ofWave | FlagScalarUnit | FlagSubgroup, nil, core(spirv.OpGroupNonUniformAny, spirv.OpGroupAny, spirv.OpSubgroupAnyKHR)},
	{VoteAllEqual, "vote_all_equal", compair, question, ofWave | FlagSubgroup, nil, core(spirv.OpGroupNonUniformAllEqual, spirv.OpSubgroupAllEqualKHR)},
	{ReadLane, "read_lane", lane, laneIndexed, ofWave | FlagSubgroup, nil, core(spirv.OpGroupNonUniformBroadcast, spirv.OpGroupBroadcast, spirv.OpSubgroupReadInvocationKHR)},
	{ReadFirstLane, "read_first_lane", lane, unary, ofWave | FlagSubgroup, nil, core(spirv.OpGroupNonUniformBroadcastFirst, spirv.OpSubgroupFirstInvocationKHR)},
	{Shuffle, "shuffle", swizzle, laneIndexed, perLane | FlagSubgroup, nil, core(spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown, spirv.OpGroupNonUniformRotateKHR)},
	{QuadBroadcast, "quad_broadcast", dpp, laneIndexed, perLane, nil, core(spirv.OpGroupNonUniformQuadBroadcast)},
	{QuadSwap, "quad_swap", dpp, unary, perLane, nil, core(spirv.OpGroupNonUniformQuadSwap)},
	{QuadAll, "quad_all", scalar, vote, perLane, nil, core(spirv.OpGroupNonUniformQuadAllKHR)},
	{QuadAny, "quad_any", scalar, vote, perLane, nil, core(spirv.OpGroupNonUniformQuadAnyKHR)},
	{SwizzleQuad, "swizzle_quad", dpp, unary, perLane, nil, core(spirv.OpDPdx, spirv.OpDPdy).merge(specNote("SwizzleInvocationsAMD"))},
	{SwizzleMirror, "swizzle_mirror", dpp, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{SwizzleEight, "swizzle_eight", swizzle, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{SwizzleSixteen, "swizzle_sixteen", swizzle, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{SwizzleMasked, "swizzle_masked", swizzle, unary, perLane | FlagSubgroup, nil, specNote("SwizzleInvocationsMaskedAMD")},
	{WriteLane, "write_lane", sameClass(ClassWriteLane), sig(OfT, OfT, OfT, OfI32), ident, nil, specNote("WriteInvocationAMD")},
	{Reduce, "reduce", dpp, unary, ofWave | FlagSubgroup, nil, groupOperations(spirv.GroupOperationReduce)},
	{InclusiveScan, "inclusive_scan", dpp, unary, perLane | FlagSubgroup, nil, groupOperations(spirv.GroupOperationInclusiveScan)},
	{ExclusiveScan, "exclusive_scan", dpp, unary, perLane | FlagSubgroup, nil, groupOperations(spirv.GroupOperationExclusiveScan)},
	{MaskedBitCount, "masked_bitcount", vector, sig(OfI32, OfI64, OfI32), ident, nil, core(spirv.OpGroupNonUniformBallotBitCount)},

	{MatrixMulAdd, "matrix_mul_add", noClass, none, perLane, nil, core(spirv.OpCooperativeMatrixMulAddKHR)},
}

// Operations across lanes. Results may be uniform (a scalar word) or spread
// over the active lanes; sources may live anywhere.

// lanesOf returns the view of a source; a nonzero Bool literal is true in all lanes.
func (st *State) lanesOf(r Reg, t Type) view {
	v := st.viewOf(r, t)
	if t == Bool && r.Kind == Imm && r.Val != 0 {
		v.word = ^uint64(0)
	}
	return v
}

// firstLane returns the lowest active lane; 0 when there is none.
func (st *State) firstLane() int { return bits.TrailingZeros64(st.Exec) % 64 }

func toLanes(st *State, in *Inst) {
	st.setMask(in.Dst, -truth(st.word(in.Src[0]) != 0))
}

// activeTrue returns the mask of the active lanes in which the Bool source is true.
func activeTrue(st *State, in *Inst) uint64 {
	v := st.lanesOf(in.Src[0], Bool)
	return v.word & st.Exec
}

func ballot(st *State, in *Inst)  { st.writeUniform(in, activeTrue(st, in)) }
func voteAny(st *State, in *Inst) { st.writeUniform(in, truth(activeTrue(st, in) != 0)) }
func voteAll(st *State, in *Inst) { st.writeUniform(in, truth(activeTrue(st, in) == st.Exec)) }

func laneOfMask(st *State, in *Inst) {
	if in.Src[0].Kind != Vector {
		st.setMask(in.Dst, st.word(in.Src[0]))
		return
	}
	v, m := st.viewOf(in.Src[0], I64), uint64(0)
	for l := range st.Lanes {
		m |= v.lane(l) & (1 << l)
	}
	st.setMask(in.Dst, m)
}

func elect(st *State, in *Inst) { st.setMask(in.Dst, st.Exec&-st.Exec) }

func voteAllEqual(st *State, in *Inst) {
	v, equal := st.lanesOf(in.Src[0], in.T), Table[IEq].Meaning
	if in.T.IsFloat() {
		equal = Table[FOrdEq].Meaning
	}
	all, first := uint64(1), v.lane(st.firstLane())
	for rest := st.Exec; rest != 0; rest &= rest - 1 {
		all &= equal(in.T, 0, 0, first, v.lane(bits.TrailingZeros64(rest)), 0, 0)
	}
	st.writeUniform(in, all)
}

// active returns the value of v in the given lane, or 0 if that lane is outside the wave or inactive.
func (st *State) active(v *view, lane uint64) uint64 {
	if lane >= uint64(st.Lanes) || st.Exec>>lane&1 == 0 {
		return 0
	}
	return v.lane(int(lane))
}

func readLane(st *State, in *Inst) {
	v, at := st.lanesOf(in.Src[0], in.T), st.viewOf(in.Src[1], I32)
	st.writeUniform(in, st.active(&v, at.lane(st.firstLane())))
}

func readFirstLane(st *State, in *Inst) {
	v := st.lanesOf(in.Src[0], in.T)
	st.writeUniform(in, st.active(&v, uint64(st.firstLane())))
}

func shuffle(st *State, in *Inst) {
	at := st.viewOf(in.Src[1], I32)
	st.gather(in, func(l int) uint64 { return at.lane(l) })
}

func quadBroadcast(st *State, in *Inst) {
	at := st.viewOf(in.Src[1], I32)
	st.gather(in, func(l int) uint64 { return uint64(l&^3) | at.lane(l)&3 })
}

// quadSwap exchanges with the neighbour across (1), below (2) or diagonally (3).
func quadSwap(st *State, in *Inst) {
	st.gather(in, func(l int) uint64 { return uint64(l) ^ (in.Imm + 1) })
}

// gather copies to each active lane the value of the lane that from returns.
func (st *State) gather(in *Inst, from func(lane int) uint64) {
	var values [64]uint64
	v := st.lanesOf(in.Src[0], in.T)
	for rest := st.Exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		values[l] = st.active(&v, from(l))
	}
	st.scatter(in, &values)
}

// scatter writes a value to each active lane; a uniform result takes the lowest
// active lane's.
func (st *State) scatter(in *Inst, values *[64]uint64) {
	t := ResultType(in.Op, in.T, in.From)
	if in.Uniform || in.Dst.Kind == Scalar && t != Bool {
		st.S[in.Dst.Index] = values[st.firstLane()]
		return
	}
	out := st.sinkFor(in.Dst, t)
	for rest := st.Exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		out.set(l, values[l])
	}
	out.done(st, in.Dst)
}

// groupOps maps the group operators to the operations that combine two values.
var groupOps = [...]Op{
	GroupIAdd: IAdd, GroupIMul: IMul, GroupFAdd: FAdd, GroupFMul: FMul,
	GroupSMin: SMin, GroupUMin: UMin, GroupFMin: FMin, GroupSMax: SMax, GroupUMax: UMax, GroupFMax: FMax,
	GroupAnd: And, GroupOr: Or, GroupXor: Xor,
}

// Identity returns the identity of a group operator on type t, as in the specification of the group instructions.
func (g GroupOperator) Identity(t Type) uint64 {
	top := t.Mask() ^ t.Mask()>>1 // the sign bit
	switch g {
	case GroupIMul:
		return 1
	case GroupFMul:
		return FloatBits(t, 1)
	case GroupSMin:
		return t.Mask() >> 1
	case GroupSMax:
		return top
	case GroupUMin, GroupAnd:
		return t.Mask()
	case GroupFMin:
		return infinity(t)
	case GroupFMax:
		return infinity(t) | top
	}
	return 0
}

func infinity(t Type) uint64 {
	return [...]uint64{F16: 0x7c00, F32: 0x7f800000, F64: 0x7ff << 52, BF16: 0x7f80, E4M3: 0x7f, E5M2: 0x7c}[t]
}

// clusters calls each with the mask of active lanes of every cluster that has
// one, in ascending order.
func (st *State) clusters(size int, each func(lanes uint64)) {
	if size <= 0 || size > st.Lanes {
		size = st.Lanes
	}
	cluster := ^uint64(0) >> (64 - size)
	for at := 0; at < st.Lanes; at += size {
		if lanes := st.Exec & (cluster << at); lanes != 0 {
			each(lanes)
		}
	}
}

// fold runs through the active lanes of each cluster in ascending order. before
// and after are the running results without and with the lane's own value.
func (st *State) fold(in *Inst, keep func(lanes uint64, lane int, before, after uint64)) {
	g, size := SplitGroupImm(in.Imm)
	combine, identity := Table[groupOps[g]].Meaning, g.Identity(in.T)
	v := st.lanesOf(in.Src[0], in.T)
	st.clusters(size, func(lanes uint64) {
		sum, first := identity, true
		for rest := lanes; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest)
			before, x := sum, v.lane(l)
			if sum = x; !first {
				sum = combine(in.T, 0, 0, before, x, 0, 0)
			}
			first = false
			keep(lanes, l, before, sum)
		}
	})
}

func reduce(st *State, in *Inst) {
	var values [64]uint64
	st.fold(in, func(lanes uint64, l int, _, after uint64) {
		if lanes>>l != 1 { // not the last lane
			return
		}
		for rest := lanes; rest != 0; rest &= rest - 1 {
			values[bits.TrailingZeros64(rest)] = after
		}
	})
	st.scatter(in, &values)
}

func inclusiveScan(st *State, in *Inst) {
	var values [64]uint64
	st.fold(in, func(_ uint64, l int, _, after uint64) { values[l] = after })
	st.scatter(in, &values)
}

func exclusiveScan(st *State, in *Inst) {
	var values [64]uint64
	st.fold(in, func(_ uint64, l int, before, _ uint64) { values[l] = before })
	st.scatter(in, &values)
}

func maskedBitCount(st *State, in *Inst) {
	m, plus := st.viewOf(in.Src[0], I64), st.viewOf(in.Src[1], I32)
	var values [64]uint64
	for rest := st.Exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		below := m.lane(l) & (1<<l - 1)
		values[l] = uint64(uint32(bits.OnesCount64(below)) + uint32(plus.lane(l)))
	}
	st.scatter(in, &values)
}

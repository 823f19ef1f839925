package isa

import "math/bits"

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

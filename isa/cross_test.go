package isa

import (
	"math/rand/v2"
	"testing"
)

// The model of the operations across lanes: plain lists of lane values, lanes
// that take part, and what each of those receives. It shares nothing with the
// implementation but the encoding of floats.
type crossCase struct {
	t      Type
	lanes  int
	active []int            // ascending
	value  func(int) uint64 // of source a
	second func(int) uint64 // of source b
	third  func(int) uint64 // of source c
	imm    uint64
}

func (c *crossCase) isActive(lane uint64) bool {
	for _, l := range c.active {
		if uint64(l) == lane {
			return true
		}
	}
	return false
}

func (c *crossCase) from(lane uint64) uint64 {
	if c.isActive(lane) {
		return c.value(int(lane))
	}
	return 0
}

func (c *crossCase) count(want uint64) (n int) {
	for _, l := range c.active {
		if c.value(l) == want {
			n++
		}
	}
	return n
}

func (c *crossCase) allOrderedEqual() bool {
	first := FloatOf(c.t, c.value(c.active[0]))
	for _, l := range c.active {
		if FloatOf(c.t, c.value(l)) != first {
			return false
		}
	}
	return true
}

func (c *crossCase) combine(g GroupOperator, a, b uint64) uint64 {
	x, y := FloatOf(F64, a), FloatOf(F64, b)
	if c.t.IsFloat() {
		x, y = FloatOf(c.t, a), FloatOf(c.t, b)
	}
	wide := 64 - c.t.Bits()
	less := int64(a<<wide) < int64(b<<wide)
	pick := func(first bool) uint64 {
		if first {
			return a
		}
		return b
	}
	switch g {
	case GroupIAdd:
		return (a + b) & c.t.Mask()
	case GroupIMul:
		return (a * b) & c.t.Mask()
	case GroupFAdd:
		return FloatBits(c.t, x+y)
	case GroupFMul:
		return FloatBits(c.t, x*y)
	case GroupSMin:
		return pick(less)
	case GroupSMax:
		return pick(!less)
	case GroupUMin:
		return pick(a < b)
	case GroupUMax:
		return pick(a > b)
	case GroupFMin, GroupFMax:
		switch {
		case x == y && g == GroupFMin:
			return a | b // zeros of either sign
		case x == y:
			return a & b
		case g == GroupFMin:
			return pick(x < y || y != y)
		}
		return pick(x > y || y != y)
	case GroupAnd:
		return a & b
	case GroupOr:
		return a | b
	}
	return a ^ b
}

// identities by operator, for integers of 32 bits and floats of 32 bits, from
// the text of OpGroupNonUniform*.
var identities32 = map[GroupOperator]uint64{
	GroupIAdd: 0, GroupIMul: 1, GroupFAdd: 0, GroupFMul: 0x3f800000,
	GroupSMin: 0x7fffffff, GroupUMin: 0xffffffff, GroupFMin: 0x7f800000,
	GroupSMax: 0x80000000, GroupUMax: 0, GroupFMax: 0xff800000,
	GroupAnd: 0xffffffff, GroupOr: 0, GroupXor: 0,
}

func TestGroupIdentities(t *testing.T) {
	for g := GroupIAdd; g <= GroupXor; g++ {
		ty := I32
		if g == GroupFAdd || g == GroupFMul || g == GroupFMin || g == GroupFMax {
			ty = F32
		}
		if got := g.Identity(ty); got != identities32[g] {
			t.Errorf("%s: identity %#x, want %#x", g, got, identities32[g])
		}
	}
	if got := GroupSMax.Identity(I8); got != 0x80 {
		t.Errorf("smax.i8: identity %#x", got)
	}
	if got := GroupFMax.Identity(F16); got != 0xfc00 {
		t.Errorf("fmax.f16: identity %#x", got)
	}
	if got := GroupAnd.Identity(Bool); got != 1 {
		t.Errorf("and.bool: identity %#x", got)
	}
}

// Each identity leaves every value alone.
func TestGroupIdentitiesAreNeutral(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for g := GroupIAdd; g <= GroupXor; g++ {
		for _, ty := range groupTypes(g) {
			for range 50 {
				x := someBits(r, ty)
				if ty.IsFloat() && (FloatOf(ty, x) != FloatOf(ty, x) || x == 1<<(ty.Bits()-1)) {
					continue // NaN; -0 + 0 = 0
				}
				if got := Eval(groupOps[g], ty, ty, 0, g.Identity(ty), x); got != x {
					t.Errorf("%s.%s: identity with %#x gives %#x", g, ty, x, got)
				}
			}
		}
	}
}

func groupTypes(g GroupOperator) []Type {
	switch g {
	case GroupFAdd, GroupFMul, GroupFMin, GroupFMax:
		return []Type{F16, F32, F64}
	case GroupAnd, GroupOr, GroupXor:
		return []Type{Bool, I8, I16, I32, I64}
	}
	return []Type{I8, I16, I32, I64}
}

// group returns the value that lane l receives from a reduction or scan.
func (c *crossCase) group(op Op, l int) uint64 {
	g, cluster := SplitGroupImm(c.imm)
	if cluster == 0 {
		cluster = c.lanes
	}
	var list []uint64
	for _, a := range c.active {
		if a/cluster == l/cluster && (op == Reduce || a < l || op == InclusiveScan && a == l) {
			list = append(list, c.value(a))
		}
	}
	if len(list) == 0 {
		return g.Identity(c.t)
	}
	sum := list[0]
	for _, x := range list[1:] {
		sum = c.combine(g, sum, x)
	}
	return sum
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// crossModel returns the value that lane l receives, by operation.
var crossModel = map[Op]func(c *crossCase, l int) uint64{
	Ballot: func(c *crossCase, _ int) (m uint64) {
		for _, a := range c.active {
			m |= c.value(a) << a
		}
		return m
	},
	LaneOfMask: func(c *crossCase, l int) uint64 { return c.value(l) >> l & 1 },
	Elect:      func(c *crossCase, l int) uint64 { return flag(l == c.active[0]) },
	VoteAll:    func(c *crossCase, _ int) uint64 { return flag(c.count(1) == len(c.active)) },
	VoteAny:    func(c *crossCase, _ int) uint64 { return flag(c.count(1) > 0) },
	VoteAllEqual: func(c *crossCase, _ int) uint64 {
		if c.t.IsFloat() { // "an ordered-and-equal compare is used"
			return flag(c.allOrderedEqual())
		}
		return flag(c.count(c.value(c.active[0])) == len(c.active))
	},
	ReadLane:      func(c *crossCase, _ int) uint64 { return c.from(c.second(0)) },
	ReadFirstLane: func(c *crossCase, _ int) uint64 { return c.value(c.active[0]) },
	Shuffle:       func(c *crossCase, l int) uint64 { return c.from(c.second(l)) },
	QuadBroadcast: func(c *crossCase, l int) uint64 { return c.from(uint64(l/4*4) + c.second(l)%4) },
	QuadSwap: func(c *crossCase, l int) uint64 {
		with := [3][4]int{{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}[c.imm]
		return c.from(uint64(l/4*4 + with[l%4]))
	},
	// "true if predicate evaluates to true for all active invocations in the quad"
	QuadAll: func(c *crossCase, l int) uint64 { n, of := c.quad(l); return flag(n == of) },
	// "true if predicate evaluates to true for any active invocation in the quad"
	QuadAny:        func(c *crossCase, l int) uint64 { n, _ := c.quad(l); return flag(n > 0) },
	SwizzleQuad:    swizzledQuad,
	SwizzleMirror:  swizzledMasked,
	SwizzleEight:   swizzledMasked,
	SwizzleSixteen: swizzledMasked,
	SwizzleMasked:  swizzledMasked,
	// "out[i] = (i == invocationIndex) ? writeValue : inputValue"
	WriteLane: func(c *crossCase, l int) uint64 {
		if uint64(l) == c.third(l) {
			return c.second(l)
		}
		return c.value(l)
	},
	Reduce:        func(c *crossCase, l int) uint64 { return c.group(Reduce, l) },
	InclusiveScan: func(c *crossCase, l int) uint64 { return c.group(InclusiveScan, l) },
	ExclusiveScan: func(c *crossCase, l int) uint64 { return c.group(ExclusiveScan, l) },
	MaskedBitCount: func(c *crossCase, l int) uint64 {
		n := c.second(l)
		for below := range l {
			n += c.value(l) >> below & 1
		}
		return n & 0xffffffff
	},
	ToLanes: func(c *crossCase, _ int) uint64 { return c.value(0) },
}

// quad counts the active lanes of l's quad in which the value is 1, and the active ones.
func (c *crossCase) quad(l int) (n, of int) {
	for _, a := range c.active {
		if a/4 == l/4 {
			n, of = n+int(c.value(a)), of+1
		}
	}
	return n, of
}

// swizzledQuad returns the loop of SwizzleInvocationsAMD: for each group of four
// consecutive invocations from i, "dataOut[i+0] = isActive[i+offset.x] ?
// dataIn[i+offset.x] : 0" and so on. The offsets stand in the immediate, two
// bits each.
func swizzledQuad(c *crossCase, l int) uint64 {
	offset := [4]uint64{c.imm % 4, c.imm / 4 % 4, c.imm / 16 % 4, c.imm / 64 % 4}
	i := l - l%4
	return c.from(uint64(i) + offset[l%4])
}

// swizzledMasked returns the loop of SwizzleInvocationsMaskedAMD:
// "j = (((i & 0x1f) & mask.x) | mask.y) ^ mask.z; j |= (i & 0x20);
// dataOut[i] = isActive[j] ? dataIn[j] : 0". The masks stand in the immediate,
// five bits each.
func swizzledMasked(c *crossCase, i int) uint64 {
	x, y, z := int(c.imm%32), int(c.imm/32%32), int(c.imm/1024)
	j := (((i & 0x1f) & x) | y) ^ z
	j |= i & 0x20
	return c.from(uint64(j))
}

// laneValues reads an operand's lanes from a copy of the registers.
func laneValues(st *State, reg Reg, t Type, uniform bool) func(int) uint64 {
	var list [64]uint64
	if reg.Kind != None {
		for l := range st.Lanes {
			list[l] = get(st, reg, t, l, uniform)
		}
	}
	return func(l int) uint64 { return list[l] }
}

func crossTypes(op Op) []Type {
	switch op {
	case Ballot, LaneOfMask, MaskedBitCount:
		return []Type{I64}
	case Elect, VoteAll, VoteAny, ToLanes, QuadAll, QuadAny:
		return []Type{Bool}
	}
	return []Type{Bool, I8, I16, I32, I64, F16, F32, F64}
}

func crossImms(r *rand.Rand, op Op, t Type) []uint64 {
	switch op {
	case QuadSwap:
		return []uint64{0, 1, 2}
	case SwizzleQuad:
		return []uint64{0, 0xe4, 0x1b, r.Uint64N(256), r.Uint64N(256)}
	case SwizzleMirror, SwizzleEight, SwizzleSixteen, SwizzleMasked:
		return []uint64{0x1f, 0x1f | 31<<10, r.Uint64N(1 << 15), r.Uint64N(1 << 15), r.Uint64N(1 << 15)}
	case Reduce, InclusiveScan, ExclusiveScan:
		var imms []uint64
		for g := GroupIAdd; g <= GroupXor; g++ {
			for _, ty := range groupTypes(g) {
				if ty == t {
					imms = append(imms, GroupImm(g, 0), GroupImm(g, 1<<r.IntN(6)))
				}
			}
		}
		return imms
	}
	return []uint64{0}
}

func TestCrossLaneOperationsFollowTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for op := Ballot; op <= MaskedBitCount; op++ {
		if crossModel[op] == nil {
			t.Errorf("%s: no model", op)
			continue
		}
		for _, ty := range crossTypes(op) {
			for _, imm := range crossImms(r, op, ty) {
				for range 25 {
					checkCross(t, r, op, ty, imm)
				}
			}
		}
	}
	for range 50 {
		checkCross(t, r, ToLanes, Bool, 0)
	}
}

// Every operation under every sort of mask, at both wave sizes: full, none, each
// of some single lanes, every other lane, whole quads, random.
func TestCrossLaneOperationsUnderEveryMask(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, lanes := range []int{32, 64} {
		masks := []uint64{^uint64(0), 0, 1, 1 << 5, 1 << 31, 1 << (lanes - 1), 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0xf00f0ff00f0ff00f, r.Uint64(), r.Uint64() & r.Uint64()}
		for op := Ballot; op <= MaskedBitCount; op++ {
			for _, ty := range crossTypes(op) {
				for _, imm := range crossImms(r, op, ty) {
					for _, mask := range masks {
						st := filledState(r, lanes)
						st.Exec = mask & st.Full
						checkCrossOn(t, r, st, op, ty, imm)
					}
				}
			}
		}
	}
}

func checkCross(t *testing.T, r *rand.Rand, op Op, ty Type, imm uint64) {
	t.Helper()
	checkCrossOn(t, r, someState(r), op, ty, imm)
}

func checkCrossOn(t *testing.T, r *rand.Rand, st *State, op Op, ty Type, imm uint64) {
	t.Helper()
	in := &Inst{Op: op, T: ty, Imm: imm, Uniform: op.Has(FlagUniform) && r.IntN(2) == 0}
	if _, cluster := SplitGroupImm(imm); op == Reduce && cluster != 0 {
		in.Uniform = false
	}
	kinds := []RegKind{Vector, Vector, Scalar, Imm}
	for k := range NumSources(op) {
		src := SourceType(op, k, ty, Void)
		kind := kinds[r.IntN(len(kinds))]
		if op == ToLanes || op == ReadLane && k == 1 {
			kind = kinds[2+r.IntN(2)]
		}
		in.Src[k] = place(r, st, src, k, kind, op == ToLanes)
		if src == I32 && kind == Vector && r.IntN(2) == 0 {
			nearLanes(r, st, in.Src[k])
		}
	}
	result := ResultType(op, ty, Void)
	in.Dst = V(8)
	if in.Uniform || result == Bool {
		in.Dst = S(6)
	}
	if in.Src[0].Kind == Vector && in.Dst.Kind == Vector && r.IntN(3) == 0 && SourceType(op, 0, ty, Void) == result {
		in.Dst = in.Src[0]
	}
	want := crossWant(st, in, result)
	Resolve(in)
	in.Exec(st, in)
	if err := diff(st, want, in); err != nil {
		t.Fatalf("%s (uniform %v, exec %#x): %v", Disasm(in), in.Uniform, want.Exec, err)
	}
}

// nearLanes makes a row of lane numbers, some just outside the wave.
func nearLanes(r *rand.Rand, st *State, reg Reg) {
	for l := range st.Lanes {
		st.V[int(reg.Index)*st.Lanes+l] = r.Uint32N(uint32(st.Lanes) + 4)
	}
}

func crossWant(st *State, in *Inst, result Type) *State {
	c := &crossCase{
		t: in.T, lanes: st.Lanes, imm: in.Imm,
		value:  laneValues(st, in.Src[0], SourceType(in.Op, 0, in.T, Void), in.Op == ToLanes),
		second: laneValues(st, in.Src[1], SourceType(in.Op, 1, in.T, Void), false),
		third:  laneValues(st, in.Src[2], SourceType(in.Op, 2, in.T, Void), false),
	}
	want := clone(st)
	for l := range st.Lanes {
		if st.Exec>>l&1 != 0 {
			c.active = append(c.active, l)
		}
	}
	if in.Uniform {
		put(want, in.Dst, result, 0, true, c.uniform(in.Op))
		return want
	}
	for _, l := range c.active {
		put(want, in.Dst, result, l, false, crossModel[in.Op](c, l))
	}
	return want
}

// uniform returns the result of the whole wave; with no active lane, that of the
// empty set.
func (c *crossCase) uniform(op Op) uint64 {
	if len(c.active) == 0 {
		return flag(op == VoteAll || op == VoteAllEqual)
	}
	return crossModel[op](c, c.active[0])
}

package isa

import "golang.org/x/sys/cpu"

// wideRows reports whether the processor has the instructions of wide_amd64.s.
var wideRows = cpu.X86.HasAVX2 && cpu.X86.HasFMA

func addF32(d, a, b *uint32, lanes, stepA, stepB int)
func subF32(d, a, b *uint32, lanes, stepA, stepB int)
func mulF32(d, a, b *uint32, lanes, stepA, stepB int)
func addI(d, a, b *uint32, lanes, stepA, stepB int)
func subI(d, a, b *uint32, lanes, stepA, stepB int)
func mulI(d, a, b *uint32, lanes, stepA, stepB int)
func andI(d, a, b *uint32, lanes, stepA, stepB int)
func orI(d, a, b *uint32, lanes, stepA, stepB int)
func xorI(d, a, b *uint32, lanes, stepA, stepB int)
func minU(d, a, b *uint32, lanes, stepA, stepB int)
func maxU(d, a, b *uint32, lanes, stepA, stepB int)
func minS(d, a, b *uint32, lanes, stepA, stepB int)
func maxS(d, a, b *uint32, lanes, stepA, stepB int)
func shlI(d, a, b *uint32, lanes, stepA, stepB int)
func shrI(d, a, b *uint32, lanes, stepA, stepB int)
func sarI(d, a, b *uint32, lanes, stepA, stepB int)

func equalI(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
func aboveS(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
func aboveU(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
func equalF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
func alikeF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
func belowF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)
func atMostF(_, a, b *uint32, lanes, stepA, stepB int) (mask uint64)

func fmaF32(d, a, b, c *uint32, lanes, stepA, stepB, stepC int)
func madI(d, a, b, c *uint32, lanes, stepA, stepB, stepC int)
func shlAddI(d, a, b, c *uint32, lanes, stepA, stepB, stepC int)

// rcpF32 and sqrtF32 round once, as 32-bit quotients and roots of doubles that are
// rounded do; rsqF32 rounds a double.
func rcpF32(d, a *uint32, lanes, stepA int)
func sqrtF32(d, a *uint32, lanes, stepA int)
func rsqF32(d, a *uint32, lanes, stepA int)

// selectBits takes a lane from a where its bit is set, else from b.
//
//go:noescape
func selectBits(d, a, b *uint32, lanes, stepA, stepB int, mask uint64)

// mergeBits copies the lanes whose bit is set.
//
//go:noescape
func mergeBits(d, s *uint32, lanes int, mask uint64)

// fillI sets all lanes to one value.
//
//go:noescape
func fillI(d *uint32, lanes int, x uint32)

// unaryRows, binaryRows, testRows and ternaryRows hold the operations with wide instructions.
var unaryRows = map[loopKey]func(d, a *uint32, lanes, stepA int){
	{Rcp, F32, Void}: rcpF32, {Sqrt, F32, Void}: sqrtF32, {Rsq, F32, Void}: rsqF32,
}

var binaryRows = map[loopKey]func(d, a, b *uint32, lanes, stepA, stepB int){
	{FAdd, F32, Void}: addF32, {FSub, F32, Void}: subF32, {FMul, F32, Void}: mulF32,
	{IAdd, I32, Void}: addI, {ISub, I32, Void}: subI, {IMul, I32, Void}: mulI,
	{And, I32, Void}: andI, {Or, I32, Void}: orI, {Xor, I32, Void}: xorI,
	{UMin, I32, Void}: minU, {UMax, I32, Void}: maxU, {SMin, I32, Void}: minS, {SMax, I32, Void}: maxS,
	{Shl, I32, Void}: shlI, {Shr, I32, Void}: shrI, {Sar, I32, Void}: sarI,
}

// A rowTest compares rows; not: the other lanes are meant; swap: the second with the first.
type rowTest struct {
	compare   func(_, a, b *uint32, lanes, stepA, stepB int) uint64
	not, swap bool
}

var testRows32 = map[loopKey]rowTest{
	{IEq, I32, Void}: {compare: equalI}, {INe, I32, Void}: {compare: equalI, not: true},
	{SLt, I32, Void}: {compare: aboveS, swap: true}, {SLe, I32, Void}: {compare: aboveS, not: true},
	{ULt, I32, Void}: {compare: aboveU, swap: true}, {ULe, I32, Void}: {compare: aboveU, not: true},
	{FOrdEq, F32, Void}: {compare: equalF}, {FUnordNe, F32, Void}: {compare: equalF, not: true},
	{FUnordEq, F32, Void}: {compare: alikeF}, {FOrdNe, F32, Void}: {compare: alikeF, not: true},
	{FOrdLt, F32, Void}: {compare: belowF}, {FUnordLe, F32, Void}: {compare: belowF, not: true, swap: true},
	{FOrdLe, F32, Void}: {compare: atMostF}, {FUnordLt, F32, Void}: {compare: atMostF, not: true, swap: true},
}

var ternaryRows = map[loopKey]func(d, a, b, c *uint32, lanes, stepA, stepB, stepC int){
	{Fma, F32, Void}: fmaF32, {IMad, I32, Void}: madI, {LshlAdd, I32, Void}: shlAddI,
}

// resolveRows finds the wide form of an instruction; nil when it has none, or
// when all its sources are the same in all lanes.
func resolveRows(key loopKey, in *Inst) func(*State, *Inst) {
	if !wideRows || in.scalarSources() == 1<<NumSources(in.Op)-1 {
		return nil
	}
	if f := resolveTrig(key); f != nil {
		return f
	}
	if f := unaryRows[key]; f != nil {
		return func(st *State, in *Inst) {
			d := st.target(in)
			a, stepA := st.operand(in.Src[0], 0)
			f(&d[0], a, len(d), stepA)
			st.merge(in, d)
		}
	}
	if f := binaryRows[key]; f != nil {
		return func(st *State, in *Inst) {
			d := st.target(in)
			a, stepA := st.operand(in.Src[0], 0)
			b, stepB := st.operand(in.Src[1], 1)
			f(&d[0], a, b, len(d), stepA, stepB)
			st.merge(in, d)
		}
	}
	if f := ternaryRows[key]; f != nil {
		return func(st *State, in *Inst) {
			d := st.target(in)
			a, stepA := st.operand(in.Src[0], 0)
			b, stepB := st.operand(in.Src[1], 1)
			c, stepC := st.operand(in.Src[2], 2)
			f(&d[0], a, b, c, len(d), stepA, stepB, stepC)
			st.merge(in, d)
		}
	}
	if test, ok := testRows32[key]; ok {
		return test.exec()
	}
	return nil
}

func (t rowTest) exec() func(*State, *Inst) {
	first, second, all := 0, 1, uint64(0)
	if t.swap {
		first, second = second, first
	}
	if t.not {
		all = ^all
	}
	return func(st *State, in *Inst) {
		a, stepA := st.operand(in.Src[first], 0)
		b, stepB := st.operand(in.Src[second], 1)
		st.setMask(in.Dst, (t.compare(nil, a, b, st.Lanes, stepA, stepB)^all)&st.Full)
	}
}

// operand returns the first lane of a 32-bit source, and the distance in bytes from eight lanes to the next: 32, or 0
// for one value, which is stored eight times in scratch row k.
func (st *State) operand(r Reg, k int) (*uint32, int) {
	if r.Kind == Vector {
		return &st.V[int(r.Index)*st.Lanes], 32
	}
	x := uint32(st.word(r))
	row := (*[8]uint32)(st.Tmp[k])
	*row = [8]uint32{x, x, x, x, x, x, x, x}
	return &row[0], 0
}

// fillRow sets all lanes to one value.
func fillRow(d []uint32, x uint32) {
	if !wideRows || len(d)%8 != 0 || len(d) == 0 {
		fillRowGo(d, x)
		return
	}
	fillI(&d[0], len(d), x)
}

// mergeRow copies the lanes of s whose bit is set.
func mergeRow(d, s []uint32, lanes uint64) {
	if !wideRows || len(s)%8 != 0 {
		mergeRowGo(d, s, lanes)
		return
	}
	mergeBits(&d[:len(s)][0], &s[0], len(s), lanes)
}

// chooseRow takes a lane from a where its bit is set, else from b.
func chooseRow(d, a, b []uint32, lanes uint64) {
	if !wideRows || len(d)%8 != 0 {
		chooseRowGo(d, a, b, lanes)
		return
	}
	selectBits(&d[0], &a[:len(d)][0], &b[:len(d)][0], len(d), 32, 32, lanes)
}

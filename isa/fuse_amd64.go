package isa

import (
	"slices"
	"unsafe"
)

//go:generate sh -c "cd avo && go run ."

// kernelOf is the kernel of an operation on rows.
var kernelOf = map[loopKey]kernel{
	{Mov, I32, Void}: kernelMov, {Mov, F32, Void}: kernelMov,
	{FAdd, F32, Void}: kernelFAdd, {FSub, F32, Void}: kernelFSub, {FMul, F32, Void}: kernelFMul,
	{IAdd, I32, Void}: kernelIAdd, {ISub, I32, Void}: kernelISub, {IMul, I32, Void}: kernelIMul,
	{And, I32, Void}: kernelAnd, {Or, I32, Void}: kernelOr, {Xor, I32, Void}: kernelXor,
	{UMin, I32, Void}: kernelUMin, {UMax, I32, Void}: kernelUMax, {SMin, I32, Void}: kernelSMin, {SMax, I32, Void}: kernelSMax,
	{Shl, I32, Void}: kernelShl, {Shr, I32, Void}: kernelShr, {Sar, I32, Void}: kernelSar,
	{Fma, F32, Void}: kernelFma, {IMad, I32, Void}: kernelIMad, {LshlAdd, I32, Void}: kernelLshlAdd,
	{Sqrt, F32, Void}: kernelSqrt, {Rcp, F32, Void}: kernelRcp, {Rsq, F32, Void}: kernelRsq,
	{UMulHi, I32, Void}: kernelUMulHi, {IAdd3, I32, Void}: kernelIAdd3, {LshlOr, I32, Void}: kernelLshlOr,
	{SToF, F32, I32}: kernelSToF, {UToF, F32, I32}: kernelUToF,
}

// A testKernel compares rows; not: the other lanes are meant; swap: the second with the first.
type testKernel struct {
	at        kernel
	not, swap bool
}

var testOf = map[loopKey]testKernel{
	{IEq, I32, Void}: {at: kernelEqual}, {INe, I32, Void}: {at: kernelEqual, not: true},
	{SLt, I32, Void}: {at: kernelAbove, swap: true}, {SLe, I32, Void}: {at: kernelAbove, not: true},
	{ULt, I32, Void}: {at: kernelAboveU, swap: true}, {ULe, I32, Void}: {at: kernelAboveU, not: true},
	{FOrdEq, F32, Void}: {at: kernelEqualF}, {FUnordNe, F32, Void}: {at: kernelEqualF, not: true},
	{FUnordEq, F32, Void}: {at: kernelAlikeF}, {FOrdNe, F32, Void}: {at: kernelAlikeF, not: true},
	{FOrdLt, F32, Void}: {at: kernelBelowF}, {FUnordLe, F32, Void}: {at: kernelBelowF, not: true, swap: true},
	{FOrdLe, F32, Void}: {at: kernelAtMostF}, {FUnordLt, F32, Void}: {at: kernelAtMostF, not: true, swap: true},
}

// wordOf is the kernel of an operation on 32-bit scalars, and
// maskOf that of one on lane masks.
var wordOf = map[Op]kernel{
	IAdd: kernelWordIAdd, ISub: kernelWordISub, IMul: kernelWordIMul, And: kernelWordAnd, Or: kernelWordOr, Shl: kernelWordShl, Shr: kernelWordShr,
	IEq: kernelWordIEq, INe: kernelWordINe, ULt: kernelWordULt, SLt: kernelWordSLt, Mov: kernelWordMov,
}

var maskOf = map[Op]kernel{
	And: kernelMaskAnd, Or: kernelMaskOr, Xor: kernelMaskXor, INe: kernelMaskXor, Not: kernelMaskNot, Mov: kernelMaskMov, IEq: kernelMaskIEq, Select: kernelMaskSelect, ToLanes: kernelMaskToLanes,
}

// wholeOf is the kernel of which all sources are rows, by the one of which they need not be.
var wholeOf = map[kernel]kernel{
	kernelMov:  kernelWholeMov,
	kernelFAdd: kernelWholeFAdd,
	kernelFSub: kernelWholeFSub,
	kernelFMul: kernelWholeFMul,
	kernelIAdd: kernelWholeIAdd,
	kernelISub: kernelWholeISub,
	kernelIMul: kernelWholeIMul,
	kernelAnd:  kernelWholeAnd,
	kernelOr:   kernelWholeOr,
	kernelXor:  kernelWholeXor,
	kernelFma:  kernelWholeFma,
}

// A rowStep is one operation. Of one on rows, d, a, b and c are offsets in bytes
// from the vector file, and the steps how far it is from eight lanes of a source
// to the next. Of a scalar source or result the offset is one from the scalar
// registers, and its step is not 0; where it is 0, the offset is the literal itself. runSteps knows its fields.
type rowStep struct {
	kernel              uintptr
	d, a, b, c          int32
	stepA, stepB, stepC int32
	kind                int32
}

// Kinds of steps, by what their operands are.
const (
	stepWhole = iota // rows, all of the vector file
	stepRows
	stepSpread // the scalar a to eight lanes at d
	stepSelect // from rows b and c by the mask a
	stepWord   // scalars
	stepMask   // lane masks, of which the active lanes are written
	stepTest   // rows a and b to a lane mask, whose lanes are turned by c
	stepMerge  // active lanes of row d stay, others come from row c
	stepFill   // to all lanes of rows from d on, stepB bytes of local memory at the sum of the scalars a and c, and b
	stepAgain  // goes back by b bytes, over stepB steps, if c says whether the scalar a is not 0, and the steps may be carried out once more
)

// runSteps carries out steps in turn, and says how many are left: it leaves off at one that fills rows with what is outside of the size
// bytes of local memory. Steps that end with one that goes back are carried out up to times times; more is how often they still may be.
//
//go:noescape
func runSteps(v *uint32, s *uint64, exec uint64, steps *rowStep, n, lanes int, local *byte, size, times int) (left, more int)

// A Fuser turns instructions that follow each other, and which nothing comes
// between, into one step: operations on whole rows and on scalars, one after the other without
// a look around. Values that are the same in all lanes are put after the vector file: literals once, others by each step.
//
// Where lanes are idle, the rows that are written are put there before as well,
// and what the steps did to idle lanes is taken back: no lane sees another one.
type Fuser struct {
	lanes    int
	literals []uint32 // after the vector file
	behind   int      // where these end, in bytes
	values   int      // spread so far
	spread   []spreadValue
	saved    []rowStep // of each row that is written
	steps    []rowStep
	insts    []*Inst
	fills    []Fill
	tail     int // bytes after the vector file
}

// A spreadValue is where a value is that is the same in all lanes.
type spreadValue struct {
	at, from, step int32
}

// NewFuser makes one for waves of so many lanes. The vector file of their states has more than its rows: Tail says what.
func NewFuser(lanes, rows int) *Fuser {
	return &Fuser{lanes: lanes, behind: 4*lanes*rows + literalBytes}
}

const (
	valueBytes   = 32 // of a value for eight lanes
	literalBytes = fuseLiterals * valueBytes
)

// Add takes an instruction in, after those before it; it is false where it can't.
func (f *Fuser) Add(in *Inst) bool {
	if !f.Wide() {
		return false
	}
	before := *f
	for half := in; half != nil; half = half.Second {
		if !f.add(half) {
			*f = before
			return false
		}
	}
	f.insts = append(f.insts, in)
	return true
}

func (f *Fuser) add(in *Inst) bool {
	n := NumSources(in.Op)
	if f.values+n+3 > fuseValues || in.Mod.Clamp { // a sign may be a value as well
		return false
	}
	switch {
	case in.Dst.Kind == Scalar:
		return f.addScalar(in)
	case in.Dst.Kind != Vector || in.Uniform || len(f.saved) == fuseRows || in.Op != Mov && in.Op != Select && in.scalarSources() == 1<<n-1:
		return false
	case in.Op == Select && (in.T == I32 || in.T == F32):
		return f.addSelect(in)
	}
	k, ok := kernelOf[in.loopKey()]
	if !ok {
		return false
	}
	s := rowStep{kernel: kernels[k], d: f.row(in.Dst), kind: stepRows}
	f.rowSources(in, &s)
	if at, ok := wholeOf[k]; ok && s.whole(n) {
		s.kernel, s.kind = kernels[at], stepWhole
	}
	f.write(s)
	return true
}

// whole says that the n sources are rows.
func (s *rowStep) whole(n int) bool {
	return s.stepA == 32 && (n < 2 || s.stepB == 32) && (n < 3 || s.stepC == 32)
}

// rowSources puts where the sources of an instruction on rows are.
func (f *Fuser) rowSources(in *Inst, s *rowStep) {
	for i, to := range []struct{ at, step *int32 }{{&s.a, &s.stepA}, {&s.b, &s.stepB}, {&s.c, &s.stepC}}[:NumSources(in.Op)] {
		if *to.at = f.source(in.Src[i]); in.Src[i].Kind == Vector {
			*to.step = 32
		}
		if (in.Mod.Neg|in.Mod.Abs)>>i&1 != 0 {
			*to.at, *to.step = f.signed(in, i, *to.at, *to.step), 32
		}
	}
}

// signed is the row of a source with the sign that its modifiers give it: one
// that no value lives in.
func (f *Fuser) signed(in *Inst, i int, at, step int32) int32 {
	const sign = 1 << 31
	k, bits := kernelXor, Lit(sign)
	switch {
	case in.Mod.Neg&in.Mod.Abs>>i&1 != 0:
		k = kernelOr
	case in.Mod.Abs>>i&1 != 0:
		k, bits = kernelAnd, Lit(sign-1)
	}
	s := rowStep{kernel: kernels[k], d: f.row(V(int(in.Spare) + i)), a: at, stepA: step, b: f.source(bits), kind: stepRows}
	f.steps = append(f.steps, s)
	return s.d
}

func (f *Fuser) addSelect(in *Inst) bool {
	s := rowStep{kernel: kernels[kernelSelect], d: f.row(in.Dst), kind: stepSelect}
	if in.Mod.Any() || !fits(in.Src[0]) {
		return false
	}
	s.a, s.stepA = scalarAt(in.Src[0])
	for i, to := range []struct{ at, step *int32 }{{&s.b, &s.stepB}, {&s.c, &s.stepC}} {
		if *to.at = f.source(in.Src[i+1]); in.Src[i+1].Kind == Vector {
			*to.step = 32
		}
	}
	f.write(s)
	return true
}

// write puts a step after the others that writes a row.
func (f *Fuser) write(s rowStep) {
	f.steps = append(f.steps, s)
	f.save(s.d)
}

// save keeps what a row was before.
func (f *Fuser) save(row int32) {
	for i := range f.saved {
		if f.saved[i].a == row {
			return
		}
	}
	f.saved = append(f.saved, rowStep{kernel: kernels[wholeOf[kernelMov]], a: row}) // where to, Take says
}

// AddFill takes a load in as Add does an instruction.
func (f *Fuser) AddFill(l Fill) bool {
	m := l.In.Mem
	if !f.Wide() || len(f.saved)+int(m.Count) > fuseRows {
		return false
	}
	s := rowStep{kernel: uintptr(len(f.fills)), b: int32(m.Offset), stepB: 4 * int32(m.Count), kind: stepFill}
	s.a, s.stepA = scalarAt(m.Base)
	s.c, s.stepC = scalarAt(l.Index)
	for k := range int(m.Count) {
		f.save(f.row(l.row(k)))
	}
	s.d = f.row(l.row(0))
	f.steps, f.fills = append(f.steps, s), append(f.fills, l)
	return true
}

// Tail is what the steps so far need after the rows of a vector file: literals that they read, and words that they write first.
func (f *Fuser) Tail() []uint32 {
	list := make([]uint32, f.tail/4)
	for i, x := range f.literals[:min(len(f.literals), len(list)/8)] {
		fillRow(list[8*i:][:8], x)
	}
	return list
}

// Rows is how many rows those write that were taken in since the last Take.
func (f *Fuser) Rows() int { return len(f.saved) }

// Wide says that it takes instructions in.
func (f *Fuser) Wide() bool { return wideRows && f.lanes%32 == 0 }

// addScalar takes an instruction in that writes a scalar register.
func (f *Fuser) addScalar(in *Inst) bool {
	if in.Mod.Any() && !f.isTest(in) {
		return false
	}
	switch {
	case in.Uniform:
		return f.addWord(in)
	case f.isTest(in):
		return f.addTest(in)
	}
	k, ok := maskOf[in.Op]
	return ok && in.T == Bool && f.addScalars(in, k, stepMask)
}

func (f *Fuser) addWord(in *Inst) bool {
	k, ok := wordOf[in.Op]
	if in.T == F32 {
		ok = in.Op == Mov
	}
	return ok && (in.T == I32 || in.T == F32) && f.addScalars(in, k, stepWord)
}

// addScalars takes an instruction in whose sources and result are scalars.
func (f *Fuser) addScalars(in *Inst, k kernel, kind int32) bool {
	s := rowStep{kernel: kernels[k], d: 8 * int32(in.Dst.Index), kind: kind}
	for i, to := range []struct{ at, step *int32 }{{&s.a, &s.stepA}, {&s.b, &s.stepB}, {&s.c, &s.stepC}}[:NumSources(in.Op)] {
		if in.Src[i].Kind == Vector || kind == stepMask && !fits(in.Src[i]) {
			return false
		}
		*to.at, *to.step = scalarAt(in.Src[i])
	}
	f.writeScalar(s)
	return true
}

func (f *Fuser) isTest(in *Inst) bool {
	_, ok := testOf[in.loopKey()]
	return ok && !in.Uniform
}

func (f *Fuser) addTest(in *Inst) bool {
	if in.scalarSources() == 3 {
		return false
	}
	t := testOf[in.loopKey()]
	s := rowStep{kernel: kernels[t.at], d: 8 * int32(in.Dst.Index), kind: stepTest}
	f.rowSources(in, &s)
	if t.swap {
		s.a, s.stepA, s.b, s.stepB = s.b, s.stepB, s.a, s.stepA
	}
	if t.not {
		s.c = -1
	}
	f.writeScalar(s)
	return true
}

// writeScalar puts a step after the others that writes a scalar register: what was spread of it is old.
func (f *Fuser) writeScalar(s rowStep) {
	f.steps = append(f.steps, s)
	kept := make([]spreadValue, 0, len(f.spread))
	for _, v := range f.spread {
		if v.step == 0 || v.from != s.d {
			kept = append(kept, v)
		}
	}
	f.spread = kept
}

// fits says that a scalar is a register, or a literal that its low half says all of.
func fits(r Reg) bool { return r.Kind == Scalar || int64(r.Val) == int64(int32(r.Val)) }

// scalarAt is where a scalar is, or the literal, and the step that says which.
func scalarAt(r Reg) (at, step int32) {
	if r.Kind == Scalar {
		return 8 * int32(r.Index), 8
	}
	return int32(uint32(r.Val)), 0
}

func (f *Fuser) row(r Reg) int32 { return int32(4 * f.lanes * int(r.Index)) }

// source is where the lanes of a source are.
func (f *Fuser) source(r Reg) int32 {
	if r.Kind == Vector {
		return f.row(r)
	}
	v := spreadValue{at: int32(f.behind + valueBytes*f.values)}
	if v.from, v.step = scalarAt(r); v.step == 0 {
		if i := f.literal(uint32(v.from)); i >= 0 {
			return int32(f.behind - literalBytes + valueBytes*i)
		}
	}
	for _, old := range f.spread {
		if old.from == v.from && old.step == v.step {
			return old.at
		}
	}
	f.values++
	f.spread = append(f.spread, v)
	f.steps = append(f.steps, rowStep{d: v.at, a: v.from, stepA: v.step, kind: stepSpread})
	return v.at
}

// literal is the place of a literal among those after the vector file; -1: there are too many.
func (f *Fuser) literal(x uint32) int {
	at := slices.Index(f.literals, x)
	if at < 0 && len(f.literals) < fuseLiterals {
		at = len(f.literals)
		f.literals = append(f.literals, x)
	}
	return at
}

// Take is what carries out all that were taken in since the last Take; nil if none were.
func (f *Fuser) Take() func(*State, *Inst) {
	if len(f.steps) == 0 && len(f.insts) == 0 {
		return nil
	}
	if len(f.saved) == 0 && !slices.ContainsFunc(f.steps, func(s rowStep) bool { return s.kind == stepTest }) {
		insts := f.insts
		f.forget()
		return eachInTurn(insts)
	}
	r := f.fusion()
	if len(r.fills) > 0 {
		return func(st *State, _ *Inst) { r.run(st, 0) }
	}
	steps, masked, need := r.steps, r.masked, r.need
	return func(st *State, _ *Inst) {
		list := steps
		if st.Exec != st.Full {
			list = masked
		}
		v := st.V[:need]
		runSteps(&v[0], first(st.S), st.Exec, &list[0], len(list), st.Lanes, nil, 0, 0)
	}
}

// TakeLoop is Take of at least one row's steps that are carried out again where a scalar register is not 0, or where it is, up to most
// times in all. It says how often they were.
func (f *Fuser) TakeLoop(register Reg, again bool) func(st *State, most int) (times int) {
	r := f.fusion()
	r.steps, r.masked = looped(r.steps, register, again), looped(r.masked, register, again)
	if len(r.fills) > 0 {
		return r.run
	}
	steps, masked, need := r.steps, r.masked, r.need
	return func(st *State, most int) int {
		list := steps
		if st.Exec != st.Full {
			list = masked
		}
		v := st.V[:need]
		_, more := runSteps(&v[0], first(st.S), st.Exec, &list[0], len(list), st.Lanes, nil, 0, most)
		return most - more
	}
}

func looped(list []rowStep, register Reg, again bool) []rowStep {
	s := rowStep{a: 8 * int32(register.Index), b: int32(len(list)) * int32(unsafe.Sizeof(rowStep{})), stepB: int32(len(list)), kind: stepAgain}
	if again {
		s.c = 1
	}
	return append(list, s)
}

// A fusion is steps that are carried out together.
type fusion struct {
	steps, masked []rowStep // masked: where lanes are idle
	need          int       // words of the vector file
	fills         []Fill
}

// fusion is all that was taken in.
func (f *Fuser) fusion() *fusion {
	defer f.forget()
	end := f.behind + valueBytes*f.values
	for i := range f.saved {
		f.saved[i].d = int32(end)
		end += 4 * f.lanes
	}
	f.tail = max(f.tail, end-f.behind+literalBytes)
	masked := slices.Concat(f.saved, f.steps)
	for i := range f.saved {
		s := &f.saved[i]
		masked = append(masked, rowStep{kernel: kernels[kernelSelect], d: s.a, b: s.a, stepB: 32, c: s.d, stepC: 32, kind: stepMerge})
	}
	return &fusion{f.steps, masked, end / 4, f.fills}
}

func (f *Fuser) forget() {
	f.values, f.spread, f.saved, f.steps, f.insts, f.fills = 0, nil, nil, nil, nil, nil
}

// run carries out the steps, and again where they say so, up to most times. Loads that leave local memory are carried out as instructions.
func (r *fusion) run(st *State, most int) (times int) {
	all, v, more := r.steps, st.V[:r.need], most
	if st.Exec != st.Full {
		all = r.masked
	}
	var local []byte
	if len(r.fills) > 0 {
		local = st.Local.Bytes
	}
	for list := all; len(list) > 0; {
		left := 0
		left, more = runSteps(&v[0], first(st.S), st.Exec, &list[0], len(list), st.Lanes, first(local), len(local), more)
		if list = all[len(all)-left:]; left > 0 {
			r.fills[list[0].kernel].do(st)
			list = list[1:]
		}
	}
	return most - more
}

// eachInTurn carries out instructions that are not worth more than a call each.
func eachInTurn(insts []*Inst) func(*State, *Inst) {
	if len(insts) == 1 {
		exec, only := insts[0].Exec, insts[0]
		return func(st *State, _ *Inst) { exec(st, only) }
	}
	return func(st *State, _ *Inst) {
		for _, in := range insts {
			in.Exec(st, in)
		}
	}
}

// first is where scalar registers or local memory begin; a program may have none.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

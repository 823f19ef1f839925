package isa

import "slices"

//go:generate sh -c "cd avo && go run ."

// kernelOf maps operations on rows to kernels.
var kernelOf = map[loopKey]kernel{
	{Mov, I32, Void}: kernelMov, {Mov, F32, Void}: kernelMov,
	{FAdd, F32, Void}: kernelFAdd, {FSub, F32, Void}: kernelFSub, {FMul, F32, Void}: kernelFMul,
	{IAdd, I32, Void}: kernelIAdd, {ISub, I32, Void}: kernelISub, {IMul, I32, Void}: kernelIMul,
	{And, I32, Void}: kernelAnd, {Or, I32, Void}: kernelOr, {Xor, I32, Void}: kernelXor,
	{UMin, I32, Void}: kernelUMin, {UMax, I32, Void}: kernelUMax, {SMin, I32, Void}: kernelSMin, {SMax, I32, Void}: kernelSMax,
	{Shl, I32, Void}: kernelShl, {Shr, I32, Void}: kernelShr, {Sar, I32, Void}: kernelSar,
	{Fma, F32, Void}: kernelFma, {IMad, I32, Void}: kernelIMad, {LshlAdd, I32, Void}: kernelLshlAdd,
	{Sqrt, F32, Void}: kernelSqrt, {Rcp, F32, Void}: kernelRcp, {Rsq, F32, Void}: kernelRsq,
	{UMulHi, I32, Void}: kernelUMulHi, {IAdd3, I32, Void}: kernelIAdd3, {LshlOr, I32, Void}: kernelLshlOr, {AddLshl, I32, Void}: kernelAddLshl,
	{SToF, F32, I32}: kernelSToF, {UToF, F32, I32}: kernelUToF,
	{IAdd, I64, Void}: kernelDoubleIAdd, {ISub, I64, Void}: kernelDoubleISub, {IMul, I64, Void}: kernelDoubleIMul,
	{Shl, I64, Void}: kernelDoubleShl, {Shr, I64, Void}: kernelDoubleShr, {Sar, I64, Void}: kernelDoubleSar,
}

// halvesOf maps operations on 64-bit values to the kernel that computes each half of the result from those of the sources.
var halvesOf = map[loopKey]kernel{
	{Mov, I64, Void}: kernelMov, {Mov, F64, Void}: kernelMov, {Select, I64, Void}: kernelSelect, {Select, F64, Void}: kernelSelect,
	{And, I64, Void}: kernelAnd, {Or, I64, Void}: kernelOr, {Xor, I64, Void}: kernelXor,
}

// A testKernel compares rows; not: the other lanes are meant; swap: the second with the first.
type testKernel struct {
	kernel    kernel
	not, swap bool
}

var testOf = map[loopKey]testKernel{
	{IEq, I32, Void}: {kernel: kernelEqual}, {INe, I32, Void}: {kernel: kernelEqual, not: true},
	{SLt, I32, Void}: {kernel: kernelAbove, swap: true}, {SLe, I32, Void}: {kernel: kernelAbove, not: true},
	{ULt, I32, Void}: {kernel: kernelAboveU, swap: true}, {ULe, I32, Void}: {kernel: kernelAboveU, not: true},
	{FOrdEq, F32, Void}: {kernel: kernelEqualF}, {FUnordNe, F32, Void}: {kernel: kernelEqualF, not: true},
	{FUnordEq, F32, Void}: {kernel: kernelAlikeF}, {FOrdNe, F32, Void}: {kernel: kernelAlikeF, not: true},
	{FOrdLt, F32, Void}: {kernel: kernelBelowF}, {FUnordLe, F32, Void}: {kernel: kernelBelowF, not: true, swap: true},
	{FOrdLe, F32, Void}: {kernel: kernelAtMostF}, {FUnordLt, F32, Void}: {kernel: kernelAtMostF, not: true, swap: true},
	{IEq, I64, Void}: {kernel: kernelDoubleEqual}, {INe, I64, Void}: {kernel: kernelDoubleEqual, not: true},
	{SLt, I64, Void}: {kernel: kernelDoubleAbove, swap: true}, {SLe, I64, Void}: {kernel: kernelDoubleAbove, not: true},
	{ULt, I64, Void}: {kernel: kernelDoubleAboveU, swap: true}, {ULe, I64, Void}: {kernel: kernelDoubleAboveU, not: true},
}

// longOf maps operations on 64-bit scalars to kernels, wordOf those on 32-bit ones, and maskOf those on lane masks.
var longOf = map[loopKey]kernel{
	{IAdd, I64, Void}: kernelLongIAdd, {ISub, I64, Void}: kernelLongISub, {IMul, I64, Void}: kernelLongIMul,
	{And, I64, Void}: kernelLongAnd, {Or, I64, Void}: kernelLongOr, {Xor, I64, Void}: kernelLongXor,
	{Shl, I64, Void}: kernelLongShl, {Shr, I64, Void}: kernelLongShr, {Sar, I64, Void}: kernelLongSar,
	{Mov, I64, Void}: kernelLongMov, {Mov, F64, Void}: kernelLongMov, {UConvert, I64, I32}: kernelLongMov, {SConvert, I64, I32}: kernelLongSConvert,
}

var wordOf = map[Op]kernel{
	IAdd: kernelWordIAdd, ISub: kernelWordISub, IMul: kernelWordIMul, And: kernelWordAnd, Or: kernelWordOr, Shl: kernelWordShl, Shr: kernelWordShr,
	IEq: kernelWordIEq, INe: kernelWordINe, ULt: kernelWordULt, SLt: kernelWordSLt, Mov: kernelWordMov,
}

var maskOf = map[Op]kernel{
	And: kernelMaskAnd, Or: kernelMaskOr, Xor: kernelMaskXor, INe: kernelMaskXor, Not: kernelMaskNot, Mov: kernelMaskMov, IEq: kernelMaskIEq, Select: kernelMaskSelect, ToLanes: kernelMaskToLanes,
}

// A rowStep is one operation. For operations on rows, d, a, b and c are byte offsets from the vector file; a source
// that is the same in all lanes is stored for eight of them, and the kernel's form depends on that. For a scalar source
// or result, the offset is from the scalar registers, or it is the literal itself. Steps end with one of kernelEnd. The
// kernels access the fields.
type rowStep struct {
	kernel     uintptr
	d, a, b, c int32
	scalars    uint32 // a bit for each source that is a scalar register, for kernels that take both these and literals
	bytes      int32  // number of bytes to fill
	fill       int32  // the load of that fill
	number     int32  // the flow's step that it belongs to
}

// A form selects the variant of a kernel: a bit for each source that is the same in all lanes or, for scalar kernels,
// is a literal.
type form int

func (k kernel) in(f form) uintptr { return kernels[int(k)+int(f)] }

// A stepRun is the state that steps work on, besides registers. The kernels access its fields.
type stepRun struct {
	exec  uint64
	left  *rowStep // the step at which they were left
	local *byte
	size  int // of local memory, in bytes
}

// runSteps carries out steps in turn.
//
//go:noescape
func runSteps(v *uint32, s *uint64, lanes int, steps *rowStep, r *stepRun)

// A Fuser turns consecutive instructions, which nothing enters in between, into one step: operations on whole rows and
// on scalars, executed without dispatch between them. Values that are the same in all lanes are stored after the vector
// file: literals once, others by each step.
//
// If lanes are idle, the rows that are written are first saved there, and the idle lanes restored afterwards: no lane
// sees another one.
type Fuser struct {
	lanes       int
	literals    []uint32 // after the vector file
	literalsEnd int      // end of these, in bytes
	values      int      // number of spread values so far
	splats      []splatValue
	saved       []rowStep // copies of the rows that are written
	steps       []rowStep
	last        int32 // one more than the row that the last of them leaves in registers; 0: none
	fills       []Fill
	tail        int // bytes after the vector file
}

// A splatValue records where a value is stored that is the same in all lanes.
type splatValue struct {
	offset, from int32
	literal      bool
}

// NewFuser returns a Fuser for waves of the given number of lanes. The vector file of their states is longer than its
// rows: see Tail.
func NewFuser(lanes, rows int) *Fuser {
	return &Fuser{lanes: lanes, literalsEnd: 4*lanes*rows + literalBytes}
}

const (
	valueBytes   = 32 // of a value for eight lanes
	literalBytes = fuseLiterals * valueBytes
)

// Add appends an instruction, or returns false if it can't.
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
		return !in.Mod.Any() && fits(in.Src[0]) && f.addSelect(in, f.row(in.Dst), 0)
	case in.T.Rows() == 2 || in.loopKey() == loopKey{UConvert, I32, I64}:
		return len(f.saved)+2 <= fuseRows && !in.Mod.Any() && f.addDouble(in)
	}
	k, ok := kernelOf[in.loopKey()]
	if !ok {
		return false
	}
	s := rowStep{d: f.row(in.Dst)}
	which := f.rowSources(in, &s)
	if k < kernelUnchained && n > 1 && f.lanes == 32 {
		which = f.chained(&s, n, which)
	}
	s.kernel = k.in(which)
	f.write(s)
	if k == kernelRsq {
		f.last = 0
	}
	return true
}

// addDouble adds an operation with a result or sources of 64 bits.
func (f *Fuser) addDouble(in *Inst) bool {
	key := in.loopKey()
	if k, ok := kernelOf[key]; ok {
		s := rowStep{d: f.row(in.Dst)}
		s.kernel = k.in(f.rowSources(in, &s))
		f.write(s)
		f.save(s.d + f.rowBytes())
		f.last = 0
		return true
	}
	if k, ok := halvesOf[key]; ok {
		return (k != kernelSelect || fits(in.Src[0])) && f.addHalves(in, k)
	}
	return (in.Op == UConvert || in.Op == SConvert) && (in.From == I32 || in.From == I64) && f.addConversion(in)
}

// addConversion adds a conversion between integers of 32 and 64 bits.
func (f *Fuser) addConversion(in *Inst) bool {
	f.addStep(kernelMov, f.row(in.Dst), 0, in.Src[0])
	switch high := f.row(in.Dst) + f.rowBytes(); {
	case in.T == I32:
	case in.Op == SConvert:
		f.addStep(kernelSar, high, 0, in.Src[0], Lit(31))
	default:
		f.addStep(kernelMov, high, 0, Lit(0))
	}
	return true
}

// addHalves adds an operation on 64-bit values that is one on their low words and one on their high words. Neither may overwrite a source of the
// other before it is read.
func (f *Fuser) addHalves(in *Inst, k kernel) bool {
	first, sources := 0, in.Src[:NumSources(in.Op)]
	overwrites := func(r Reg) bool { return r.Kind == Vector && int(r.Index)+1-first == int(in.Dst.Index)+first }
	if slices.ContainsFunc(sources, overwrites) {
		if first = 1; slices.ContainsFunc(sources, overwrites) {
			return false
		}
	}
	for _, half := range []int{first, 1 - first} {
		d := f.row(in.Dst) + int32(half)*f.rowBytes()
		if k == kernelSelect {
			f.addSelect(in, d, half)
		} else {
			f.addStep(k, d, half, sources...)
		}
	}
	return true
}

// addStep adds a step on the low (half 0) or high words of its sources.
func (f *Fuser) addStep(k kernel, d int32, half int, sources ...Reg) {
	s, which := rowStep{d: d}, form(0)
	for i, at := range s.sourceFields()[:len(sources)] {
		if *at = f.source(sources[i], half); sources[i].Kind != Vector {
			which |= 1 << i
		}
	}
	s.kernel = k.in(which)
	f.write(s)
}

// chained returns the form of a step with n sources if one of them is the previous step's result, which is still in
// registers.
func (f *Fuser) chained(s *rowStep, n int, values form) form {
	var last, others form // bits of the sources that are; of the others, those that are values
	at := -1
	for i, from := range s.sourceFields()[:n] {
		value := values >> i & 1
		if value == 0 && *from == f.last-1 {
			if last |= 1 << i; at < 0 {
				at = i
				continue
			}
		}
		if at >= 0 {
			i--
		}
		others |= value << i
	}
	switch {
	case at < 0:
		return values
	case last == 3 && n == 2:
		at, others = 2, 0
	}
	return form(1<<n-1) + form(at)<<(n-1) + others
}

// sourceFields returns the sources' offsets.
func (s *rowStep) sourceFields() []*int32 { return []*int32{&s.a, &s.b, &s.c} }

// rowSources puts where the sources of an instruction on rows are.
func (f *Fuser) rowSources(in *Inst, s *rowStep) (which form) {
	for i, at := range s.sourceFields()[:NumSources(in.Op)] {
		if in.T.Rows() == 1 || i == 1 && (in.Op == Shl || in.Op == Shr || in.Op == Sar) { // the low words are the distance
			*at = f.source(in.Src[i], 0)
		} else {
			*at = f.double(in.Src[i])
		}
		spread := form(0)
		if in.Src[i].Kind != Vector {
			spread = 1
		}
		if (in.Mod.Neg|in.Mod.Abs)>>i&1 != 0 {
			*at, spread = f.signed(in, i, *at, spread), 0
		}
		which |= spread << i
	}
	return which
}

// signed returns the row of a source with its sign modifiers applied, in which no value lives.
func (f *Fuser) signed(in *Inst, i int, at int32, spread form) int32 {
	const sign = 1 << 31
	k, bits := kernelXor, Lit(sign)
	switch {
	case in.Mod.Neg&in.Mod.Abs>>i&1 != 0:
		k = kernelOr
	case in.Mod.Abs>>i&1 != 0:
		k, bits = kernelAnd, Lit(sign-1)
	}
	s := rowStep{d: f.row(V(int(in.ModRow) + i)), a: at, b: f.source(bits, 0)}
	if spread != 0 { // all lanes of the row are written first
		f.steps = append(f.steps, rowStep{kernel: kernelMov.in(1), d: s.d, a: at})
		s.a = s.d
	}
	s.kernel = k.in(2)
	f.steps, f.last = append(f.steps, s), s.d+1
	return s.d
}

// addSelect adds a selection that writes row d, from the low (half 0) or high words of its sources.
func (f *Fuser) addSelect(in *Inst, d int32, half int) bool {
	s, which := rowStep{d: d}, form(0)
	s.scalar(0, in.Src[0])
	for i, at := range s.sourceFields()[1:] {
		if *at = f.source(in.Src[i+1], half); in.Src[i+1].Kind != Vector {
			which |= 1 << i
		}
	}
	s.kernel = kernelSelect.in(which)
	f.write(s)
	return true
}

// write puts a step after the others that writes a row.
func (f *Fuser) write(s rowStep) {
	f.steps, f.last = append(f.steps, s), s.d+1
	f.save(s.d)
}

// save saves the contents of a row.
func (f *Fuser) save(row int32) {
	for i := range f.saved {
		if f.saved[i].a == row {
			return
		}
	}
	f.saved = append(f.saved, rowStep{kernel: kernelMov.in(0), a: row}) // fused sets the destination
}

// AddFill takes a load in as Add does an instruction.
func (f *Fuser) AddFill(l Fill) bool {
	m := l.In.Mem
	if !f.Wide() || len(f.saved)+int(m.Count) > fuseRows {
		return false
	}
	s := rowStep{kernel: kernelFill.in(0), b: int32(m.Offset), bytes: 4 * int32(m.Count), fill: int32(len(f.fills))}
	s.scalar(0, m.Base)
	s.scalar(2, l.Index)
	for k := range int(m.Count) {
		f.save(f.row(l.row(k)))
	}
	s.d = f.row(l.row(0))
	f.steps, f.fills, f.last = append(f.steps, s), append(f.fills, l), 0
	return true
}

// Tail returns the words that the steps so far need after the rows of a vector file: literals, and words that they
// write before they read them.
func (f *Fuser) Tail() []uint32 {
	list := make([]uint32, f.tail/4)
	for i, x := range f.literals[:min(len(f.literals), len(list)/8)] {
		fillRow(list[8*i:][:8], x)
	}
	return list
}

// Rows returns the number of rows that the steps since the last Build write.
func (f *Fuser) Rows() int { return len(f.saved) }

// Wide reports whether it takes instructions.
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
	return ok && in.T == Bool && f.addLong(in, k)
}

func (f *Fuser) addWord(in *Inst) bool {
	if k, ok := longOf[in.loopKey()]; ok {
		return f.addLong(in, k)
	}
	k, ok := wordOf[in.Op]
	switch {
	case in.loopKey() == loopKey{UConvert, I32, I64}:
		k, ok = kernelWordMov, true
	case in.T == F32:
		ok = in.Op == Mov
	}
	if !ok || in.T != I32 && in.T != F32 {
		return false
	}
	s := rowStep{d: 8 * int32(in.Dst.Index)}
	literals := form(0)
	for i, r := range in.Src[:NumSources(in.Op)] {
		if r.Kind == Vector {
			return false
		}
		if s.scalar(i, r); r.Kind != Scalar {
			literals |= 1 << i
		}
	}
	s.kernel = k.in(literals)
	f.writeScalar(s)
	return true
}

// addLong adds an operation on lane masks or 64-bit scalars.
func (f *Fuser) addLong(in *Inst, k kernel) bool {
	s := rowStep{kernel: k.in(0), d: 8 * int32(in.Dst.Index)}
	for i, r := range in.Src[:NumSources(in.Op)] {
		if r.Kind == Vector || !fits(r) {
			return false
		}
		s.scalar(i, r)
	}
	f.writeScalar(s)
	return true
}

// scalar sets the offset of a scalar source.
func (s *rowStep) scalar(i int, r Reg) {
	at, literal := scalarAt(r)
	*s.sourceFields()[i] = at
	if !literal {
		s.scalars |= 1 << i
	}
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
	s := rowStep{d: 8 * int32(in.Dst.Index)}
	which := f.rowSources(in, &s)
	if t.swap {
		s.a, s.b, which = s.b, s.a, which>>1|which<<1&2
	}
	s.kernel = t.kernel.in(which)
	if t.not {
		s.c = -1
	}
	f.last = 0
	f.writeScalar(s)
	return true
}

// writeScalar appends a step that writes a scalar register, and drops the register's spread values.
func (f *Fuser) writeScalar(s rowStep) {
	f.steps = append(f.steps, s)
	kept := make([]splatValue, 0, len(f.splats))
	for _, v := range f.splats {
		if v.literal || v.from&^4 != s.d {
			kept = append(kept, v)
		}
	}
	f.splats = kept
}

// fits reports whether a scalar is a register, or a literal that 32 bits hold.
func fits(r Reg) bool { return r.Kind == Scalar || int64(r.Val) == int64(int32(r.Val)) }

// scalarAt returns the offset of a scalar register, or the literal.
func scalarAt(r Reg) (at int32, literal bool) {
	if r.Kind == Scalar {
		return 8 * int32(r.Index), false
	}
	return int32(uint32(r.Val)), true
}

func (f *Fuser) row(r Reg) int32 { return int32(r.Index) * f.rowBytes() }

func (f *Fuser) rowBytes() int32 { return int32(4 * f.lanes) }

// source returns the offset of the lanes of a source's low (half 0) or high words.
func (f *Fuser) source(r Reg, half int) int32 {
	if r.Kind == Vector {
		return f.row(r) + int32(half)*f.rowBytes()
	}
	v := wordOfScalar(r, half)
	if v.literal {
		if i := f.literal(uint32(v.from)); i >= 0 {
			return int32(f.literalsEnd - literalBytes + valueBytes*i)
		}
	}
	if i := slices.IndexFunc(f.splats, v.equals); i >= 0 {
		return f.splats[i].offset
	}
	return f.spread(v)
}

// double returns the offset of the lanes of a 64-bit source's low words, which those of its high words follow.
func (f *Fuser) double(r Reg) int32 {
	if r.Kind == Vector {
		return f.row(r)
	}
	low, high := wordOfScalar(r, 0), wordOfScalar(r, 1)
	for i := range max(len(f.splats)-1, 0) {
		if s := f.splats[i:]; s[0].equals(low) && s[1].equals(high) && s[1].offset == s[0].offset+valueBytes {
			return s[0].offset
		}
	}
	at := f.spread(low)
	f.spread(high)
	return at
}

// wordOfScalar returns the low (half 0) or high word of a scalar register or a literal.
func wordOfScalar(r Reg, half int) splatValue {
	from, literal := scalarAt(r)
	if literal {
		return splatValue{from: int32(uint32(r.Val >> (32 * half))), literal: true}
	}
	return splatValue{from: from + 4*int32(half)}
}

func (v splatValue) equals(o splatValue) bool { return v.from == o.from && v.literal == o.literal }

// spread adds the step that stores a value for eight lanes.
func (f *Fuser) spread(v splatValue) int32 {
	v.offset = int32(f.literalsEnd + valueBytes*f.values)
	f.values++
	f.splats = append(f.splats, v)
	s := rowStep{kernel: kernelSpread.in(0), d: v.offset, a: v.from}
	if v.literal {
		s.kernel = kernelSpread.in(1)
	}
	f.steps = append(f.steps, s)
	return v.offset
}

// literal returns the index of a literal among those after the vector file; -1: there are too many.
func (f *Fuser) literal(x uint32) int {
	at := slices.Index(f.literals, x)
	if at < 0 && len(f.literals) < fuseLiterals {
		at = len(f.literals)
		f.literals = append(f.literals, x)
	}
	return at
}

// Build returns the function that executes the instructions added since the last Build; nil if there are none.
func (f *Fuser) Build() func(*State, *Inst) {
	r := f.fused()
	if r == nil {
		return nil
	}
	end := rowStep{kernel: kernelEnd.in(0)}
	steps, masked, need := &append(r.steps, end)[0], &append(r.masked, end)[0], r.vectorWords
	return func(st *State, _ *Inst) {
		first := steps
		if st.Exec != st.Full {
			first = masked
		}
		runSteps(&st.V[:need][0], firstOf(st.S), st.Lanes, first, &stepRun{exec: st.Exec})
	}
}

// A fusion is a list of steps that execute together.
type fusion struct {
	steps, masked []rowStep // masked: for waves with idle lanes
	vectorWords   int       // words of the vector file
	fills         []Fill
}

// fused returns the steps added since the last call; nil if there are none.
func (f *Fuser) fused() *fusion {
	if len(f.steps) == 0 {
		return nil
	}
	defer f.reset()
	end := f.literalsEnd + valueBytes*f.values
	for i := range f.saved {
		f.saved[i].d = int32(end)
		end += 4 * f.lanes
	}
	f.tail = max(f.tail, end-f.literalsEnd+literalBytes)
	masked := slices.Concat(f.saved, f.steps)
	for _, s := range f.saved {
		masked = append(masked, rowStep{kernel: kernelMerge.in(0), d: s.a, b: s.a, c: s.d})
	}
	return &fusion{f.steps, masked, end / 4, f.fills}
}

func (f *Fuser) reset() {
	f.values, f.splats, f.saved, f.steps, f.fills, f.last = 0, nil, nil, nil, nil, 0
}

// firstOf returns a pointer to the first scalar register or byte of local memory; nil if the program has none.
func firstOf[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

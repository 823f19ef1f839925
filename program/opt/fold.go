package opt

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/program/ir"
)

// fold evaluates constant operations and replaces operations by cheaper ones with the same result. Floating-point
// results keep every bit, except the payload of a NaN.
func fold(f *ir.Func, o Options) bool {
	s := &folder{f: f, o: o, pool: newPool(f), names: newRenaming(f)}
	g := newGraph(f)
	for _, b := range g.Blocks {
		s.block(b)
	}
	changed := s.names.apply(f) || s.changed
	s.pool.flush()
	return foldConditions(f) || changed
}

// A folder rewrites the values of a block into out.
type folder struct {
	f       *ir.Func
	o       Options
	pool    *pool
	names   *renaming
	out     []*ir.Value
	current *ir.Value // the value being folded: new values are inserted at its position
	changed bool
}

func (s *folder) block(b *ir.Block) {
	s.out = make([]*ir.Value, 0, len(b.Code)+8)
	for _, v := range b.Code {
		s.names.args(v)
		s.current = v
		w := s.simplify(v)
		if w == v {
			s.out = append(s.out, v)
		} else {
			s.names.set(v, w)
			s.changed = true
		}
	}
	b.Code = s.out
}

// simplify returns a simpler value equal to v, or v.
func (s *folder) simplify(v *ir.Value) *ir.Value {
	if literal(v) {
		return v
	}
	if w := s.evaluate(v); w != nil {
		return w
	}
	if v.Op.Has(isa.FlagCommutes) && v.Mem == nil && v.Args[0].Op == isa.Const && v.Args[1].Op != isa.Const {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
	}
	if rule := rules[v.Op]; rule != nil {
		if w := rule(s, v); w != nil {
			return w
		}
	}
	return v
}

// evaluate computes v when all its arguments are constants.
func (s *folder) evaluate(v *ir.Value) *ir.Value {
	if !foldable(v) || len(v.Args) == 0 {
		return nil
	}
	var args [4]uint64
	for i, a := range v.Args {
		if a.Op != isa.Const {
			return nil
		}
		args[i] = a.Imm
	}
	return s.pool.constant(v.R, isa.Eval(v.Op, v.T, v.From, v.Imm, args[:len(v.Args)]...))
}

// emit adds an operation in front of the value being folded, simplified itself.
func (s *folder) emit(op isa.Op, t isa.Type, args ...*ir.Value) *ir.Value {
	v := s.f.NewValue(op, t, isa.ResultType(op, t, t), args...)
	v.Block, v.Origin, v.NoContract = s.current.Block, s.current.Origin, s.current.NoContract
	w := s.simplify(v)
	if w == v {
		s.out = append(s.out, v)
	}
	return w
}

func (s *folder) constant(t isa.Type, bits uint64) *ir.Value { return s.pool.constant(t, bits) }

// A rule returns a value equal to v, or nil.
type rule func(s *folder, v *ir.Value) *ir.Value

// rules is filled by init, because rules call simplify, which reads it.
var rules [isa.NumOps]rule

func init() {
	for _, table := range []map[isa.Op]rule{integerRules, divisionRules, bitRules, floatRules, truthRules, moveRules, waveRules} {
		for op, r := range table {
			rules[op] = r
		}
	}
}

var integerRules = map[isa.Op]rule{
	isa.IAdd: foldAdd, isa.ISub: foldSub, isa.IMul: foldMul, isa.INeg: involution,
	isa.UMin: foldExtreme, isa.UMax: foldExtreme, isa.SMin: foldExtreme, isa.SMax: foldExtreme,
}

func foldAdd(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case isConst(y, 0):
		return x
	case y.Op == isa.Const && x.Op == isa.IAdd && x.Args[1].Op == isa.Const:
		return s.emit(isa.IAdd, v.T, x.Args[0], s.constant(v.T, x.Args[1].Imm+y.Imm))
	case y.Op == isa.INeg:
		return s.emit(isa.ISub, v.T, x, y.Args[0])
	case x.Op == isa.INeg:
		return s.emit(isa.ISub, v.T, y, x.Args[0])
	}
	return nil
}

func foldSub(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case x == y:
		return s.constant(v.T, 0)
	case y.Op == isa.Const:
		return s.emit(isa.IAdd, v.T, x, s.constant(v.T, -y.Imm))
	case isConst(x, 0):
		return s.emit(isa.INeg, v.T, y)
	}
	return nil
}

func foldMul(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	if y.Op != isa.Const {
		return nil
	}
	switch {
	case y.Imm == 0:
		return y
	case y.Imm == 1:
		return x
	case y.Imm == v.T.Mask():
		return s.emit(isa.INeg, v.T, x)
	case bits.OnesCount64(y.Imm) == 1:
		return s.emit(isa.Shl, v.T, x, s.constant(v.T, uint64(bits.TrailingZeros64(y.Imm))))
	case x.Op == isa.IMul && x.Args[1].Op == isa.Const:
		return s.emit(isa.IMul, v.T, x.Args[0], s.constant(v.T, x.Args[1].Imm*y.Imm))
	case x.Op == isa.Shl && x.Args[1].Op == isa.Const:
		factor := y.Imm << (x.Args[1].Imm % uint64(v.T.Bits()))
		return s.emit(isa.IMul, v.T, x.Args[0], s.constant(v.T, factor))
	}
	return nil
}

// involution removes an operation that is its own inverse.
func involution(_ *folder, v *ir.Value) *ir.Value {
	if x := v.Args[0]; x.Op == v.Op && x.T == v.T {
		return x.Args[0]
	}
	return nil
}

// foldExtreme deals with minima and maxima of one value, and with the least and
// the greatest number of the type.
func foldExtreme(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	if x == y {
		return x
	}
	least, greatest := uint64(0), v.T.Mask()
	if v.Op == isa.SMin || v.Op == isa.SMax {
		least, greatest = 1<<(v.T.Bits()-1), v.T.Mask()>>1
	}
	if v.Op == isa.UMax || v.Op == isa.SMax {
		least, greatest = greatest, least
	}
	switch {
	case isConst(y, least):
		return y
	case isConst(y, greatest):
		return x
	}
	return nil
}

var bitRules = map[isa.Op]rule{
	isa.And: foldAnd, isa.Or: foldOr, isa.Xor: foldXor, isa.Not: involution,
	isa.Shl: foldShift, isa.Shr: foldShift, isa.Sar: foldShift,
}

func foldAnd(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case x == y, isConst(y, v.T.Mask()):
		return x
	case isConst(y, 0):
		return y
	case y.Op == isa.Const && x.Op == isa.And && x.Args[1].Op == isa.Const:
		return s.emit(isa.And, v.T, x.Args[0], s.constant(v.T, x.Args[1].Imm&y.Imm))
	}
	return nil
}

func foldOr(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case x == y, isConst(y, 0):
		return x
	case isConst(y, v.T.Mask()):
		return y
	case y.Op == isa.Const && x.Op == isa.Or && x.Args[1].Op == isa.Const:
		return s.emit(isa.Or, v.T, x.Args[0], s.constant(v.T, x.Args[1].Imm|y.Imm))
	}
	return nil
}

func foldXor(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case x == y:
		return s.constant(v.T, 0)
	case isConst(y, 0):
		return x
	case isConst(y, v.T.Mask()):
		return s.emit(isa.Not, v.T, x)
	}
	return nil
}

// foldShift deals with constant amounts; two shifts of one kind become one.
func foldShift(s *folder, v *ir.Value) *ir.Value {
	x, y := v.Args[0], v.Args[1]
	if isConst(x, 0) {
		return x
	}
	if y.Op != isa.Const {
		return nil
	}
	width := uint64(v.T.Bits())
	n := y.Imm % width
	if n == 0 {
		return x
	}
	if x.T != v.T || len(x.Args) != 2 || x.Args[1].Op != isa.Const {
		return nil
	}
	m := x.Args[1].Imm % width
	switch {
	case x.Op == v.Op && m+n < width:
		return s.emit(v.Op, v.T, x.Args[0], s.constant(y.R, m+n))
	case x.Op == v.Op && v.Op != isa.Sar:
		return s.constant(v.T, 0)
	case v.Op == isa.Shl && x.Op == isa.Shr && m == n:
		return s.emit(isa.And, v.T, x.Args[0], s.constant(v.T, v.T.Mask()<<n))
	case v.Op == isa.Shr && x.Op == isa.Shl && m == n:
		return s.emit(isa.And, v.T, x.Args[0], s.constant(v.T, v.T.Mask()>>n))
	}
	return nil
}

var moveRules = map[isa.Op]rule{
	isa.CheckWritten: foldCheck,
	isa.Mov:          foldMov, isa.UConvert: foldConvert, isa.SConvert: foldConvert,
	isa.Pack64: foldPack, isa.Pack8: foldParts, isa.Pack16: foldParts, isa.Lo32: foldHalf, isa.Hi32: foldHalf,
}

// foldCheck drops checks of what is always written.
func foldCheck(_ *folder, v *ir.Value) *ir.Value {
	if isConst(v.Args[0], 1) {
		return v.Args[0]
	}
	return nil
}

func foldMov(_ *folder, v *ir.Value) *ir.Value {
	if x := v.Args[0]; x.R == v.R {
		return x
	}
	if x := v.Args[0]; x.Op == isa.Mov && x.Args[0].R == v.R {
		return x.Args[0]
	}
	return nil
}

func foldConvert(s *folder, v *ir.Value) *ir.Value {
	x := v.Args[0]
	switch {
	case v.T == v.From:
		return x
	case x.Op != isa.UConvert && x.Op != isa.SConvert || x.T != v.From:
		return nil
	case v.T == x.From && v.T.Bits() <= x.T.Bits(): // there and back
		return x.Args[0]
	case x.Op == v.Op && x.T.Bits() > x.From.Bits() && v.T.Bits() > v.From.Bits():
		return s.convert(v, x.Args[0])
	case x.T.Bits() < x.From.Bits() && v.T.Bits() < v.From.Bits():
		return s.convert(v, x.Args[0])
	}
	return nil
}

func (s *folder) convert(v, x *ir.Value) *ir.Value {
	w := s.f.NewValue(v.Op, v.T, v.R, x)
	w.From, w.Block, w.Origin = x.R, v.Block, v.Origin
	s.out = append(s.out, w)
	return w
}

func foldPack(_ *folder, v *ir.Value) *ir.Value {
	lo, hi := v.Args[0], v.Args[1]
	if lo.Op == isa.Lo32 && hi.Op == isa.Hi32 && lo.Args[0] == hi.Args[0] && lo.Args[0].R == v.R {
		return lo.Args[0]
	}
	return nil
}

// foldParts replaces the packing of a word's own parts by the word.
func foldParts(_ *folder, v *ir.Value) *ir.Value {
	width := uint64(32 / len(v.Args))
	word, _ := partOfWord(v.Args[0])
	for i, a := range v.Args {
		if w, at := partOfWord(a); w != word || at != uint64(i)*width {
			return nil
		}
	}
	if word == nil || word.R != v.R {
		return nil
	}
	return word
}

// partOfWord returns the 32-bit word of which v is a byte or half, and the part's first bit; nil if v is none.
func partOfWord(v *ir.Value) (word *ir.Value, at uint64) {
	for v.Op == isa.Mov && v.Args[0].R.Bits() == v.R.Bits() {
		v = v.Args[0]
	}
	if v.Op != isa.UConvert || v.From.Bits() != 32 {
		return nil, 0
	}
	if x := v.Args[0]; x.Op == isa.Shr && x.Args[1].Op == isa.Const {
		return x.Args[0], x.Args[1].Imm
	}
	return v.Args[0], 0
}

func foldHalf(_ *folder, v *ir.Value) *ir.Value {
	if x := v.Args[0]; x.Op == isa.Pack64 {
		half := x.Args[0]
		if v.Op == isa.Hi32 {
			half = x.Args[1]
		}
		if half.R == v.R {
			return half
		}
	}
	return nil
}

package opt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// An expr reads operations as "(iadd x (shl.i64 y 3))": 32-bit integers unless a type follows the name, and after it another
// from which is converted. Inputs are one letter: p and q truth values, the others loads of the type that they are used with.
type expr struct {
	b      *builder
	text   []string
	inputs map[string]*ir.Value
	names  map[*ir.Value]string
}

func newExpr(t *testing.T, text string) *expr {
	e := &expr{b: newBuilder(t), inputs: map[string]*ir.Value{}, names: map[*ir.Value]string{}}
	e.text = strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	return e
}

func (e *expr) next() string {
	word := e.text[0]
	e.text = e.text[1:]
	return word
}

var exprTypes = map[string]isa.Type{"i8": isa.I8, "i16": isa.I16, "i32": isa.I32, "i64": isa.I64, "f16": isa.F16, "f32": isa.F32, "f64": isa.F64, "bool": isa.Bool}

// read builds the value of an expression, of the given type where it has none of its own.
func (e *expr) read(typ isa.Type) *ir.Value {
	word := e.next()
	if word != "(" {
		return e.leaf(word, typ)
	}
	name := strings.Split(e.next(), ".")
	op, ok := isa.Lookup(name[0])
	if !ok {
		e.b.t.Fatalf("%s is not an operation", name[0])
	}
	t, from := isa.I32, isa.I32
	if len(name) > 1 {
		t, from = exprTypes[name[1]], exprTypes[name[len(name)-1]]
	}
	var args []*ir.Value
	for e.text[0] != ")" {
		of := from
		if op == isa.Select && len(args) == 0 {
			of = isa.Bool
		}
		args = append(args, e.read(of))
	}
	e.next()
	return e.b.conv(op, t, from, args...)
}

func (e *expr) leaf(word string, typ isa.Type) *ir.Value {
	if v, known := e.inputs[word]; known {
		return v
	}
	if x, err := strconv.ParseFloat(word, 64); err == nil {
		if typ.IsFloat() {
			return e.b.ct(typ, isa.Eval(isa.FConvert, typ, isa.F64, 0, math.Float64bits(x)))
		}
		return e.b.ct(typ, uint64(int64(x)))
	}
	m := ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: typ}}
	if typ == isa.Bool {
		m.Elem = isa.I32
	}
	v := e.b.load(m, e.b.c(uint64(word[0])*8))
	if typ == isa.Bool {
		v = e.b.op(isa.ULt, isa.I32, v, e.b.load(m, e.b.c(uint64(word[0])*8+4)))
	}
	e.inputs[word], e.names[v] = v, word
	return v
}

// write is the text of a value.
func (e *expr) write(v *ir.Value) string {
	if name := e.names[v]; name != "" {
		return name
	}
	switch {
	case v.Op == isa.Const && v.R.IsFloat():
		return fmt.Sprint(float(v, 0))
	case v.Op == isa.Const && v.R == isa.Bool:
		return fmt.Sprint(v.Imm & 1)
	case v.Op == isa.Const:
		shift := 64 - v.R.Bits()
		return fmt.Sprint(int64(v.Imm<<shift) >> shift)
	}
	text := "(" + v.Op.String()
	from := v.T
	if v.From != isa.Void {
		from = v.From
	}
	if v.T != isa.I32 || from != v.T {
		text += "." + v.T.String()
	}
	if from != v.T {
		text += "." + from.String()
	}
	for _, a := range v.Args {
		text += " " + e.write(a)
	}
	return text + ")"
}

// folded returns the text of a folded expression.
func folded(t *testing.T, text string) string { return foldedFor(t, text, Options{WaveSize: 64}) }

func foldedFor(t *testing.T, text string, o Options) string {
	e := newExpr(t, text)
	v := e.read(isa.I32)
	m := word(0)
	m.Elem = v.R
	st := e.b.store(m, e.b.c(0), v)
	e.b.ret()
	gatherConstants(e.b.f, Options{})
	fold(e.b.f, o)
	return e.write(st.Args[1])
}

// Each rule turns an operation into the given one, and leaves operations that only look similar.
func TestFoldsFold(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		// Sums.
		{"(iadd x 0)", "x"}, {"(iadd 0 x)", "x"}, {"(iadd 3 x)", "(iadd x 3)"}, {"(iadd x 1)", "(iadd x 1)"},
		{"(iadd (iadd x 3) 4)", "(iadd x 7)"}, {"(iadd (iadd x y) 4)", "(iadd (iadd x y) 4)"}, {"(iadd (isub x 3) 3)", "x"},
		{"(iadd x (ineg y))", "(isub x y)"}, {"(iadd (ineg x) y)", "(isub y x)"},
		{"(isub x x)", "0"}, {"(isub x 5)", "(iadd x -5)"}, {"(isub 0 x)", "(ineg x)"}, {"(isub 5 x)", "(isub 5 x)"}, {"(ineg (ineg x))", "x"},
		{"(iadd 3 4)", "7"}, {"(iadd.i8 200 100)", "44"}, {"(isub x 0)", "x"},
		// Products.
		{"(imul x 0)", "0"}, {"(imul x 1)", "x"}, {"(imul x -1)", "(ineg x)"}, {"(imul x 8)", "(shl x 3)"}, {"(imul x 6)", "(imul x 6)"}, {"(imul x y)", "(imul x y)"},
		{"(imul (imul x 3) 5)", "(imul x 15)"}, {"(imul (imul x y) 5)", "(imul (imul x y) 5)"},
		{"(imul (shl x 2) 5)", "(imul x 20)"}, {"(imul (shl x 34) 5)", "(imul x 20)"}, {"(imul (shl x y) 5)", "(imul (shl x y) 5)"},
		// The least and the greatest.
		{"(umin x x)", "x"}, {"(umin x 0)", "0"}, {"(umin x -1)", "x"}, {"(umax x 0)", "x"}, {"(umax x -1)", "-1"}, {"(umin x 1)", "(umin x 1)"},
		{"(smin x 2147483647)", "x"}, {"(smin x -2147483648)", "-2147483648"}, {"(smax x 2147483647)", "2147483647"}, {"(smax x -2147483648)", "x"},
		{"(smin.i8 x 127)", "x"}, {"(smin x -1)", "(smin x -1)"}, {"(umax.i8 x 255)", "-1"}, {"(smax x x)", "x"},
		// Bits.
		{"(and x x)", "x"}, {"(and x -1)", "x"}, {"(and x 0)", "0"}, {"(and (and x 12) 10)", "(and x 8)"}, {"(and (and x y) 10)", "(and (and x y) 10)"},
		{"(or x x)", "x"}, {"(or x 0)", "x"}, {"(or x -1)", "-1"}, {"(or (or x 12) 3)", "(or x 15)"}, {"(or (and x 12) 3)", "(or (and x 12) 3)"},
		{"(xor x x)", "0"}, {"(xor x 0)", "x"}, {"(xor x -1)", "(not x)"}, {"(xor x y)", "(xor x y)"}, {"(not (not x))", "x"},
		{"(and.bool p p)", "p"}, {"(and.bool p 1)", "p"}, {"(or.bool p 1)", "1"}, {"(xor.bool p 1)", "(not.bool p)"},
		// Shifts.
		{"(shl 0 x)", "0"}, {"(shr x 0)", "x"}, {"(shl x 32)", "x"}, {"(sar x y)", "(sar x y)"},
		{"(shl (shl x 3) 4)", "(shl x 7)"}, {"(shr (shr x 3) 28)", "(shr x 31)"}, {"(shr (shr x 4) 28)", "0"}, {"(shl (shl x 4) 28)", "0"},
		{"(sar (sar x 3) 4)", "(sar x 7)"}, {"(sar (sar x 4) 28)", "(sar (sar x 4) 28)"}, {"(shr (sar x 3) 4)", "(shr (sar x 3) 4)"},
		{"(shl (shr x 8) 8)", "(and x -256)"}, {"(shr (shl x 8) 8)", "(and x 16777215)"}, {"(shl (shr x 8) 9)", "(shl (shr x 8) 9)"},
		{"(shr (shl x 8) 9)", "(shr (shl x 8) 9)"}, {"(shl (sar x 8) 8)", "(shl (sar x 8) 8)"}, {"(sar (shl x 8) 8)", "(sar (shl x 8) 8)"},
		// Conversions.
		{"(uconvert.i8.i32 (uconvert.i32.i8 x))", "x"}, {"(sconvert.i8.i32 (uconvert.i32.i8 x))", "x"},
		{"(uconvert.i64.i32 (uconvert.i32.i8 x))", "(uconvert.i64.i8 x)"}, {"(sconvert.i64.i32 (sconvert.i32.i8 x))", "(sconvert.i64.i8 x)"},
		{"(sconvert.i64.i32 (uconvert.i32.i8 x))", "(sconvert.i64.i32 (uconvert.i32.i8 x))"},
		{"(uconvert.i8.i16 (uconvert.i16.i32 x))", "(uconvert.i8.i32 x)"}, {"(uconvert.i8.i16 (sconvert.i16.i32 x))", "(uconvert.i8.i32 x)"},
		{"(uconvert.i32.i8 (uconvert.i8.i32 x))", "(uconvert.i32.i8 (uconvert.i8.i32 x))"},
		{"(lo32.i64 (pack64.i64.i32 x y))", "x"}, {"(hi32.i64 (pack64.i64.i32 x y))", "y"},
		{"(mov (mov x))", "x"},
		// Choices and comparisons.
		{"(select 1 x y)", "x"}, {"(select 0 x y)", "y"}, {"(select p x x)", "x"}, {"(select (not.bool p) x y)", "(select p y x)"}, {"(select p x y)", "(select p x y)"},
		{"(select.bool p 1 0)", "p"}, {"(select.bool p 0 1)", "(not.bool p)"}, {"(select.bool p q 0)", "(and.bool p q)"}, {"(select.bool p 1 q)", "(or.bool p q)"},
		{"(select.bool p q 1)", "(select.bool p q 1)"}, {"(select.bool p 0 q)", "(select.bool p 0 q)"},
		{"(ieq x x)", "1"}, {"(ine x x)", "0"}, {"(ieq x 3)", "(ieq x 3)"}, {"(ieq 3 x)", "(ieq x 3)"},
		{"(ieq.bool p 1)", "p"}, {"(ieq.bool p 0)", "(not.bool p)"}, {"(ine.bool p 0)", "p"}, {"(ine.bool p 1)", "(not.bool p)"},
		{"(ieq (select p 3 4) 3)", "p"}, {"(ieq (select p 3 4) 4)", "(not.bool p)"}, {"(ine (select p 3 4) 3)", "(not.bool p)"}, {"(ine (select p 3 4) 4)", "p"},
		{"(ieq (select p 3 4) 5)", "0"}, {"(ine (select p 3 4) 5)", "1"}, {"(ieq (select p x 4) 4)", "(ieq (select p x 4) 4)"},
		{"(ult x x)", "0"}, {"(ule x x)", "1"}, {"(slt x x)", "0"}, {"(sle x x)", "1"}, {"(ult x 0)", "0"}, {"(ule 0 x)", "1"},
		{"(slt x 0)", "(slt x 0)"}, {"(sle 0 x)", "(sle 0 x)"}, {"(ule x 0)", "(ule x 0)"}, {"(ult 0 x)", "(ult 0 x)"}, {"(ult x 1)", "(ult x 1)"},
		// Numbers with a point: only what keeps every bit.
		{"(fmul.f32 x 1)", "x"}, {"(fmul.f32 x -1)", "(fneg.f32 x)"}, {"(fmul.f32 x 0)", "(fmul.f32 x 0)"}, {"(fmul.f32 x 2)", "(fmul.f32 x 2)"},
		{"(fdiv.f32 x 4)", "(fmul.f32 x 0.25)"}, {"(fdiv.f32 x -0.5)", "(fmul.f32 x -2)"}, {"(fdiv.f32 x 3)", "(fdiv.f32 x 3)"},
		{"(fdiv.f32 x 8192)", "(fdiv.f32 x 8192)"}, {"(fdiv.f32 x 4096)", "(fmul.f32 x 0.000244140625)"}, {"(fdiv.f32 x 0.00006103515625)", "(fmul.f32 x 16384)"},
		{"(fdiv.f32 x 0.000030517578125)", "(fdiv.f32 x 3.0517578125e-05)"}, {"(fdiv.f32 x y)", "(fdiv.f32 x y)"},
		{"(fadd.f32 x -0)", "x"}, {"(fadd.f32 x 0)", "(fadd.f32 x 0)"}, {"(fadd.f32 x 1)", "(fadd.f32 x 1)"},
		{"(fsub.f32 x 0)", "x"}, {"(fsub.f32 x -0)", "(fsub.f32 x -0)"}, {"(fsub.f32 x 1)", "(fsub.f32 x 1)"},
		{"(fneg.f32 (fneg.f32 x))", "x"}, {"(fabs.f32 (fabs.f32 x))", "(fabs.f32 x)"}, {"(fabs.f32 (fneg.f32 x))", "(fabs.f32 x)"}, {"(fneg.f32 (fabs.f32 x))", "(fneg.f32 (fabs.f32 x))"},
		// Uniform values.
		{"(read_first_lane 7)", "7"}, {"(read_first_lane x)", "(read_first_lane x)"},
		{"(num_subgroups)", "(num_subgroups)"}, {"(subgroup_id)", "(subgroup_id)"}, {"(local_id_y)", "0"}, {"(local_id_z)", "0"}, {"(local_id_x)", "(local_id_x)"}, {"(local_index)", "(local_id_x)"},
	} {
		if got := folded(t, c.from); got != c.to {
			t.Errorf("%s becomes %s, want %s", c.from, got, c.to)
		}
	}
}

// LLVM knows how many waves a workgroup has, and that the only one is number 0; Mesa reads both.
func TestWavesOfAWorkgroupAreKnown(t *testing.T) {
	for lanes, c := range map[int][2]string{64: {"1", "0"}, 32: {"2", "(subgroup_id)"}} {
		o := Options{WaveSize: lanes, SelectBuffers: true}
		if n, id := foldedFor(t, "(num_subgroups)", o), foldedFor(t, "(subgroup_id)", o); n != c[0] || id != c[1] {
			t.Errorf("waves of %d lanes: %s of them, this is %s, want %v", lanes, n, id, c)
		}
	}
}

// Command gen writes a separate loop for each hot operation and each choice of vector and scalar operands: a function
// over a row of lanes. It does not use the meanings of package isa, with which tests compare these loops.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"regexp"
	"strings"
)

// A loop is one operation: its key in the table, its number of sources, and the
// Go expression of a lane over x, y and z.
type loop struct {
	op, t, from string
	sources     int
	expr        string
}

// A file groups loops; test expressions are Booleans that go to a lane mask.
type file struct {
	name, table string
	test        bool
	loops       []loop
}

func int32s(op string, sources int, expr string) loop {
	return loop{op, "I32", "Void", sources, expr}
}

func float32s(op string, sources int, expr string) loop {
	return loop{op, "F32", "Void", sources, expr}
}

func float16s(op string, sources int, expr string) loop {
	return loop{op, "F16", "Void", sources, expr}
}

func int64s(op string, sources int, expr string) loop {
	return loop{op, "I64", "Void", sources, expr}
}

func float64s(op string, sources int, expr string) loop {
	return loop{op, "F64", "Void", sources, expr}
}

// wideSources and wideResult report values of two rows.
func (l loop) wideSources() bool {
	return strings.HasSuffix(l.from, "64") || l.from == "Void" && l.wideResult()
}

func (l loop) wideResult() bool { return strings.HasSuffix(l.t, "64") }

var files = []file{
	{"loops_int.go", "intLoops", false, []loop{
		int32s("IAdd", 2, "x + y"),
		int32s("ISub", 2, "x - y"),
		int32s("IMul", 2, "x * y"),
		int32s("UMulHi", 2, "uint32(uint64(x) * uint64(y) >> 32)"),
		int32s("INeg", 1, "-x"),
		int32s("UMin", 2, "min(x, y)"),
		int32s("UMax", 2, "max(x, y)"),
		int32s("SMin", 2, "uint32(min(int32(x), int32(y)))"),
		int32s("SMax", 2, "uint32(max(int32(x), int32(y)))"),
		int32s("And", 2, "x & y"),
		int32s("Or", 2, "x | y"),
		int32s("Xor", 2, "x ^ y"),
		int32s("Not", 1, "^x"),
		int32s("Shl", 2, "x << (y & 31)"),
		int32s("Shr", 2, "x >> (y & 31)"),
		int32s("Sar", 2, "uint32(int32(x) >> (y & 31))"),
	}},
	{"loops_int3.go", "int3Loops", false, []loop{
		int32s("IMad", 3, "x*y + z"),
		int32s("LshlAdd", 3, "x<<(y&31) + z"),
		int32s("IAdd3", 3, "x + y + z"),
		int32s("LshlOr", 3, "x<<(y&31) | z"),
		int32s("AddLshl", 3, "(x + y) << (z & 31)"),
		int32s("AndOr", 3, "x&y | z"),
		int32s("Or3", 3, "x | y | z"),
		int32s("Xor3", 3, "x ^ y ^ z"),
		int32s("SDot4", 3, "sdot4(x, y) + z"),
		int32s("UDot4", 3, "udot4(x, y) + z"),
		int32s("SUDot4", 3, "sudot4(x, y) + z"),
		int32s("BitFieldUExtract", 3, "extract32(x, y, z)"),
	}},
	{"loops_float.go", "floatLoops", false, []loop{
		float32s("FAdd", 2, "word32(float(x) + float(y))"),
		float32s("FSub", 2, "word32(float(x) - float(y))"),
		float32s("FMul", 2, "word32(float(x) * float(y))"),
		float32s("FDiv", 2, "word32(float(x) / float(y))"),
		float32s("FMin", 2, "fmin32(x, y)"),
		float32s("FMax", 2, "fmax32(x, y)"),
		float32s("FNeg", 1, "x ^ 1<<31"),
		float32s("FAbs", 1, "x &^ (1 << 31)"),
		float32s("Sqrt", 1, "word32(float32(math.Sqrt(float64(float(x)))))"),
		float32s("Rsq", 1, "word32(float32(1 / math.Sqrt(float64(float(x)))))"),
		float32s("Rcp", 1, "word32(float32(1 / float64(float(x))))"),
		float32s("Floor", 1, "word32(float32(math.Floor(float64(float(x)))))"),
		{"UToF", "F32", "I32", 1, "word32(float32(x))"},
		{"SToF", "F32", "I32", 1, "word32(float32(int32(x)))"},
		{"FToU", "I32", "F32", 1, "ftou32(float(x))"},
		{"FToS", "I32", "F32", 1, "ftos32(float(x))"},
		{"UConvert", "I32", "I8", 1, "x"},
		{"UConvert", "I32", "I16", 1, "x"},
		{"UConvert", "I8", "I32", 1, "x & 0xff"},
		{"UConvert", "I16", "I32", 1, "x & 0xffff"},
		{"SConvert", "I32", "I8", 1, "uint32(int32(int8(x)))"},
		{"SConvert", "I32", "I16", 1, "uint32(int32(int16(x)))"},
	}},
	{"loops_half.go", "halfLoops", false, []loop{
		float16s("FAdd", 2, "toHalf(half(x) + half(y))"),
		float16s("FSub", 2, "toHalf(half(x) - half(y))"),
		float16s("FMul", 2, "toHalf(half(x) * half(y))"),
		float16s("Fma", 3, "fmaHalf(x, y, z)"),
		{"FConvert", "F32", "F16", 1, "word32(half(x))"},
		{"FConvert", "F16", "F32", 1, "toHalf(float(x))"},
	}},
	{"loops_wide.go", "wideLoops", false, []loop{
		int64s("IAdd", 2, "x + y"),
		int64s("ISub", 2, "x - y"),
		int64s("IMul", 2, "x * y"),
		int64s("And", 2, "x & y"),
		int64s("Or", 2, "x | y"),
		int64s("Xor", 2, "x ^ y"),
		int64s("Shl", 2, "x << (y & 63)"),
		int64s("Shr", 2, "x >> (y & 63)"),
		float64s("FAdd", 2, "word64(double(x) + double(y))"),
		float64s("FSub", 2, "word64(double(x) - double(y))"),
		float64s("FMul", 2, "word64(double(x) * double(y))"),
		float64s("Fma", 3, "fma64(x, y, z)"),
		{"UConvert", "I64", "I32", 1, "uint64(x)"},
		{"SConvert", "I64", "I32", 1, "uint64(int32(x))"},
		{"UConvert", "I32", "I64", 1, "uint32(x)"},
		{"Mov", "I64", "Void", 1, "x"},
		{"Mov", "F64", "Void", 1, "x"},
	}},
	{"loops_compare.go", "compareLoops", true, []loop{
		int32s("IEq", 2, "x == y"),
		int32s("INe", 2, "x != y"),
		int32s("ULt", 2, "x < y"),
		int32s("ULe", 2, "x <= y"),
		int32s("SLt", 2, "int32(x) < int32(y)"),
		int32s("SLe", 2, "int32(x) <= int32(y)"),
		float32s("FOrdEq", 2, "float(x) == float(y)"),
		float32s("FOrdNe", 2, "float(x) < float(y) || float(x) > float(y)"),
		float32s("FOrdLt", 2, "float(x) < float(y)"),
		float32s("FOrdLe", 2, "float(x) <= float(y)"),
		float32s("FUnordEq", 2, "!(float(x) < float(y) || float(x) > float(y))"),
		float32s("FUnordNe", 2, "float(x) != float(y)"),
		float32s("FUnordLt", 2, "!(float(x) >= float(y))"),
		float32s("FUnordLe", 2, "!(float(x) > float(y))"),
	}},
}

func main() {
	for _, f := range files {
		text, err := format.Source(f.source())
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(f.name, text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

func (f file) source() []byte {
	var body bytes.Buffer
	for _, l := range f.loops {
		fmt.Fprintf(&body, "{%s, %s, %s}: {\n", l.op, l.t, l.from)
		for form := range 1<<l.sources - 1 {
			fmt.Fprintf(&body, "%d: func(st *State, in *Inst) {\n%s},\n", form, f.function(l, form))
		}
		body.WriteString("},\n")
	}
	var out bytes.Buffer
	out.WriteString("// Code generated by isa/gen; DO NOT EDIT.\n\npackage isa\n\n")
	if strings.Contains(body.String(), "math.") {
		out.WriteString("import \"math\"\n\n")
	}
	fmt.Fprintf(&out, "var %s = map[loopKey]loopForms{\n%s}\n", f.table, body.String())
	return out.Bytes()
}

// function returns the body of one form: bit k of form is set if source k is scalar.
func (f file) function(l loop, form int) string {
	var b strings.Builder
	length := ""
	if !f.test {
		length = "d"
		b.WriteString(target(l))
	}
	expr := l.expr
	for k := range l.sources {
		name := string(rune('a' + k))
		lane := source(&b, l, k, form>>k&1 != 0, length)
		if length == "" && form>>k&1 == 0 {
			length = name
		}
		expr = regexp.MustCompile(`\b`+string(rune('x'+k))+`\b`).ReplaceAllString(expr, lane)
	}
	switch {
	case f.test:
		fmt.Fprintf(&b, "m := uint64(0)\nfor i := range %s {\nm = m>>1 | truth(%s)<<63\n}\nst.setMask(in.Dst, m>>(64-len(%s)))\n", length, expr, length)
	case l.wideResult():
		fmt.Fprintf(&b, "for i := range d {\nv := %s\nd[i], dhi[i] = uint32(v), uint32(v>>32)\n}\nst.mergeWide(in, d, dhi)\n", expr)
	default:
		fmt.Fprintf(&b, "for i := range d {\nd[i] = %s\n}\nst.merge(in, d)\n", expr)
	}
	return b.String()
}

func target(l loop) string {
	if l.wideResult() {
		return "d, dhi := st.targetWide(in)\n"
	}
	return "d := st.target(in)\n"
}

// source writes the code that fetches source k, and returns the expression of a lane.
func source(b *strings.Builder, l loop, k int, scalar bool, length string) string {
	name, word, slice := string(rune('a'+k)), "uint32", ""
	if l.wideSources() {
		word = "uint64"
	}
	if length != "" {
		slice = "[:len(" + length + ")]"
	}
	if scalar {
		fmt.Fprintf(b, "%s := %s(st.word(in.Src[%d]))\n", name, word, k)
		return name
	}
	fmt.Fprintf(b, "%s := st.row(in.Src[%d], 0)%s\n", name, k, slice)
	if !l.wideSources() {
		return name + "[i]"
	}
	fmt.Fprintf(b, "%shi := st.row(in.Src[%d], 1)%s\n", name, k, slice)
	return fmt.Sprintf("(uint64(%s[i]) | uint64(%shi[i])<<32)", name, name)
}

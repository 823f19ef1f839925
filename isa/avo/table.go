package main

import (
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kind is the kind of a kernel's operands.
type kind int

const (
	rows    kind = iota // rows of lanes
	test                // rows to a mask
	word                // scalars of 32 bits
	mask                // masks of lanes
	double              // rows of 64-bit values
	control             // others
)

// A kernel is the code of a fused step with n sources, in the forms of modesOf. For kernels on scalars, or with other
// code, a form has a bit for each source that is a literal, or a meaning that its code defines. lane is the result in
// one lane of a, b and c (a scalar's; for a test, whether it holds), as an expression of Go, with which isa's test
// compares the code. float is the float of bits, and word32 the bits of a float.
type kernel struct {
	name    string
	kind    kind
	n       int
	chained bool // it has forms that use the last kernel's result
	code    rowCode
	custom  func(a assembler)           // of words and masks, and of others with one form
	any     func(a assembler, form int) // of others with more
	lane    string
}

// forms returns the number of forms: at least one source of a row kernel differs by lane, except for a move's.
func (k kernel) forms() int {
	switch {
	case k.kind == rows && k.name == "Mov", k.kind == word, k.kind == control && k.any != nil:
		return 1 << k.n
	case k.chained && k.n == 2:
		return 3 + 5
	case k.chained:
		return 7 + 12
	case k.kind == rows && k.n > 0, k.kind == test, k.kind == double:
		return 1<<k.n - 1
	}
	return 1
}

// symbol returns the name of a form: with a letter for each source, or its number.
func (k kernel) symbol(form int) string {
	name := "step" + k.name
	switch {
	case k.forms() == 1:
		return name
	case k.kind == control:
		return name + fmt.Sprint(form)
	case k.kind == word:
		for i := range k.n {
			name += string("SL"[form>>i&1]) // a scalar register, a literal
		}
		return name
	}
	return name + fmt.Sprintf("%s", modesOf(k.n, form))
}

// write writes the code of a form.
func (k kernel) write(a assembler, form int) {
	switch {
	case k.any != nil:
		k.any(a, form)
	case k.kind == test:
		a.test(sources(modesOf(k.n, form)...), k.code)
	case k.kind == word:
		a.word(k.n, form, k.custom)
	case k.kind == mask:
		a.masks(k.n, k.custom)
	case k.custom != nil:
		k.custom(a)
	default:
		constants, body := k.code.bind(a)
		a.toRow(sources(modesOf(k.n, form)...), constants, body)
	}
}

// row, tests, scalars and lanes make kernels.
func row(name string, n int, code rowCode, lane string) kernel {
	return kernel{name: name, kind: rows, n: n, code: code, lane: lane}
}

// chain returns a kernel with forms that use the last kernel's result.
func chain(name string, n int, code rowCode, lane string) kernel {
	return kernel{name: name, kind: rows, n: n, chained: true, code: code, lane: lane}
}

func tests(name string, code rowCode, lane string) kernel {
	return kernel{name: name, kind: test, n: 2, code: code, lane: lane}
}

func scalars(name string, n int, code func(a assembler), lane string) kernel {
	return kernel{name: "Word" + name, kind: word, n: n, custom: code, lane: lane}
}

func lanes(name string, n int, code func(a assembler), lane string) kernel {
	return kernel{name: "Mask" + name, kind: mask, n: n, custom: code, lane: lane}
}

// kernels lists all kernels in the order of their numbers.
var kernels = slices.Concat(
	[]kernel{row("Mov", 1, copyRow, "a")},
	binary(),
	[]kernel{
		chain("Shl", 2, shift(vpsllvd), "a << (b & 31)"),
		chain("Shr", 2, shift(vpsrlvd), "a >> (b & 31)"),
		chain("Sar", 2, shift(vpsravd), "uint32(int32(a) >> (b & 31))"),
		chain("LshlAdd", 3, compose(shift(vpsllvd), vpaddd), "a<<(b&31) + c"),
		chain("AddLshl", 3, addShift, "(a + b) << (c & 31)"),
		row("UMulHi", 2, high, "uint32(uint64(a) * uint64(b) >> 32)"),
		row("Fma", 3, fma, "fmaWord(a, b, c)"),
		row("IMad", 3, compose(pair(vpmulld), vpaddd), "a*b + c"),
		row("IAdd3", 3, compose(pair(vpaddd), vpaddd), "a + b + c"),
		row("LshlOr", 3, compose(shift(vpsllvd), vpor), "a<<(b&31) | c"),
		row("Sqrt", 1, unary(func(a assembler, x, y operand.Op) { a.VSQRTPS(x, y) }), "word32(float32(math.Sqrt(float64(float(a)))))"),
		row("Rcp", 1, reciprocal, "word32(1 / float(a))"),
		{name: "Rsq", kind: rows, custom: inverseRoot, lane: "word32(float32(1 / math.Sqrt(float64(float(a)))))"},
		row("SToF", 1, unary(func(a assembler, x, y operand.Op) { a.VCVTDQ2PS(x, y) }), "word32(float32(int32(a)))"),
		row("UToF", 1, fromUnsigned, "word32(float32(a))"),
		tests("Equal", pair(vpcmpeqd), "a == b"),
		tests("Above", pair(vpcmpgtd), "int32(a) > int32(b)"),
		tests("AboveU", aboveUnsigned, "a > b"),
		tests("EqualF", compareFloats(0x00), "float(a) == float(b)"),
		tests("AlikeF", compareFloats(0x08), "!(float(a) < float(b)) && !(float(a) > float(b))"),
		tests("BelowF", compareFloats(0x11), "float(a) < float(b)"),
		tests("AtMostF", compareFloats(0x12), "float(a) <= float(b)"),
		scalars("IAdd", 2, scalar32(assembler.ADDL), "a + b"),
		scalars("ISub", 2, scalar32(assembler.SUBL), "a - b"),
		scalars("IMul", 2, scalar32(func(a assembler, x, y operand.Op) { a.IMULL(x, y) }), "a * b"),
		scalars("And", 2, scalar32(assembler.ANDL), "a & b"),
		scalars("Or", 2, scalar32(assembler.ORL), "a | b"),
		scalars("Shl", 2, scalarShift(assembler.SHLL), "a << (b & 31)"),
		scalars("Shr", 2, scalarShift(assembler.SHRL), "a >> (b & 31)"),
		scalars("IEq", 2, truth(assembler.SETEQ), "oneIf(a == b)"),
		scalars("INe", 2, truth(assembler.SETNE), "oneIf(a != b)"),
		scalars("ULt", 2, truth(assembler.SETCS), "oneIf(a < b)"),
		scalars("SLt", 2, truth(assembler.SETLT), "oneIf(int32(a) < int32(b))"),
		scalars("Mov", 1, noCode, "a"),
		lanes("And", 2, scalar64(assembler.ANDQ), "a & b"),
		lanes("Or", 2, scalar64(assembler.ORQ), "a | b"),
		lanes("Xor", 2, scalar64(assembler.XORQ), "a ^ b"),
		lanes("Not", 1, maskNot, "^a"),
		lanes("IEq", 2, maskEqual, "^(a ^ b)"),
		lanes("Select", 3, maskSelect, "a&b | ^a&c"),
		lanes("ToLanes", 1, maskToLanes, "lanesIf(a != 0)"),
		lanes("Mov", 1, noCode, "a"),
		{name: "Select", kind: control, n: 2, any: selectBits},
		doubleRow("IAdd", doubleAdd),
		doubleRow("ISub", doubleSubtract),
		doubleRow("IMul", doubleMultiply),
		doubleRow("Shl", doubleShift(shiftLeft)),
		doubleRow("Shr", doubleShift(shiftRight)),
		doubleRow("Sar", doubleShift(shiftRightSigned)),
		doubleTest("Equal", doubleEqual),
		doubleTest("Above", doubleAbove(func(a assembler, x, y operand.Op) { a.VPCMPGTD(y, x, x) })),
		doubleTest("AboveU", doubleAbove(assembler.above)),
		long("IAdd", 2, scalar64(assembler.ADDQ)),
		long("ISub", 2, scalar64(assembler.SUBQ)),
		long("IMul", 2, scalar64(func(a assembler, x, y operand.Op) { a.IMULQ(x, y) })),
		long("And", 2, scalar64(assembler.ANDQ)),
		long("Or", 2, scalar64(assembler.ORQ)),
		long("Xor", 2, scalar64(assembler.XORQ)),
		long("Shl", 2, longShift(assembler.SHLQ)),
		long("Shr", 2, longShift(assembler.SHRQ)),
		long("Sar", 2, longShift(func(a assembler, ops ...operand.Op) { a.SARQ(ops[0], ops[1]) })),
		long("Mov", 1, noCode),
		long("SConvert", 1, func(a assembler) { a.MOVLQSX(reg.ESI, reg.RSI) }),
		{name: "Merge", kind: control, custom: merge},
		{name: "Spread", kind: control, n: 1, any: splat},
		{name: "Fill", kind: control, custom: fill},
		{name: "Enter", kind: control, n: 1, any: countStep},
		{name: "Pass", kind: control, custom: passOn},
		{name: "Branch", kind: control, n: 1, any: branch},
		{name: "LessBranch", kind: control, n: 3, any: lessBranch},
		{name: "BranchActive", kind: control, n: 1, any: branchActive},
		{name: "Split", kind: control, n: 1, any: split},
		{name: "Park", kind: control, custom: park},
		{name: "Join", kind: control, custom: join},
		{name: "Kill", kind: control, custom: kill},
		{name: "Go", kind: control, custom: jump},
		{name: "Leave", kind: control, custom: returnHere},
		{name: "End", kind: control, custom: func(a assembler) { a.RET() }},
	},
)

// pairs lists the operations on two rows.
var pairs = []struct {
	name string
	op   op3
	lane string
}{
	{"FAdd", func(a assembler, m, x, y operand.Op) { a.VADDPS(m, x, y) }, "word32(float(a) + float(b))"},
	{"FSub", func(a assembler, m, x, y operand.Op) { a.VSUBPS(m, x, y) }, "word32(float(a) - float(b))"},
	{"FMul", func(a assembler, m, x, y operand.Op) { a.VMULPS(m, x, y) }, "word32(float(a) * float(b))"},
	{"IAdd", func(a assembler, m, x, y operand.Op) { a.VPADDD(m, x, y) }, "a + b"},
	{"ISub", func(a assembler, m, x, y operand.Op) { a.VPSUBD(m, x, y) }, "a - b"},
	{"IMul", func(a assembler, m, x, y operand.Op) { a.VPMULLD(m, x, y) }, "a * b"},
	{"And", func(a assembler, m, x, y operand.Op) { a.VPAND(m, x, y) }, "a & b"},
	{"Or", func(a assembler, m, x, y operand.Op) { a.VPOR(m, x, y) }, "a | b"},
	{"Xor", func(a assembler, m, x, y operand.Op) { a.VPXOR(m, x, y) }, "a ^ b"},
	{"UMin", func(a assembler, m, x, y operand.Op) { a.VPMINUD(m, x, y) }, "min(a, b)"},
	{"UMax", func(a assembler, m, x, y operand.Op) { a.VPMAXUD(m, x, y) }, "max(a, b)"},
	{"SMin", func(a assembler, m, x, y operand.Op) { a.VPMINSD(m, x, y) }, "uint32(min(int32(a), int32(b)))"},
	{"SMax", func(a assembler, m, x, y operand.Op) { a.VPMAXSD(m, x, y) }, "uint32(max(int32(a), int32(b)))"},
}

// binary returns the kernels of the operations on two rows.
func binary() (list []kernel) {
	for _, p := range pairs {
		list = append(list, chain(p.name, 2, pair(p.op), p.lane))
	}
	return list
}

const generated = "// Code generated by isa/avo. DO NOT EDIT.\n\npackage isa\n\n"

// kernelNames returns the Go file of the kernels' numbers.
func kernelNames() ([]byte, error) {
	var b strings.Builder
	b.WriteString(generated + "// A kernel is the number of a step's code, in its first form; the others follow it.\ntype kernel int\n\nconst (\n")
	n := 0
	for _, k := range kernels {
		fmt.Fprintf(&b, "\tkernel%s kernel = %d\n", k.name, n)
		n += k.forms()
	}
	last := 0
	for n, k := 0, 0; k < len(kernels); k++ {
		if n += kernels[k].forms(); kernels[k].chained {
			last = n
		}
	}
	fmt.Fprintf(&b, "\n\t// Those with two sources or more before it have forms for what the last kernel left.\n\tkernelUnchained kernel = %d\n", last)
	b.WriteString(")\n\n// kernels are where the code of steps begins.\n" + fmt.Sprintf("var kernels [%d]uintptr\n", n))
	return format.Source([]byte(b.String()))
}

// kernelTests returns the table of the kernels' results in one lane.
func kernelTests() ([]byte, error) {
	var b strings.Builder
	b.WriteString(strings.Replace(generated, "package isa\n", "package isa\n\nimport \"math\"\n", 1))
	for _, t := range []struct {
		doc, name, result string
		kinds             []kind
		bits              int
	}{
		{"rowMeanings are what kernels on rows compute of one lane.", "rowMeanings", "uint32", []kind{rows}, 32},
		{"testMeanings are the lanes for which kernels of tests hold.", "testMeanings", "bool", []kind{test}, 32},
		{"wordMeanings are what kernels on scalars compute.", "wordMeanings", "uint32", []kind{word}, 32},
		{"maskMeanings are what kernels on masks compute.", "maskMeanings", "uint64", []kind{mask}, 64},
	} {
		fmt.Fprintf(&b, "// %s\nvar %s = map[kernel]func(a, b, c uint%d) %s{\n", t.doc, t.name, t.bits, t.result)
		for _, k := range kernels {
			for _, of := range t.kinds {
				if k.kind == of {
					fmt.Fprintf(&b, "\tkernel%s: func(a, b, c uint%d) %s { return %s },\n", k.name, t.bits, t.result, k.lane)
				}
			}
		}
		b.WriteString("}\n\n")
	}
	return format.Source([]byte(b.String()))
}

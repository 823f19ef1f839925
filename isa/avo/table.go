package main

import (
	"fmt"
	"go/format"
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// A kind is what operands a kernel has.
type kind int

const (
	rows   kind = iota // rows of lanes, sources 8 lanes ahead by steps of their own
	whole              // rows, all of the vector file
	choice             // rows by a mask
	test               // rows to a mask
	word               // scalars of 32 bits
	mask               // masks of lanes
)

// A kernel is the code of a fused step. Lane is what it computes of one lane's a, b and c (a scalar's; of a test, whether it holds),
// as an expression of Go: isa's test of kernels holds the code to it. float is the float of bits, and word32 the bits of a float.
type kernel struct {
	name string
	kind kind
	code func(a assembler)
	lane string
}

func (k kernel) symbol() string { return "step" + k.name }

// kernels are in the order of their numbers.
var kernels = concat(
	[]kernel{{"Mov", rows, move, "a"}},
	binary(rows, assembler.pairs),
	[]kernel{
		{"Shl", rows, shift(vpsllvd), "a << (b & 31)"},
		{"Shr", rows, shift(vpsrlvd), "a >> (b & 31)"},
		{"Sar", rows, shift(vpsravd), "uint32(int32(a) >> (b & 31))"},
		{"Fma", rows, fma, "fmaWord(a, b, c)"},
		{"IMad", rows, multiplyAdd, "a*b + c"},
		{"LshlAdd", rows, shiftAdd, "a<<(b&31) + c"},
		{"Sqrt", rows, root, "word32(float32(math.Sqrt(float64(float(a)))))"},
		{"Rcp", rows, reciprocal, "word32(1 / float(a))"},
		{"Rsq", rows, inverseRoot, "word32(float32(1 / math.Sqrt(float64(float(a)))))"},
		{"UMulHi", rows, high, "uint32(uint64(a) * uint64(b) >> 32)"},
		{"IAdd3", rows, add3, "a + b + c"},
		{"LshlOr", rows, shiftOr, "a<<(b&31) | c"},
		{"SToF", rows, fromSigned, "word32(float32(int32(a)))"},
		{"UToF", rows, fromUnsigned, "word32(float32(a))"},
		{"Select", choice, selectBits, ""},
		{"Equal", test, compare(vpcmpeqd), "a == b"},
		{"Above", test, compare(vpcmpgtd), "int32(a) > int32(b)"},
		{"AboveU", test, aboveUnsigned, "a > b"},
		{"EqualF", test, compareFloats(0x00), "float(a) == float(b)"},
		{"AlikeF", test, compareFloats(0x08), "!(float(a) < float(b)) && !(float(a) > float(b))"},
		{"BelowF", test, compareFloats(0x11), "float(a) < float(b)"},
		{"AtMostF", test, compareFloats(0x12), "float(a) <= float(b)"},
		{"WordIAdd", word, scalar32(assembler.ADDL), "a + b"},
		{"WordISub", word, scalar32(assembler.SUBL), "a - b"},
		{"WordIMul", word, scalar32(func(a assembler, x, y operand.Op) { a.IMULL(x, y) }), "a * b"},
		{"WordAnd", word, scalar32(assembler.ANDL), "a & b"},
		{"WordOr", word, scalar32(assembler.ORL), "a | b"},
		{"WordShl", word, scalarShift(assembler.SHLL), "a << (b & 31)"},
		{"WordShr", word, scalarShift(assembler.SHRL), "a >> (b & 31)"},
		{"WordIEq", word, truth(assembler.SETEQ), "oneIf(a == b)"},
		{"WordINe", word, truth(assembler.SETNE), "oneIf(a != b)"},
		{"WordULt", word, truth(assembler.SETCS), "oneIf(a < b)"},
		{"WordSLt", word, truth(assembler.SETLT), "oneIf(int32(a) < int32(b))"},
		{"WordMov", word, wordMove, "a"},
		{"MaskAnd", mask, scalar(assembler.ANDQ), "a & b"},
		{"MaskOr", mask, scalar(assembler.ORQ), "a | b"},
		{"MaskXor", mask, scalar(assembler.XORQ), "a ^ b"},
		{"MaskNot", mask, maskNot, "^a"},
		{"MaskIEq", mask, maskEqual, "^(a ^ b)"},
		{"MaskSelect", mask, maskSelect, "a&b | ^a&c"},
		{"MaskToLanes", mask, maskToLanes, "lanesIf(a != 0)"},
		{"MaskMov", mask, func(a assembler) { a.RET() }, "a"},
		{"WholeMov", whole, wholeMove, "a"},
	},
	binary(whole, assembler.wholePairs)[:wholeOnes],
	[]kernel{{"WholeFma", whole, wholeFma, "fmaWord(a, b, c)"}},
)

// wholeOnes are how many of the operations on two rows have a form for whole rows: those that programs have most of.
const wholeOnes = 9

// pairs are the operations on two rows.
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

// binary are the kernels of the operations on two rows.
func binary(k kind, code func(a assembler, o op3)) (list []kernel) {
	prefix := map[kind]string{whole: "Whole"}[k]
	for _, p := range pairs {
		list = append(list, kernel{prefix + p.name, k, func(a assembler) { code(a, p.op) }, p.lane})
	}
	return list
}

func concat(lists ...[]kernel) (all []kernel) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

const generated = "// Code generated by isa/avo. DO NOT EDIT.\n\npackage isa\n\n"

// kernelNames is the Go file of the kernels' numbers.
func kernelNames() ([]byte, error) {
	var b strings.Builder
	b.WriteString(generated + "// A kernel is the number of a step's code.\ntype kernel int\n\nconst (\n")
	for i, k := range kernels {
		b.WriteString("\tkernel" + k.name)
		if i == 0 {
			b.WriteString(" kernel = iota")
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n\n// kernels are where the code of steps begins.\n" + fmt.Sprintf("var kernels [%d]uintptr\n", len(kernels)))
	return format.Source([]byte(b.String()))
}

// kernelTests is the table of what kernels compute of one lane.
func kernelTests() ([]byte, error) {
	var b strings.Builder
	b.WriteString(strings.Replace(generated, "package isa\n", "package isa\n\nimport \"math\"\n", 1))
	for _, t := range []struct {
		doc, name, result string
		kinds             []kind
		bits              int
	}{
		{"rowMeanings are what kernels on rows compute of one lane.", "rowMeanings", "uint32", []kind{rows, whole}, 32},
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

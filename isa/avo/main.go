// Command avo writes the assembly of the rows that isa and mem/lane compute with AVX2. It is a separate module, so that
// the generator is no dependency of the product; go generate ./isa runs it.
//
//	table.go   the kernels of fused steps, each with the operation on one lane that its test holds it to
//	steps.go   their code: a kernel finds its operands in registers (isa/steps_amd64.s calls it)
//	double.go  the code of those on 64-bit values
//	flow.go    their control flow: jumps, masks of active lanes, counts of instructions
//	wide.go    operations of single instructions, with operands as arguments
//	trig.go    sines and cosines as package math computes them
//	matrix.go  products of matrices, multiply-adds of long rows
//	lane.go    addresses, gathers and scatters of package mem/lane
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	root := flag.String("root", "../..", "folder of the product's module")
	flag.Parse()
	for _, f := range []struct {
		name string
		make func() ([]byte, error)
	}{
		{"isa/kernels_amd64.s", stepsFile},
		{"isa/kernels_amd64.go", kernelNames},
		{"isa/kernels_amd64_test.go", kernelTests},
		{"isa/wide_amd64.s", assembly(wide)},
		{"isa/trig_amd64.s", assembly(trig)},
		{"isa/matrix_amd64.s", assembly(matrix)},
		{"mem/lane/walk_amd64.s", assembly(lane)},
	} {
		text, err := f.make()
		if err == nil {
			err = os.WriteFile(filepath.Join(*root, f.name), text, 0o644)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "avo: %s: %v\n", f.name, err)
			os.Exit(1)
		}
	}
}

// An assembler collects the functions of a file.
type assembler struct{ *build.Context }

// assembly returns a function that makes a file of the code that write emits.
func assembly(write func(a assembler)) func() ([]byte, error) {
	return func() ([]byte, error) {
		a := assembler{build.NewContext()}
		write(a)
		f, err := a.Result()
		if list, ok := err.(build.ErrorList); ok {
			return nil, errors.Join(splitErrors(list)...)
		}
		if err := pass.Compile.Execute(f); err != nil {
			return nil, err
		}
		text, err := printer.NewGoAsm(printer.Config{Name: "isa/avo"}).Print(f)
		// fields of structures have their offsets by name in go_asm.h
		return bytes.Replace(text, []byte("#include \"textflag.h\""), []byte("#include \"go_asm.h\"\n#include \"textflag.h\""), 1), err
	}
}

func splitErrors(list build.ErrorList) (all []error) {
	for _, e := range list {
		all = append(all, e)
	}
	return all
}

// function begins a function with arguments on the stack.
func (a assembler) function(name, signature string) {
	a.Function(name)
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr(signature)
}

// kernel begins code that finds its operands in registers and keeps no frame.
func (a assembler) kernel(name string) {
	a.Function(name)
	a.Attributes(attr.NOSPLIT | attr.NOFRAME)
	a.SignatureExpr("func()")
}

// arg loads an argument.
func (a assembler) arg(name string, to reg.Register) { a.Load(a.Param(name), to) }

// data returns a table of constants of 4 or 8 bytes.
func (a assembler) data(name string, values ...operand.Constant) operand.Mem {
	m := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, v := range values {
		a.AppendDatum(v)
	}
	return m
}

// words returns the constants of a table of 32 bits each.
func words(values ...uint32) (list []operand.Constant) {
	for _, v := range values {
		list = append(list, operand.U32(v))
	}
	return list
}

// doubles returns the constants of a table of 64 bits each.
func doubles(values ...uint64) (list []operand.Constant) {
	for _, v := range values {
		list = append(list, operand.U64(v))
	}
	return list
}

// laneBits returns a table with a bit for each of eight lanes.
func (a assembler) laneBits() operand.Mem {
	return a.data("lanebits", words(1, 2, 4, 8, 16, 32, 64, 128)...)
}

// memory returns a memory operand at a distance from a register.
func memory(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// ahead returns a memory operand at a multiple of a register's value from another register.
func ahead(base, step reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: base, Index: step, Scale: scale}
}

// field returns a field of the structure that a register points to.
func field(name string, base reg.Register) operand.Mem {
	return operand.Mem{Symbol: operand.Symbol{Name: name}, Base: base}
}

// y and x are the vector registers by number.
func y(n int) reg.VecPhysical {
	return []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}[n]
}

func x(n int) reg.VecPhysical { return y(n).AsX().(reg.VecPhysical) }

// loop repeats body while the counter, which body lowers last, is above 0.
func (a assembler) loop(label string, body func()) {
	a.Label(label)
	body()
	a.JG(operand.LabelRef(label))
}

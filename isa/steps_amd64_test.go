package isa

import (
	"math/rand/v2"
	"testing"
)

// fmaWord is a multiply-add of floats that rounds once.
func fmaWord(a, b, c uint32) uint32 {
	var d [1]uint32
	fmaRowGo(d[:], []uint32{a}, []uint32{b}, []uint32{c})
	return d[0]
}

func oneIf(t bool) uint32 {
	if t {
		return 1
	}
	return 0
}

func lanesIf(t bool) uint64 {
	if t {
		return ^uint64(0)
	}
	return 0
}

// alike says whether words are the same, or both floats that are none.
func alike(a, b uint32) bool { return a == b || isNaN32(uint64(a)) && isNaN32(uint64(b)) }

// kernelRow is a row of lanes, or of a value that is the same in all.
func kernelRow(r *rand.Rand, lanes int) (row []uint32, step int32, at func(lane int) uint32) {
	row = make([]uint32, lanes)
	for i := range row {
		row[i] = uint32(someBits(r, []Type{F32, I32}[r.IntN(2)]))
	}
	if r.IntN(2) == 0 {
		return row, 0, func(lane int) uint32 { return row[lane%8] }
	}
	return row, 32, func(lane int) uint32 { return row[lane] }
}

// kernelCase is three sources and a place for the result in one vector file.
type kernelCase struct {
	file  []uint32
	step  rowStep
	value [3]func(lane int) uint32
}

func newKernelCase(r *rand.Rand, lanes int, uniform bool) *kernelCase {
	c := &kernelCase{}
	for k, to := range []struct{ at, step *int32 }{{&c.step.a, &c.step.stepA}, {&c.step.b, &c.step.stepB}, {&c.step.c, &c.step.stepC}} {
		row, step, at := kernelRow(r, lanes)
		for ; !uniform && step == 0; row, step, at = kernelRow(r, lanes) {
		}
		if step == 0 { // eight times the first value, as a spread one is
			for i := range row {
				row[i] = row[0]
			}
		}
		*to.at, *to.step, c.value[k] = int32(4*len(c.file)), step, at
		c.file = append(c.file, row...)
	}
	c.step.d = int32(4 * len(c.file))
	c.file = append(c.file, make([]uint32, lanes)...)
	return c
}

// Each kernel computes for every lane, scalar or mask what its meaning says.
func TestKernelsAreTheirMeanings(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(61, 62))
	for range 300 {
		lanes := []int{32, 64}[r.IntN(2)]
		for k, meaning := range rowMeanings {
			c := newKernelCase(r, lanes, k < kernelWholeMov)
			c.step.kernel, c.step.kind = kernels[k], stepRows
			if k >= kernelWholeMov {
				c.step.kind = stepWhole
			}
			runSteps(&c.file[0], nil, 0, &c.step, 1, lanes, nil, 0, 0)
			for lane := range lanes {
				a, b, x := c.value[0](lane), c.value[1](lane), c.value[2](lane)
				if got, want := c.file[3*lanes+lane], meaning(a, b, x); !alike(got, want) {
					t.Fatalf("kernel %d of %#x, %#x and %#x: found %#x, want %#x", k, a, b, x, got, want)
				}
			}
		}
		for k, meaning := range testMeanings {
			c := newKernelCase(r, lanes, true)
			c.step.kernel, c.step.kind, c.step.c, c.step.d = kernels[k], stepTest, 0, 0
			s := []uint64{0}
			runSteps(&c.file[0], &s[0], ^uint64(0), &c.step, 1, lanes, nil, 0, 0)
			for lane := range lanes {
				a, b := c.value[0](lane), c.value[1](lane)
				if got, want := s[0]>>lane&1 != 0, meaning(a, b, 0); got != want {
					t.Fatalf("kernel %d of %#x and %#x: found %t, want %t", k, a, b, got, want)
				}
			}
		}
	}
}

// So do those of scalars and of masks.
func TestScalarKernelsAreTheirMeanings(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(63, 64))
	step := rowStep{a: 0, b: 8, c: 16, d: 24, stepA: 8, stepB: 8, stepC: 8}
	for range 1000 {
		v := []uint32{0}
		for k, meaning := range wordMeanings {
			s := []uint64{r.Uint64()<<32 | uint64(uint32(someBits(r, I32))), r.Uint64()<<32 | uint64(uint32(someBits(r, I32))), 0, 0}
			step.kernel, step.kind = kernels[k], stepWord
			runSteps(&v[0], &s[0], ^uint64(0), &step, 1, 32, nil, 0, 0)
			if want := meaning(uint32(s[0]), uint32(s[1]), 0); s[3] != uint64(want) {
				t.Fatalf("kernel %d of %#x and %#x: found %#x, want %#x", k, s[0], s[1], s[3], want)
			}
		}
		for k, meaning := range maskMeanings {
			s := []uint64{r.Uint64() >> (r.IntN(2) * 64), r.Uint64(), r.Uint64(), r.Uint64()}
			exec, before := r.Uint64(), s[3]
			step.kernel, step.kind = kernels[k], stepMask
			runSteps(&v[0], &s[0], exec, &step, 1, 32, nil, 0, 0)
			if want := meaning(s[0], s[1], s[2])&exec | before&^exec; s[3] != want {
				t.Fatalf("kernel %d of %#x, %#x and %#x under %#x: found %#x, want %#x", k, s[0], s[1], s[2], exec, s[3], want)
			}
		}
	}
}

// Every kernel has a meaning, but for the choice between rows, which TestFusedStepsAreTheirInstructions holds to its instruction.
func TestEveryKernelHasAMeaning(t *testing.T) {
	if n := len(rowMeanings) + len(testMeanings) + len(wordMeanings) + len(maskMeanings) + 1; n != len(kernels) {
		t.Errorf("%d meanings of %d kernels", n, len(kernels))
	}
}

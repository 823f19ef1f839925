package isa

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// fmaWord returns a multiply-add of floats that rounds once.
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

// alike reports whether words are equal, or both NaNs.
func alike(a, b uint32) bool { return a == b || isNaN32(uint64(a)) && isNaN32(uint64(b)) }

// kernelRow returns a row of lanes, or of a value that is the same in all.
func kernelRow(r *rand.Rand, lanes int) (row []uint32, spread form) {
	row = make([]uint32, lanes)
	for i := range row {
		row[i] = uint32(someBits(r, []Type{F32, I32}[r.IntN(2)]))
	}
	if spread = form(r.IntN(2)); spread != 0 {
		for i := range row {
			row[i] = row[0]
		}
	}
	return row, spread
}

// kernelCase is three sources and a place for the result in one vector file.
type kernelCase struct {
	file  []uint32
	steps [3]rowStep // the first one moves a source, which the second one may read as the last result
	forms [3]form    // of the sources
}

func newKernelCase(r *rand.Rand, lanes int) *kernelCase {
	c := &kernelCase{}
	for k, at := range c.steps[1].sourceFields() {
		var row []uint32
		row, c.forms[k] = kernelRow(r, lanes)
		*at, c.file = int32(4*len(c.file)), append(c.file, row...)
	}
	c.steps[1].d = int32(4 * len(c.file))
	c.file = append(c.file, make([]uint32, 2*lanes)...)
	c.steps[0].kernel, c.steps[0].d = kernelMov.in(0), c.steps[1].d+int32(4*lanes)
	c.steps[2].kernel = kernelEnd.in(0)
	return c
}

// take chooses a kernel in a form that fits the sources; forms is their number.
func (c *kernelCase) take(r *rand.Rand, k kernel, lanes, forms int) {
	n := map[int]int{1: 1, 2: 1, 3: 2, 8: 2, 7: 3, 19: 3}[forms]
	which := (c.forms[0] | c.forms[1]<<1 | c.forms[2]<<2) & (1<<n - 1)
	if int(which) >= forms || n > 1 && which == 1<<n-1 {
		which = 0 // all sources are the same in all lanes: they are rows too
	}
	if k < kernelUnchained && n > 1 && lanes == 32 && r.IntN(2) == 0 {
		from := c.steps[1].sourceFields()
		if n == 2 && r.IntN(4) == 0 {
			*from[1], which = *from[0], 0
			copy(c.file[lanes:2*lanes], c.file)
		}
		f := Fuser{last: *from[r.IntN(n)] + 1}
		c.steps[0].a = f.last - 1
		which = f.chained(&c.steps[1], n, which)
	}
	c.steps[1].kernel = k.in(which)
}

// formsOf returns the number of forms of each kernel.
func formsOf() map[kernel]int {
	all := []kernel{kernel(len(kernels))}
	for _, list := range [][]kernel{slices.Collect(maps.Keys(rowMeanings)), slices.Collect(maps.Keys(testMeanings)), slices.Collect(maps.Keys(wordMeanings)),
		slices.Collect(maps.Keys(maskMeanings)), {kernelSelect}} {
		all = append(all, list...)
	}
	slices.Sort(all)
	forms := map[kernel]int{}
	for i, k := range all[:len(all)-1] {
		forms[k] = int(all[i+1] - k)
	}
	return forms
}

// Each kernel computes its meaning for every lane, scalar or mask.
func TestKernelsAreTheirMeanings(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(61, 62))
	forms := formsOf()
	for range 300 {
		lanes := []int{32, 64}[r.IntN(2)]
		for k, meaning := range rowMeanings {
			c := newKernelCase(r, lanes)
			c.take(r, k, lanes, forms[k])
			runSteps(&c.file[0], nil, lanes, &c.steps[0], &stepRun{})
			for lane := range lanes {
				a, b, x := c.file[lane], c.file[lanes+lane], c.file[2*lanes+lane]
				if got, want := c.file[3*lanes+lane], meaning(a, b, x); !alike(got, want) {
					t.Fatalf("kernel %d of %#x, %#x and %#x: found %#x, want %#x", k, a, b, x, got, want)
				}
			}
		}
		for k, meaning := range testMeanings {
			c := newKernelCase(r, lanes)
			c.take(r, k, lanes, forms[k])
			c.steps[1].c, c.steps[1].d = 0, 0
			s := []uint64{0}
			runSteps(&c.file[0], &s[0], lanes, &c.steps[0], &stepRun{exec: ^uint64(0)})
			for lane := range lanes {
				a, b := c.file[lane], c.file[lanes+lane]
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
	forms := formsOf()
	for range 1000 {
		v := []uint32{0}
		steps := [2]rowStep{1: {kernel: kernelEnd.in(0)}}
		step := &steps[0]
		for k, meaning := range wordMeanings {
			s := []uint64{r.Uint64()<<32 | uint64(uint32(someBits(r, I32))), r.Uint64()<<32 | uint64(uint32(someBits(r, I32))), 0, 0}
			which := r.IntN(forms[k])
			*step = rowStep{kernel: k.in(form(which)), d: 24}
			for i, at := range step.sourceFields()[:2] {
				if *at = int32(8 * i); which>>i&1 != 0 {
					*at = int32(uint32(s[i]))
				}
			}
			runSteps(&v[0], &s[0], 32, step, &stepRun{exec: ^uint64(0)})
			if want := meaning(uint32(s[0]), uint32(s[1]), 0); s[3] != uint64(want) {
				t.Fatalf("kernel %d of %#x and %#x: found %#x, want %#x", k, s[0], s[1], s[3], want)
			}
		}
		for k, meaning := range maskMeanings {
			s := []uint64{r.Uint64() >> (r.IntN(2) * 64), r.Uint64(), r.Uint64(), r.Uint64()}
			exec, before := r.Uint64(), s[3]
			*step = rowStep{kernel: k.in(0), d: 24, scalars: r.Uint32N(8)}
			for i, at := range step.sourceFields() {
				if *at = int32(8 * i); step.scalars>>i&1 == 0 {
					*at = int32(r.Uint32())
					s[i] = uint64(int64(*at))
				}
			}
			runSteps(&v[0], &s[0], 32, step, &stepRun{exec: exec})
			if want := meaning(s[0], s[1], s[2])&exec | before&^exec; s[3] != want {
				t.Fatalf("kernel %d of %#x, %#x and %#x under %#x: found %#x, want %#x", k, s[0], s[1], s[2], exec, s[3], want)
			}
		}
	}
}

// Every form of every kernel has a meaning, but for the last ones, of which the tests of fused steps, fills and loops use each.
func TestEveryKernelHasAMeaning(t *testing.T) {
	n := 0
	for k, forms := range formsOf() {
		if k < kernelSelect {
			n += forms
		}
	}
	if n != int(kernelSelect) {
		t.Errorf("%d forms with a meaning, of %d", n, kernelSelect)
	}
}

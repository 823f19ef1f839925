package program

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/program/opt"
)

// vectorCopy loads a vector of n words, makes another of it word by word, keeping the first where asked, and stores it.
func vectorCopy(n int, keep bool) string {
	s := newShader()
	s.names.WriteString("OpDecorate %row ArrayStride 16\nOpMemberDecorate %table 0 Offset 0\nOpDecorate %table Block\nOpDecorate %rows DescriptorSet 0\nOpDecorate %rows Binding 1\n")
	vec := "%uint3"
	if n != 3 {
		vec = "%vec"
		s.typef("%%vec = OpTypeVector %%uint %d", n)
	}
	s.typef("%%row = OpTypeRuntimeArray %s\n%%table = OpTypeStruct %%row\n%%tableptr = OpTypePointer StorageBuffer %%table", vec)
	s.typef("%%vecptr = OpTypePointer StorageBuffer %s\n%%rows = OpVariable %%tableptr StorageBuffer", vec)
	s.add("%%at = OpAccessChain %%vecptr %%rows %%u0 %%x\n%%v = OpLoad %s %%at", vec)
	s.add("%%sevens = OpCompositeConstruct %s%s", vec, strings.Repeat(" %u7", n))
	s.add("%%w = OpBitwiseXor %s %%v %%sevens\nOpStore %%at %%w", vec)
	if keep {
		for k := range n {
			s.add("%%e%d = OpCompositeExtract %%uint %%v %d", k, k)
			s.store(fmt.Sprintf("e%d", k), "%x", fmt.Sprintf("%%e%d", k))
		}
	}
	return s.text()
}

// What RADV 22.3 reports for fiji: an address in v0, and a load of four words in v[4:7], whose parts end one by one, so that the row that is stored is
// v[8:11]. Two words lie in v[2:3] and v[4:5], three in v[1:3] and v[4:6].
func TestRowsOfRegisters(t *testing.T) {
	target := Target{WaveSize: 64, Descriptors: true, Opt: opt.Options{WaveSize: 64, Registers: opt.RegisterFile{All: 256, Granule: 4, Waves: 10}}}
	for n, want := range map[int]int{2: 6, 3: 7, 4: 12} {
		p := suite.Must(lowerText(context.Background(), t, vectorCopy(n, false), target))(t)
		if p.VectorRegs != want {
			t.Errorf("%d words: %d registers, want %d", n, p.VectorRegs, want)
		}
		kept, err := lowerText(context.Background(), t, vectorCopy(n, true), target)
		if err != nil {
			t.Fatal(err)
		}
		if kept.VectorRegs < p.VectorRegs {
			t.Errorf("%d words that live on: %d registers", n, kept.VectorRegs)
		}
		other := target
		other.Descriptors = false
		if p, err = lowerText(context.Background(), t, vectorCopy(n, false), other); err != nil || p.VectorRegs > n+2 {
			t.Errorf("%d words by first fit: %d registers, %v", n, p.VectorRegs, err)
		}
	}
}

// One register comes from the smallest gap, rows of two, four and eight from the first aligned place, others from where a gap begins or ends on a better boundary.
func TestGapsOfRegisters(t *testing.T) {
	d := &acoRegisterModel{owner: make([]int, 24)}
	for _, r := range []int{0, 3, 4, 9, 10} {
		d.owner[r] = 1
	}
	for n, want := range map[int]int{1: 1, 2: 6, 3: 5, 4: 12, 5: 11, 8: 16, 13: 11, 14: -1} {
		if got := d.fit(n); got != want {
			t.Errorf("%d registers from v%d, want v%d", n, got, want)
		}
	}
}

// As many registers may be used as leave the waves that the tightest point leaves, or that the LDS leaves.
func TestRegistersOfWaves(t *testing.T) {
	file := opt.RegisterFile{All: 256, Granule: 4, Waves: 10}
	for _, c := range [][3]int{{1, 100, 24}, {24, 100, 24}, {25, 100, 28}, {1, 4, 64}, {65, 100, 84}, {200, 100, 256}, {256, 1, 256}} {
		if got := file.RegistersAtOccupancy(c[0], c[1]); got != c[2] {
			t.Errorf("%d registers and %d waves of LDS: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

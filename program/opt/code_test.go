package opt

import (
	"bytes"
	goflag "flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/program/ir"
)

var update = goflag.Bool("update", false, "write testdata/code.txt")

// codeOptions are machines with different options of the passes.
var codeOptions = []struct {
	name string
	o    Options
}{
	{"plain", Options{WaveSize: 8}},
	{"pointers", Options{WaveSize: 8, FuseMad: true, FuseMad16: true, LshlAdd: true, Add3: true, SelectBuffers: true}},
	{"descriptors", Options{WaveSize: 64, LshlAdd: true, Add3: true, TwoScalars: true, Registers: RegisterFile{All: 256, Granule: 4, Waves: 10}}},
	{"divider", Options{WaveSize: 32, ScalarFloat: true, UnrollTrips: 4, UnrollValues: 64, MaxVectorRegs: 8, Divides: func(_ isa.Op, t isa.Type) bool { return t == isa.I32 }}},
}

// countCode adds the counts of an optimised function to those of a machine: each operation, with its types and whether
// it is uniform, the form of each access, blocks, and the distances of values from their first readers.
func countCode(times map[string]int, machine string, f *ir.Func) {
	add := func(n int, format string, args ...any) { times[machine+" "+fmt.Sprintf(format, args...)] += n }
	add(len(f.Blocks), "blocks")
	for _, b := range f.Blocks {
		read := map[*ir.Value]bool{}
		for i, v := range slices.Backward(b.Code) {
			for _, a := range v.Args {
				read[a] = true
			}
			if v.Op == isa.Const {
				continue
			}
			add(1, "%s.%s uniform %t", isa.Table[v.Op].Name, v.T, v.Uniform)
			if m := v.Mem; m != nil {
				add(1, "access to %d: %d of %s, base %t, index %t, offset %d", m.Space, m.Count, m.Elem, m.HasBase, m.HasIndex, m.Offset/64)
			}
			if read[v] {
				first := slices.IndexFunc(b.Code[i+1:], func(w *ir.Value) bool { return slices.Contains(w.Args, v) })
				add(first, "apart")
			}
		}
		add(len(b.Phis), "phis")
	}
}

// accesses draws a function of loads and stores of words, parts of words and pairs of words, close to each other, from and to buffers and the LDS: each lane has 32 bytes
// of each for itself.
func accesses(t *testing.T, seed uint64) *ir.Func {
	r := rand.New(rand.NewPCG(seed, 12))
	b := newBuilder(t)
	b.f.LocalSize, b.f.LDSBytes = [3]uint32{8, 1, 1}, 256
	b.f.Bindings = []ir.Binding{{Count: 1, Restrict: seed%2 == 0}, {Binding: 1, Count: 1, Writes: true}}
	lane := b.op(isa.LocalIndex, isa.I32)
	own := b.op(isa.Shl, isa.I32, lane, b.c(5))
	sum := lane
	places := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I32, isa.I64}
	for range 12 + r.IntN(16) {
		elem := places[r.IntN(len(places))]
		at := uint32(r.IntN(32)) &^ uint32(elem.Bits()/8-1)
		m := ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Elem: elem, Offset: at}, Align: 4 << r.IntN(4)}
		switch kind := r.IntN(6); {
		case kind < 2:
			m.ReadOnly, m.Volatile = true, r.IntN(12) == 0
		case kind < 4:
			m.Binding, m.Object = 1, 1
		default:
			m.Space, m.Object, m.Align = isa.SpaceLDS, 2, 4<<r.IntN(2)
		}
		if !m.ReadOnly && r.IntN(2) == 0 {
			b.store(m, own, b.resized(sum, elem, isa.UConvert))
			continue
		}
		loaded := b.resized(b.load(m, own), isa.I32, []isa.Op{isa.UConvert, isa.SConvert}[r.IntN(2)])
		sum = b.op([]isa.Op{isa.IAdd, isa.Xor, isa.Or}[r.IntN(3)], isa.I32, sum, loaded)
	}
	b.store(ir.Mem{Access: isa.Access{Space: isa.SpaceBuffer, Binding: 1, Elem: isa.I32, Offset: 512}, Object: 1}, b.op(isa.Shl, isa.I32, lane, b.c(2)), sum)
	b.ret()
	setBlocks(b.f)
	return b.f
}

// resized is a value as an integer of another size.
func (b *builder) resized(v *ir.Value, to isa.Type, by isa.Op) *ir.Value {
	if v.R == to {
		return v
	}
	if to.Bits() < v.R.Bits() {
		by = isa.UConvert
	}
	return b.conv(by, to, v.R, v)
}

// Accesses of any size leave the same memory when passes have taken them apart and put them together.
func TestDrawnAccessesKeepMemory(t *testing.T) {
	for seed := range uint64(80) {
		want := interpret(t, accesses(t, seed))
		for _, machine := range codeOptions {
			f := accesses(t, seed)
			before := printed(f)
			if err := ir.Verify(f); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, before)
			}
			Run(f, machine.o)
			if got := interpret(t, f); !bytes.Equal(got, want) {
				t.Fatalf("seed %d, %s: %s\nbefore:\n%s\nafter:\n%s", seed, machine.name, firstDifference(want, got), before, printed(f))
			}
		}
	}
}

// Random programs become as many operations of each kind as in testdata/code.txt, in total, and each has the text of
// its digest. -update writes the file.
func TestCodeOfRandomPrograms(t *testing.T) {
	const programs = 120
	times := map[string]int{}
	var lines []string
	for _, machine := range codeOptions {
		var digests [2]strings.Builder
		for seed := range uint64(programs) {
			f := accesses(t, seed)
			Run(f, machine.o)
			countCode(times, "accesses "+machine.name, f)
			digests[0].WriteString(" " + suite.Digest([]byte(printed(f))))
		}
		draw := rapid.Custom(func(r *rapid.T) *ir.Func { return program(t, r) })
		for seed := range programs {
			f := draw.Example(seed)
			Run(f, machine.o)
			countCode(times, machine.name, f)
			digests[1].WriteString(" " + suite.Digest([]byte(printed(f))))
		}
		lines = append(lines, fmt.Sprintf("%s:%s\n", machine.name, digests[1].String()), fmt.Sprintf("accesses %s:%s\n", machine.name, digests[0].String()))
	}
	for text, n := range times {
		lines = append(lines, fmt.Sprintf("%s: %d\n", text, n))
	}
	slices.Sort(lines)
	suite.CompareRecorded(t, "code.txt", strings.Join(lines, ""), *update)
}

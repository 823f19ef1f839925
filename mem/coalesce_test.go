package mem

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spvsim/internal/spec"
	"spvsim/isa"
	"spvsim/mem/hierarchy"
)

// A timedLoad is a load of a wave, and how long the vector memory unit is taken for it.
type timedLoad struct {
	name   string
	words  int
	start  uint32 // of the first lane, bytes
	stride uint32
	exec   uint64
	busy   uint64
}

// timeLoads asks each load of a new machine.
func timeLoads(t *testing.T, s *hierarchy.Spec, loads []timedLoad) {
	t.Helper()
	for _, c := range loads {
		b := newBench(t, 64*256)
		shape := &spec.Shape{ShaderEngines: 4, ComputeUnits: 16}
		b.h = hierarchy.NewAnalytic(s, shape)
		b.port = NewPorts(b.store, b.h, s, shape)[0]
		b.index(0, c.stride)
		b.st.Exec = c.exec
		in := access(isa.Load, isa.I32, c.words)
		in.Mem.Offset = c.start
		if got := b.port.Issue(0, b.st, &b.env, in).UnitFreeAt; got != c.busy {
			t.Errorf("%s: the unit is taken for %d cycles, want %d", c.name, got, c.busy)
		}
	}
}

// Lanes share a block where one cycle takes their addresses and their bytes
// follow each other; others share half a block.
func TestBlocksOfLanes(t *testing.T) {
	s := hierarchy.DefaultSpec()
	s.VectorMemory.BlockBytes = 64
	timeLoads(t, &s, []timedLoad{
		{"words in a row", 1, 0, 4, 1<<64 - 1, 4},
		{"words in a row, off a block", 1, 4, 4, 1<<64 - 1, 8},
		{"half of the lanes", 1, 4, 4, 1<<32 - 1, 4},
		{"four words in a row", 4, 0, 16, 1<<64 - 1, 16},
		{"four words in a row, off a block", 4, 16, 16, 1<<64 - 1, 20},
		{"the same word", 1, 0, 0, 1<<64 - 1, 4},
		{"words 8 bytes apart", 1, 0, 8, 1<<64 - 1, 16},
		{"words 16 bytes apart", 1, 0, 16, 1<<64 - 1, 32},
		{"words 32 bytes apart", 1, 0, 32, 1<<64 - 1, 64},
		{"words 128 bytes apart", 1, 0, 128, 1<<64 - 1, 64},
	})
}

// Lanes that scatter go by so many a cycle: in one half of a block or, with banks of words, at an odd distance. A quad that
// never conflicts and lanes of several channels take a wave of 64 in 16 cycles wherever they are (gpuopen.com, Understanding Memory
// Coalescing on GCN; sebbbi/perftest measures the same), in 32 where each touches two lines and four are looked up in a cycle.
func TestScatteredLanes(t *testing.T) {
	const all = 1<<64 - 1
	s := hierarchy.DefaultSpec()
	v := &s.VectorMemory
	v.BlockBytes, v.ScatteredLanes, v.WordBanks = 64, 2, 2
	timeLoads(t, &s, []timedLoad{
		{"words in a row", 1, 0, 4, all, 4},
		{"words in a row, off a block", 1, 4, 4, all, 8},
		{"words in a row but one, off a block", 1, 4, 4, all &^ 2, 8},
		{"the same word", 1, 0, 0, all, 4},
		{"words 8 bytes apart", 1, 0, 8, all, 32},
		{"words 12 bytes apart", 1, 0, 12, all, 32},
		{"words 16 bytes apart", 1, 0, 16, all, 32},
		{"words 32 bytes apart", 1, 0, 32, all, 64},
		{"words 36 bytes apart", 1, 0, 36, all, 32},
		{"words 40 bytes apart", 1, 0, 40, all, 64},
		{"words 132 bytes apart", 1, 0, 132, all, 32},
		{"four words 64 bytes apart", 4, 0, 64, all, 64},
	})
	v.WordBanks, v.WideLanesPerCycle, v.TagsPerCycle, s.VectorL1.Misses = 1, 4, 4, 0
	timeLoads(t, &s, []timedLoad{
		{"words 36 bytes apart, no banks", 1, 0, 36, all, 64},
		{"two words in a row", 2, 0, 8, all, 16},
		{"two words 128 bytes apart", 2, 0, 128, all, 16},
		{"two words in each of 32 lanes", 2, 0, 128, 1<<32 - 1, 8},
		{"four words in a row", 4, 0, 16, all, 16},
		{"four words in two lines each", 4, 56, 128, all, 32},
	})
	b := newBench(t, 64*256)
	b.port = NewPorts(b.store, b.h, &s, &spec.Shape{ShaderEngines: 4, ComputeUnits: 16})[0]
	b.index(0, 128)
	if got := b.port.Issue(0, b.st, &b.env, access(isa.Store, isa.I32, 2)).UnitFreeAt; got != 64 {
		t.Errorf("two words stored 128 bytes apart: the unit is taken for %d cycles, want 64", got)
	}
	v.ScatteredLanes, v.WordBanks = 4, 0
	timeLoads(t, &s, []timedLoad{
		{"words in a row, quads", 1, 0, 4, all, 4},
		{"words 8 bytes apart, quads", 1, 0, 8, all, 16},
		{"words 128 bytes apart, quads", 1, 0, 128, all, 16},
	})
}

// Blocks that are larger than lines, and lanes between which others are idle, share them too.
func TestBlocksOfLanesApart(t *testing.T) {
	s := hierarchy.DefaultSpec()
	s.VectorMemory.BlockBytes = 4 * s.VectorL1.LineBytes
	timeLoads(t, &s, []timedLoad{{"words a line apart", 1, 0, uint32(s.VectorL1.LineBytes), 1<<64 - 1, 32}})
	s.VectorMemory.BlockBytes = s.VectorL1.LineBytes
	b := newBench(t, 1<<16)
	b.port = NewPorts(b.store, b.h, &s, &spec.Shape{ShaderEngines: 4, ComputeUnits: 16})[0]
	b.index(0, 4)
	row := b.st.V[int(access(isa.Load, isa.I32, 1).Mem.Index.Index)*b.st.Lanes:][:b.st.Lanes]
	for l := 1; l < len(row); l += 2 {
		row[l] = 1<<15 + uint32(l)<<8
	}
	b.st.Exec = 0x5555555555555555
	if got := b.port.Issue(0, b.st, &b.env, access(isa.Load, isa.I32, 1)).UnitFreeAt; got != 8 {
		t.Errorf("every other lane of four lines: the unit is taken for %d cycles, want 8: half a block for four of them", got)
	}
}

// Each step of the lanes to a range of addresses whose translation is not kept takes a translation. A table that is all kept takes none
// from the second time on, rows of which more ranges are read than are kept take all of theirs each time.
func TestTranslations(t *testing.T) {
	const cycles = 2.5
	for _, c := range []struct {
		name                string
		stride              uint32
		exec                uint64
		lines, first, again uint64 // of the address path, and translations
	}{
		{"words in a row", 4, 1<<64 - 1, 4, 1, 0},
		{"words 128 bytes apart: 8 KB in all", 128, 1<<64 - 1, 64, 1, 0},
		{"words 2 KB apart", 2048, 1<<64 - 1, 64, 16, 0},
		{"words 2 KB apart, every other lane", 2048, 0x5555555555555555, 32, 16, 0},
		{"words 8 KB apart", 8192, 1<<64 - 1, 64, 64, 64},
		{"words 16 KB apart", 16384, 1<<64 - 1, 64, 64, 64},
		{"one lane", 16384, 1, 1, 1, 0},
	} {
		b := newBench(t, 64*16384)
		s, shape := hierarchy.DefaultSpec(), &spec.Shape{ShaderEngines: 4, ComputeUnits: 16}
		s.VectorMemory.TranslationBytes, s.VectorMemory.TranslationCycles = 8192, cycles
		b.port = NewPorts(b.store, b.h, &s, shape)[0]
		b.index(0, c.stride)
		b.st.Exec = c.exec
		for i, n := range []uint64{c.first, c.again} {
			want := c.lines + uint64(cycles*float64(n))
			if got := b.port.Issue(uint64(i)*1e6, b.st, &b.env, access(isa.Load, isa.I32, 1)).UnitFreeAt - uint64(i)*1e6; got != want {
				t.Errorf("%s: the unit is taken for %d cycles, want %d", c.name, got, want)
			}
		}
	}
}

// A vector cache with sectors fetches the halves of lines that lanes read something of, whatever the type, the order of the lanes and how
// many are active; what was fetched is there the next time.
func TestSectorsOfLanes(t *testing.T) {
	const size = 1 << 14 // bytes of the buffer: half of the cache
	s, shape := hierarchy.DefaultSpec(), &spec.Shape{ShaderEngines: 4, ComputeUnits: 16}
	s.VectorL1.LineBytes, s.VectorL1.SectorBytes, s.L2.LineBytes = 128, 64, 128
	s.VectorL1.Bytes, s.VectorL1.Ways = 2*size, 64
	types := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		typ, count := types[r.IntN(len(types))], 1+r.IntN(3)
		b, f := newBench(t, size), hierarchy.NewAnalytic(&s, shape)
		b.port = NewPorts(b.store, f, &s, shape)[0]
		each := uint32(typ.Bits() / 8)
		bytes := each * uint32(count)
		b.st.Exec = r.Uint64() | r.Uint64() | 1
		row := b.st.V[int(access(isa.Load, typ, count).Mem.Index.Index)*b.st.Lanes:][:b.st.Lanes]
		stride := (1 + r.Uint32N(size/64/each-1)) * each
		halves := map[uint64]bool{}
		addr := b.env.Descriptors[0].Addr
		for l := range row {
			if row[l] = uint32(l) * stride; r.IntN(4) == 0 {
				row[l] = r.Uint32N(size-64) / each * each
			}
			for a := addr + uint64(row[l]); b.st.Exec>>l&1 != 0 && a < addr+uint64(row[l]+bytes); a++ {
				halves[a/64] = true
			}
		}
		for i, want := range []uint64{64 * uint64(len(halves)), 0} {
			before := countOf(f, "l2").Bytes
			b.port.Issue(uint64(i)*1e6, b.st, &b.env, access(isa.Load, typ, count))
			if got := countOf(f, "l2").Bytes - before; got != want {
				t.Errorf("seed %d: load %d of %d elements of %d bytes fetches %d bytes, want %d", seed, i, count, each, got, want)
			}
		}
	}
}

// Sectors of an access are those that some lane has a byte in, whether the machine marks words of lines or not, for lanes that
// follow each other, that are apart, and in any order; and recording them changes neither lines nor time.
func TestRecordedSectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 1))
	for _, sectored := range []int{0, 64} {
		s := hierarchy.DefaultSpec()
		s.VectorL1.SectorBytes = sectored
		shape := &spec.Shape{ShaderEngines: 4, ComputeUnits: 16}
		for range 200 {
			plain, recorded := newBench(t, 64*256), newBench(t, 64*256)
			start, stride, exec := 4*rng.Uint32N(64), []uint32{0, 4, 8, 12, 16, 32, 36, 128, 200}[rng.IntN(9)], rng.Uint64()|1
			op, words := []isa.Op{isa.Load, isa.Store}[rng.IntN(2)], 1+rng.IntN(4)
			want := map[uint64]bool{}
			var ports [2]*Port
			for i, b := range []*bench{plain, recorded} {
				b.h = hierarchy.NewAnalytic(&s, shape)
				ports[i] = NewPorts(b.store, b.h, &s, shape)[0]
				b.index(0, stride)
				b.st.Exec = exec
			}
			ports[1].RecordLines()
			in := access(op, isa.I32, words)
			in.Mem.Offset = start
			a, b := *ports[0].Issue(0, plain.st, &plain.env, in), *ports[1].Issue(0, recorded.st, &recorded.env, in)
			if a != b || !slices.Equal(ports[0].Request().Lines, ports[1].Request().Lines) {
				t.Fatalf("%v of %d words, stride %d: recording changes %v to %v", op, words, stride, a, b)
			}

			for l := range uint64(64) {
				for n := range uint64(4 * words) {
					if at := uint64(start) + l*uint64(stride) + n; exec>>l&1 != 0 && at < 64*256 {
						want[at/32] = true
					}
				}
			}
			got := 0
			_, sectors := ports[1].RecordedLines()
			for i := range ports[1].Request().Lines {
				got += sectors[i].Count()
			}
			if got != len(want) {
				t.Errorf("%v of %d words from %d, stride %d, lanes %x, sectors of %d: %d sectors, want %d", op, words, start, stride, exec, sectored, got, len(want))
			}
		}
	}
}

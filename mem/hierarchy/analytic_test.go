package hierarchy

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
	"spvsim/internal/spec"
)

// tiny is a machine of two engines of two compute units whose sums are easy:
// L1 4 lines in 2 sets, one L2 slice, one channel.
func tiny() Spec {
	return Spec{
		VectorMemory: VectorMemorySpec{LanesPerCycle: 64, LinesPerCycle: 1, TranslationBytes: 4096, TranslationEntries: 32, MaxOutstanding: 64, AtomicCycles: 1,
			BankSpec: DefaultSpec().VectorMemory.BankSpec},
		Translation: TranslationSpec{Ways: 8, PageBytes: 4096},
		Texture:     TextureSpec{QuadsPerCycle: 1, TexelBytes: 4, TrilinearPasses: 2},
		VectorL1:    CacheSpec{Bytes: 256, LineBytes: 64, Ways: 2, Slices: 1, SharedBy: 1, LatencyCycles: 10, BytesPerCycle: 64, Write: WriteThrough},
		ScalarL1:    CacheSpec{Bytes: 256, LineBytes: 64, Ways: 2, Slices: 1, SharedBy: 2, LatencyCycles: 5, BytesPerCycle: 64, Write: ReadOnly},
		L2: CacheSpec{Bytes: 1024, LineBytes: 64, Ways: 2, Slices: 1, LatencyCycles: 100, BytesPerCycle: 64,
			Write: WriteBack, WriteAllocate: true},
		Memory: MemorySpec{Model: "fast", Bytes: 1 << 20, Channels: 1, InterleaveBytes: 256, BytesPerCycle: 16, LatencyCycles: 1000},
	}
}

func tinyShape() *spec.Shape { return &spec.Shape{ShaderEngines: 2, ComputeUnits: 2} }

func newTiny(t *testing.T, edit func(*Spec)) *Analytic {
	t.Helper()
	s := tiny()
	if edit != nil {
		edit(&s)
	}
	return NewAnalytic(&s, tinyShape())
}

func request(cu int, kind Kind, addrs ...uint64) *Request {
	r := &Request{CU: cu, Kind: kind, Busy: uint64(len(addrs))}
	for _, a := range addrs {
		r.Lines = append(r.Lines, Line{Addr: a, Bytes: 64, Words: 1<<16 - 1})
	}
	return r
}

func (f *Analytic) count(name string) Counter {
	for _, c := range f.Counters() {
		if c.Level == name {
			return c
		}
	}
	return Counter{}
}

func TestLatencySums(t *testing.T) {
	f := newTiny(t, nil)
	steps := []struct {
		name string
		now  uint64
		cu   int
		want uint64 // cycles
	}{
		{"cold", 0, 0, 10 + 100 + 1000},
		{"in flight: the line's own time", 400, 0, 1110 - 400},
		{"L1 hit", 2000, 0, 10},
		{"L2 hit of another compute unit", 3000, 3, 10 + 100},
	}
	for _, s := range steps {
		if got := f.Access(s.now, request(s.cu, Read, 4096)).ReadyAt - s.now; got != s.want {
			t.Errorf("%s: %d cycles, want %d", s.name, got, s.want)
		}
	}
	if c := f.count("vector_l1"); c.Hits != 2 || c.InFlight != 1 || c.Misses != 2 || c.Accesses != 4 {
		t.Errorf("vector_l1: %+v", c)
	}
}

func TestScalarCacheIsShared(t *testing.T) {
	f := newTiny(t, nil)
	r := request(0, Read, 4096)
	r.Scalar = true
	f.Access(0, r)
	r.CU = 1
	if got := f.Access(5000, r).ReadyAt; got != 5005 {
		t.Errorf("neighbour: ready %d, want a hit at 5005", got)
	}
	r.CU = 2
	if got := f.Access(6000, r).ReadyAt; got != 6105 {
		t.Errorf("other engine: ready %d, want an L2 hit at 6105", got)
	}
}

// TestChannelBandwidth: lines queue for the channel at 4 cycles each.
func TestChannelBandwidth(t *testing.T) {
	f := newTiny(t, nil)
	var last uint64
	const lines = 100
	for i := range uint64(lines) {
		last = f.Access(0, request(int(i)%4, Read, 1<<20+i*64)).ReadyAt
	}
	if want := uint64(10 + 100 + 1000 + (lines-1)*4); last != want {
		t.Errorf("last line at %d, want %d", last, want)
	}
}

// TestMissLimit: with n entries, the (n+1)-th miss waits for the first.
func TestMissLimit(t *testing.T) {
	f := newTiny(t, func(s *Spec) { s.VectorL1.Misses = 2; s.Memory.BytesPerCycle = 64 })
	for i, want := range []uint64{1110, 1110 + 1, 2210, 2210} {
		got := f.Access(0, request(0, Read, 1<<20+uint64(i)*64))
		if got.ReadyAt != want && !(i == 3 && got.ReadyAt == want+1) {
			t.Errorf("miss %d ready at %d, want %d", i, got.ReadyAt, want)
		}
		if stalled := got.UnitFreeAt > 1; stalled != (i >= 2) {
			t.Errorf("miss %d: path busy %d cycles", i, got.UnitFreeAt)
		}
	}
}

func TestLRU(t *testing.T) {
	f := newTiny(t, nil)
	at := func(n uint64) uint64 { return 1<<20 + n*128 } // lines of one set of the L1
	now := uint64(0)
	read := func(n uint64) bool {
		now += 10000
		return f.Access(now, request(0, Read, at(n))).ReadyAt == now+10
	}
	for i, want := range []struct {
		line uint64
		hit  bool
	}{{0, false}, {1, false}, {0, true}, {2, false}, {0, true}, {1, false}, {2, false}} {
		if hit := read(want.line); hit != want.hit {
			t.Errorf("access %d, line %d: hit %v, want %v", i, want.line, hit, want.hit)
		}
	}
}

func TestWritePolicy(t *testing.T) {
	f := newTiny(t, nil)
	if got := f.Access(0, request(0, Write, 4096)).ReadyAt; got != 110 {
		t.Errorf("store acknowledged at %d, want 110: L2 takes it without a fetch", got)
	}
	if c := f.count("memory"); c.Accesses != 0 {
		t.Errorf("a store that L2 keeps went to memory: %+v", c)
	}
	if got := f.Access(1000, request(0, Read, 4096)).ReadyAt; got != 1110 {
		t.Errorf("read back at %d, want an L2 hit at 1110: L1 takes no line for a store", got)
	}
	for i := range uint64(2) { // L2 has 8 sets of 2 ways
		f.Access(2000, request(0, Write, 4096+(i+1)*512))
	}
	if c := f.count("l2"); c.Writebacks != 1 {
		t.Errorf("%d write-backs, want 1", c.Writebacks)
	}
	if c := f.count("memory"); c.Bytes != 64 {
		t.Errorf("%d bytes to memory, want the evicted line's 64", c.Bytes)
	}
}

// TestPartialLine: a line that was only partly stored is fetched when read.
func TestPartialLine(t *testing.T) {
	f := newTiny(t, nil)
	part := request(0, Write, 4096)
	part.Lines[0].Bytes, part.Lines[0].Words = 4, 1
	f.Access(0, part)
	if got := f.Access(1000, request(1, Read, 4096)).ReadyAt; got != 1000+1110 {
		t.Errorf("read at %d, want one from memory", got)
	}
	if got := f.Access(5000, request(2, Read, 4096)).ReadyAt; got != 5110 {
		t.Errorf("read at %d, want an L2 hit", got)
	}
}

func TestKernelBoundaryAndReset(t *testing.T) {
	f := newTiny(t, nil)
	f.Access(0, request(0, Read, 4096))
	f.KernelBoundary()
	if got := f.Access(5000, request(0, Read, 4096)).ReadyAt; got != 5110 {
		t.Errorf("after a kernel boundary: %d, want an L2 hit at 5110", got)
	}
	f.Reset()
	if got := f.Access(10000, request(0, Read, 4096)).ReadyAt; got != 11110 {
		t.Errorf("after a reset: %d, want a cold miss at 11110", got)
	}
	if err := f.Flush("l3"); err == nil || f.Flush("l2") != nil {
		t.Errorf("flush: %v", err)
	}
}

// A launch that acquires a level finds nothing there, and what was dirty has been released.
func TestAcquireAtStart(t *testing.T) {
	f := newTiny(t, func(s *Spec) { s.L2.ReleaseAtEnd, s.L2.AcquireAtStart = true, true })
	f.Access(0, request(0, Write, 4096))
	f.Release(2000)
	f.KernelBoundary()
	if got := f.Access(5000, request(0, Read, 4096)).ReadyAt; got != 6110 {
		t.Errorf("after a boundary: %d, want a cold miss at 6110", got)
	}
	for _, c := range f.Counters() {
		if c.Level == "l2" && (c.Writebacks != 1 || c.Misses != 2) {
			t.Errorf("%d lines written back and %d misses, want 1 and 2", c.Writebacks, c.Misses)
		}
	}
}

// What a launch without time left dirty is in the next level when a timed one acquires.
func TestAcquireAfterWarming(t *testing.T) {
	f := newTiny(t, func(s *Spec) {
		s.L2.ReleaseAtEnd, s.L2.AcquireAtStart = true, true
		s.MemorySide = s.L2
		s.MemorySide.SharedBy, s.MemorySide.ReleaseAtEnd, s.MemorySide.AcquireAtStart = 0, false, false
	})
	f.Warm(request(0, Write, 4096))
	f.KernelBoundary()
	r := request(0, Read, 4096)
	f.Access(5000, r)
	for _, c := range f.Counters() {
		if c.Level == "memory" && c.Accesses != 0 {
			t.Errorf("%d accesses of memory, want the line in the last cache", c.Accesses)
		}
	}
}

// What accesses without time came to is of those since counting began, each time the same where they do the same: lines looked at
// by level, and bytes to and from memory.
func TestWarmedIsOfWhatRanSinceItBegan(t *testing.T) {
	f := newTiny(t, nil)
	for i := range uint64(3) {
		f.ResetWarming()
		f.Warm(request(0, Read, 4096*(i+1), 4096*(i+1)+64))
		f.Warm(request(1, Read, 4096*(i+1)))
		w := f.WarmingStats()
		if vector, last := w.Lookups[0], w.Lookups[len(w.Lookups)-1]; w.Requests != 2 || vector != 3 || last != 3 {
			t.Errorf("round %d: %d requests, %d looks at the L1s, %d at the L2: want 2, 3 and 3", i, w.Requests, vector, last)
		}
		if bytes := w.NextLevelBytes[len(w.NextLevelBytes)-1]; bytes != 128 {
			t.Errorf("round %d: %d bytes from memory, want 128", i, bytes)
		}
	}
}

// TestCoherent: what all compute units must see goes past the L1, and past an
// L2 that only one engine has.
func TestCoherent(t *testing.T) {
	f := newTiny(t, nil)
	f.Access(0, request(0, Read, 4096))
	r := request(0, Read, 4096)
	r.Coherent = true
	if got := f.Access(5000, r).ReadyAt; got != 5110 {
		t.Errorf("ready %d, want L2's 5110", got)
	}
	f = newTiny(t, func(s *Spec) { s.L2.SharedBy = 2 })
	f.Access(0, request(0, Read, 4096))
	if got := f.Access(5000, r).ReadyAt; got != 6110 {
		t.Errorf("ready %d, want memory's 6110", got)
	}
}

func TestAtomicsOfOneElementFollowEachOther(t *testing.T) {
	f := newTiny(t, nil)
	f.Access(0, request(0, Read, 4096))
	r := request(1, Atomic, 4096)
	r.Lines[0].Serial = 63
	if got := f.Access(5000, r).ReadyAt; got != 5000+110+63 {
		t.Errorf("ready %d, want %d", got, 5000+110+63)
	}
	if got := f.Access(5000, request(2, Atomic, 4096)).ReadyAt; got != 5000+110+64 {
		t.Errorf("the next one is ready at %d, want %d: the slice is taken", got, 5000+110+64)
	}
}

// Atomics of several compute units to one line follow each other; those to other
// lines of the slice do not wait for them.
func TestAtomicsOfOneLineFollowEachOther(t *testing.T) {
	f := newTiny(t, func(s *Spec) { s.VectorMemory.AtomicCycles, s.L2.Slices = 20, 1 })
	for _, addr := range []uint64{4096, 8192} {
		f.Access(0, request(0, Read, addr))
	}
	for i, want := range []uint64{5110, 5130, 5150} {
		if got := f.Access(5000, request(i, Atomic, 4096)).ReadyAt; got != want {
			t.Errorf("update %d is ready at %d, want %d", i, got, want)
		}
	}
	if got := f.Access(5000, request(3, Atomic, 8192)).ReadyAt; got >= 5130 {
		t.Errorf("an update of another line is ready at %d, as if it waited", got)
	}
}

// A slice reads and writes the line of an atomic, whichever line the next one is of: those of four units to lines of one slice are
// cycles apart; where a slice moves fewer bytes than that, those count.
func TestAtomicsTakeTheirSlice(t *testing.T) {
	addrs := []uint64{4096, 4096 + 64, 4096 + 128, 4096 + 192}
	for _, c := range []struct {
		cycles int
		apart  uint64
	}{{0, 1}, {1, 1}, {2, 2}, {9, 9}} {
		f := newTiny(t, func(s *Spec) { s.VectorMemory.AtomicSliceCycles = c.cycles })
		for _, addr := range addrs {
			f.Access(0, request(0, Read, addr))
		}
		for i, addr := range addrs {
			if got, want := f.Access(50000, request(i, Atomic, addr)).ReadyAt, 50000+110+uint64(i)*c.apart; got != want {
				t.Errorf("%d cycles: update %d is ready at %d, want %d", c.cycles, i, got, want)
			}
		}
	}
}

// TestDifferentLineSizes: a 128-byte line over 64-byte lines fetches two.
func TestDifferentLineSizes(t *testing.T) {
	f := newTiny(t, func(s *Spec) { s.VectorL1.LineBytes = 128 })
	f.Access(0, request(0, Read, 4096))
	if c := f.count("l2"); c.Accesses != 2 || c.Bytes != 128 {
		t.Errorf("l2: %+v, want 2 accesses of 128 bytes", c)
	}
	f = newTiny(t, func(s *Spec) { s.L2.LineBytes = 128 })
	f.Access(0, request(0, Read, 4096))
	if got := f.Access(5000, request(0, Read, 4096+64)).ReadyAt; got != 5110 {
		t.Errorf("second half at %d, want an L2 hit", got)
	}
}

// TestAddressIsInverse: a victim's address is that of the line put there; and where a line goes is the same with shifts as with divisions.
func TestAddressIsInverse(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for i, n := range []int{1, 2, 16, 24, 128, 1, 2, 16, 24, 128} {
		for _, unit := range []int{0, 256, 4096} {
			c := CacheSpec{Bytes: 64 * 4 * (6 + i/5*26) * n, LineBytes: 64, Ways: 4, Slices: n, InterleaveBytes: unit, BytesPerCycle: 1, HashSets: i%2 == 0}
			s := tiny()
			l := newLevel(NamedCache{Name: "x", CacheSpec: c}, &s, tinyShape(), nil, new(uint64))
			cache := newCache(l, 0, nil, nil)
			for range 1000 {
				addr := r.Uint64() >> 26 &^ 63
				p := cache.locate(addr)
				if got := cache.address(p, p.tag); got != addr {
					t.Fatalf("%d slices of unit %d: %#x comes back as %#x", n, unit, addr, got)
				}
				if index, set, tag := l.divide(addr); index != p.index || set != p.set || tag != uint64(p.tag-1) {
					t.Fatalf("%d slices of unit %d: %#x is line %d of set %d of slice %d, want %d of %d of %d", n, unit, addr, p.tag-1, p.set, p.index, tag, set, index)
				}
			}
		}
	}
}

// model is a cache written down plainly: a list of lines for each set.
type model struct {
	sets, ways uint64
	list       map[uint64][]uint64
}

func (m *model) read(line uint64) (hit bool) {
	set := line % m.sets
	l := m.list[set]
	if i := slices.Index(l, line); i >= 0 {
		l, hit = slices.Delete(l, i, i+1), true
	}
	l = append(l, line)
	if uint64(len(l)) > m.ways {
		l = l[1:]
	}
	m.list[set] = l
	return hit
}

func TestTagsAgainstModel(t *testing.T) {
	f := newTiny(t, func(s *Spec) { s.VectorL1.Bytes, s.VectorL1.Ways = 64*3*5, 3 })
	m := &model{5, 3, map[uint64][]uint64{}}
	r := rand.New(rand.NewSource(4))
	for i := range 5000 {
		line := uint64(r.Intn(40))
		before := f.count("vector_l1").Hits
		f.Access(uint64(i)*10000, request(0, Read, line*64))
		if hit := f.count("vector_l1").Hits > before; hit != m.read(line) {
			t.Fatalf("access %d, line %d: hit %v", i, line, hit)
		}
	}
}

func TestSpecReportsEveryFault(t *testing.T) {
	good := tiny()
	if ps := spec.Check(&good); ps != nil {
		t.Error(ps)
	}
	for _, c := range []struct {
		edit func(s *Spec)
		want string
	}{
		{func(s *Spec) { s.L2.LineBytes = 48 }, "l2.line_bytes: found 48: want a power of two in 0..4096 bytes"},
		{func(s *Spec) { s.L2.LineBytes = 8 }, "l2.line_bytes: found 8: want at least 16 where the level is present"},
		{func(s *Spec) { s.L2.LineBytes = 32 }, "l2.line_bytes: found 32: want at least the 64 of the level before"},
		{func(s *Spec) { s.L2.BytesPerCycle = 1.0 / 2048 }, "l2.bytes_per_cycle: found 0.00048828125: want at least 0.0009765625 where the level is present"},
		{func(s *Spec) { s.L2.Ways = 0 }, "l2.ways: found 0: want at least 1 where the level is present"},
		{func(s *Spec) { s.L2.Bytes = 1000 }, "l2.bytes: found 1000: want a multiple of line_bytes x ways x slices, 128"},
		{func(s *Spec) { s.L2.InterleaveBytes = 32 }, "l2.interleave_bytes: found 32: want at least line_bytes, 64"},
		{func(s *Spec) { s.L2.Write = "" }, "l2.write: missing"},
		{func(s *Spec) { s.L2.Bytes = 0 }, "l2.bytes: found 0: want this level (only shader_array and memory_side may be absent)"},
		{func(s *Spec) { s.Memory.BytesPerCycle = 0 }, "memory.bytes_per_cycle: found 0: want a number in 0.001..65536 bytes/cycle"},
		{func(s *Spec) { s.Memory.Model = "" }, "memory.model: missing"},
	} {
		s := tiny()
		c.edit(&s)
		found := false
		for _, p := range spec.Check(&s) {
			found = found || p.Error() == c.want
		}
		if !found {
			t.Errorf("found %v, want %s", spec.Check(&s), c.want)
		}
	}
}

// Whether a cache is one that all compute units see: what is coherent goes past the others. One unit's own stays its own
// on a machine of one unit, too.
func TestSharedLevels(t *testing.T) {
	for _, c := range []struct {
		by, units int
		write     string
		want      bool
	}{
		{0, 4, WriteBack, true}, {0, 4, WriteThrough, false}, {2, 4, WriteBack, false}, {2, 2, WriteBack, true},
		{1, 2, WriteBack, false}, {1, 1, WriteBack, false},
	} {
		s := tiny()
		s.L2.SharedBy, s.L2.Write = c.by, c.write
		l := newLevel(NamedCache{CacheSpec: s.L2, Name: "l2"}, &s, &spec.Shape{ShaderEngines: 1, ComputeUnits: c.units}, nil, nil)
		if l.deviceCoherent != c.want {
			t.Errorf("%s, shared by %d of %d units: %v", c.write, c.by, c.units, l.deviceCoherent)
		}
	}
}

type lineHook struct {
	name string
	seen *[]string
}

func (h lineHook) Func(ctx sim.HookCtx) {
	a := ctx.Item.(LevelAccess)
	*h.seen = append(*h.seen, fmt.Sprintf("%s: %d bytes of %d in %d", h.name, a.Bytes, a.Addr, a.Cycle))
}

// Hooks see each line on its way: a miss at each level, a latency later, a hit at the nearest alone.
func TestLevelsTellHooks(t *testing.T) {
	f := newTiny(t, nil)
	var seen []string
	for _, c := range f.Components(engine.New(1 * sim.GHz)) {
		c.AcceptHook(lineHook{c.Name(), &seen})
	}
	f.Access(7, request(0, Read, 4096))
	f.Access(5000, request(0, Read, 4096))
	want := []string{"VectorL1: 64 bytes of 4096 in 7", "L2: 64 bytes of 4096 in 17", "Memory: 64 bytes of 4096 in 117", "VectorL1: 64 bytes of 4096 in 5000"}
	if !slices.Equal(seen, want) {
		t.Errorf("hooks saw %q, want %q", seen, want)
	}
}

package hierarchy

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sarchlab/akita/v3/sim"

	"spvsim/engine"
)

// paced is a machine whose channel takes 64 cycles for a line, and whose L2 keeps 16 lines that stores dirty.
func paced(edit func(*Spec)) func(*Spec) {
	return func(s *Spec) {
		s.Memory.BytesPerCycle, s.Memory.LatencyCycles = 1, 0
		if edit != nil {
			edit(s)
		}
	}
}

// stream stores or reads lines one after another, each as soon as the address path is free, and returns when it was last.
func stream(f *Analytic, kind Kind, lines int, coherent bool) (now uint64) {
	for i := range uint64(lines) {
		r := request(0, kind, i*64)
		r.Coherent = coherent
		now = f.Access(now, r).UnitFreeAt
	}
	return now
}

// Stores into a memory that takes a line each 64 cycles: without limits they leave at one a cycle. With a queue at every level
// they leave as fast as memory takes them but for those that the queues and the cache hold.
func TestStoresWaitForMemory(t *testing.T) {
	const lines = 400
	if got := stream(newTiny(t, paced(nil)), Write, lines, false); got != lines {
		t.Errorf("without limits the last line leaves in cycle %d, want %d", got, lines)
	}
	for _, entries := range []int{1, 4, 16} {
		f := newTiny(t, paced(func(s *Spec) {
			s.VectorL1.Requests, s.VectorL1.WriteBuffer, s.L2.Requests, s.L2.WriteBuffer, s.Memory.Requests = entries, entries, entries, entries, entries
		}))
		got := stream(f, Write, lines, false)
		held := uint64(16 + 5*entries + 5) // lines of the L2, entries, and one in each level's hands
		if low, high := (lines-held)*64, uint64(lines*64); got < low || got > high {
			t.Errorf("%d entries: the last line leaves in cycle %d, want %d..%d", entries, got, low, high)
		}
		if end := f.Release(got); end < (lines-16)*64 {
			t.Errorf("%d entries: the launch is over in cycle %d, before memory can have taken what was evicted", entries, end)
		}
	}
}

// Lines of one unit that wait for its only miss entry come to the L2 one by one; until then they hold none of its entries, and what
// another unit asks for is there as soon as if nothing else were asked.
func TestWhatWaitsHoldsNothingFurtherOn(t *testing.T) {
	for _, entries := range []int{1, 4} {
		edit := func(s *Spec) {
			s.VectorL1.Misses, s.VectorL1.Requests = 1, 64
			s.L2.Requests, s.L2.Misses, s.L2.LinkCredits, s.Memory.Requests = entries, entries, entries, entries
			s.Memory.BytesPerCycle = 64
		}
		alone := newTiny(t, edit).Access(400, request(1, Read, 1<<20)).ReadyAt
		f := newTiny(t, edit)
		first := f.Access(0, request(0, Read, 0)).ReadyAt
		last := f.Access(0, request(0, Read, 64, 128, 192, 256, 320)).ReadyAt
		if last < 5*first {
			t.Fatalf("%d entries: the lines of the first unit do not wait: the first is there in cycle %d, the last in %d", entries, first, last)
		}
		if entries == 1 {
			alone += first // one line of the first unit is there
		}
		if got := f.Access(400, request(1, Read, 1<<20)).ReadyAt; got > alone {
			t.Errorf("%d entries: a line of another unit is there in cycle %d, want %d", entries, got, alone)
		}
	}
}

// A slice that moves a line in 16 cycles reads the dirty ones that it sends on by the same port, when they are evicted, released or go
// on at once: stores take two lines' time each. Reads that evict clean lines take one.
func TestLinesSentOnTakeTheirSlice(t *testing.T) {
	const lines, cycles, kept = 400, 16, 16 // the L2 keeps so many lines
	for name, c := range map[string]struct {
		write string
		kind  Kind
		turns uint64
	}{"stores": {WriteBack, Write, 2}, "eager stores": {WriteEager, Write, 2}, "reads": {WriteBack, Read, 1}} {
		for _, entries := range []int{0, 8} {
			f := newTiny(t, func(s *Spec) {
				s.L2.Write, s.L2.BytesPerCycle, s.Memory.BytesPerCycle, s.Memory.LatencyCycles = c.write, 64/cycles, 64, 0
				s.VectorL1.Requests, s.VectorL1.WriteBuffer, s.VectorL1.Misses = entries, entries, entries
				s.L2.Requests, s.L2.WriteBuffer, s.Memory.Requests = entries, entries, entries
			})
			last := uint64(0)
			for i := range uint64(lines) {
				last = max(last, f.Access(0, request(0, c.kind, i*64)).ReadyAt)
			}
			want := lines * cycles * c.turns
			if got := f.Release(last); got < want-(kept+2)*cycles || got > want+200 { // at most the latencies more
				t.Errorf("%s, %d entries: all is done in cycle %d, want %d and little more", name, entries, got, want)
			}
		}
	}
}

// One level without a limit takes what the others can't, and who sends does not wait.
func TestALevelWithoutALimit(t *testing.T) {
	f := newTiny(t, paced(func(s *Spec) { s.L2.WriteBuffer, s.Memory.Requests = 1, 1 }))
	if got := stream(f, Write, 400, false); got != 400 {
		t.Errorf("the last line leaves in cycle %d, want 400: the L2's requests have no limit", got)
	}
	if f.count("l2").QueueFullCycles == 0 {
		t.Error("nothing waited for the L2's write buffer")
	}
}

// Atomics of one line follow each other 20 cycles apart; n that are not done hold up the next.
func TestAtomicsWait(t *testing.T) {
	for _, c := range []struct {
		entries    int
		atL2, slow bool
	}{{0, true, false}, {4, true, true}, {4, false, true}} {
		f := newTiny(t, func(s *Spec) {
			s.VectorMemory.AtomicCycles = 20
			if s.L2.Atomics, s.VectorL1.Atomics = c.entries, 0; !c.atL2 {
				s.L2.Atomics, s.VectorL1.Atomics = 0, c.entries
			}
			s.L2.Requests, s.VectorL1.Requests = c.entries, c.entries
		})
		now := uint64(0)
		for range 200 {
			now = f.Access(now, request(0, Atomic, 4096)).UnitFreeAt
		}
		if slow := now > 3000; slow != c.slow {
			t.Errorf("%+v: 200 updates of one word leave in %d cycles", c, now)
		}
	}
}

// What a level serves, by hook: the cycles of its slots.
type served struct {
	bytes  map[string]uint64
	window map[string]map[uint64]uint64 // bytes by thousands of cycles
}

const window = 1000 // cycles

func (s *served) Func(ctx sim.HookCtx) {
	name := ctx.Domain.(sim.Named).Name()
	switch a := ctx.Item.(type) {
	case LevelAccess:
		s.bytes[name] += uint64(a.Bytes)
		s.note(name, a.Served, a.Bytes)
	case LinkAccess:
		s.note(fmt.Sprintf("%s link %d", name, min(a.Kind, Write)), a.Served, a.Bytes)
		s.note(name+" link", a.Served, a.Bytes)
	}
}

func (s *served) note(name string, at uint64, bytes uint32) {
	if s.window[name] == nil {
		s.window[name] = map[uint64]uint64{}
	}
	s.window[name][at/window] += uint64(bytes)
}

// check looks for a window in which a level moved more than its peak.
func (s *served) check(t *testing.T, seed uint64, level string, bytesPerCycle float64) {
	t.Helper()
	most := bytesPerCycle*window + 2*64 // a line that begins in the window, and one that goes on after others
	for at, bytes := range s.window[level] {
		if float64(bytes) > most {
			t.Errorf("seed %d: %s moved %d bytes in the %d cycles from %d on, want at most %g", seed, level, bytes, window, at*window, most)
		}
	}
}

// Random machines with queues of random sizes, and random requests: hits and misses are the accesses, and hooks receive all of
// them; more entries never make the last reply later by more than a twentieth; nothing is ready before it was asked for; no
// level, no direction of a link and no link moves more than its peak, as a whole and in any 1,000 cycles of the channel's time.
func TestLawsOfQueues(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		sizes := func() int { return []int{0, 1, 2, 8, 32}[r.IntN(5)] }
		var s Spec
		edit := func(h *Spec) {
			for _, l := range []*CacheSpec{&h.VectorL1, &h.L2} {
				l.Requests, l.WriteBuffer, l.Atomics, l.LinkCredits, l.Misses = sizes(), sizes(), sizes(), sizes(), sizes()
			}
			if h.L2.LinkRead, h.L2.LinkWrite = float64(int(1)<<r.IntN(5)), float64(int(1)<<r.IntN(5)); seed%3 == 0 {
				h.L2.LinkSpec = LinkSpec{LinkShared: float64(int(1) << r.IntN(6))}
			}
			h.L2.WriteBytes = []int{0, 16, 32, 64}[r.IntN(4)]
			h.Memory.Requests = sizes()
			h.Memory.BytesPerCycle = float64(int(4) << r.IntN(4))
			s = *h
		}
		f := newTiny(t, edit)
		hook := &served{map[string]uint64{}, map[string]map[uint64]uint64{}}
		for _, c := range f.Components(engine.New(1 * sim.GHz)) {
			c.AcceptHook(hook)
		}
		end := randomRequests(t, r, f)
		for _, c := range f.Counters() {
			if c.Hits+c.Misses != c.Accesses {
				t.Errorf("seed %d: %+v: hits and misses are not the accesses", seed, c)
			}
			if name := partName(c.Level); c.Level != "l2" && hook.bytes[name] != c.Bytes {
				t.Errorf("seed %d: %s moved %d bytes, and hooks heard of %d", seed, c.Level, c.Bytes, hook.bytes[name])
			}
		}
		if s.Memory.Requests > 0 {
			hook.check(t, seed, "Memory", s.Memory.BytesPerCycle)
		}
		if s.L2.Requests > 0 {
			hook.check(t, seed, "L2", s.L2.BytesPerCycle)
		}
		if s.L2.LinkCredits > 0 {
			for link, rate := range map[string]float64{"L2 link 0": s.L2.LinkRead, "L2 link 1": s.L2.LinkWrite, "L2 link": s.L2.LinkShared} {
				if rate > 0 {
					hook.check(t, seed, link, rate)
				}
			}
		}
		if c := f.count("memory"); s.Memory.Requests > 0 && s.L2.WriteBuffer > 0 && float64(c.Bytes) > s.Memory.BytesPerCycle*float64(f.Release(end)) {
			t.Errorf("seed %d: memory moved %d bytes by cycle %d", seed, c.Bytes, f.Release(end))
		}
	}
}

// randomRequests asks for random lines from random units, each when its address path is free, and returns the last reply.
func randomRequests(t *testing.T, r *rand.Rand, f *Analytic) (end uint64) {
	var now uint64
	free := make([]uint64, 4)
	for range 500 {
		cu := r.IntN(len(free))
		now = max(now, free[cu])
		q := request(cu, []Kind{Read, Write, Atomic}[r.IntN(3)])
		for range 1 + r.IntN(8) {
			q.Lines = append(q.Lines, Line{Addr: uint64(r.IntN(256)) * 64, Bytes: 64, Words: 1<<16 - 1})
		}
		q.Busy = uint64(len(q.Lines))
		reply := f.Access(now, q)
		if reply.ReadyAt <= now || reply.UnitFreeAt < now+q.Busy || reply.StallCycles != reply.UnitFreeAt-now-q.Busy {
			t.Fatalf("in cycle %d: %+v", now, reply)
		}
		free[cu], end = reply.UnitFreeAt, max(end, reply.ReadyAt)
	}
	return end
}

package dram

import (
	"math/rand/v2"
	"testing"

	"spvsim/internal/suite"
)

// Times of tests are picoseconds.
const perNs = 1000

// config is a channel at the speed that its timings are of.
func config(t testing.TB, name string, bytesPerNs float64) *Config {
	t.Helper()
	s := suite.Must(Find(name))(t)
	return &Config{Standard: s, UnitsPerNs: perNs, UnitsPerByte: perNs / bytesPerNs, Queue: 64, Writes: 32, Drained: 8, HashBanks: true}
}

// rates are bytes a nanosecond of one channel.
var rates = map[string]float64{"HBM": 16, "HBM2e": 51.2, "HBM3": 41.6, "GDDR6": 32, "LPDDR5X": 16}

func TestFind(t *testing.T) {
	if _, err := Find("DDR4"); err == nil {
		t.Error("an unknown standard is found")
	}
	for _, s := range Standards {
		if rates[s.Name] == 0 || s.Source == "" || s.Groups*s.Banks == 0 {
			t.Errorf("%s: incomplete", s.Name)
		}
	}
}

// forAll runs a test on each standard.
func forAll(t *testing.T, f func(t *testing.T, c *Config)) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) { f(t, config(t, name, rates[name])) })
	}
}

// A first read takes an activation, the read's latency and its burst: to the picosecond.
func TestFirstRead(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		m, x := New(c), &c.Standard.Timings
		_, done, _ := m.Access(5000, 0, 32, false)
		burst, apart := units(x.burst(c.clock()), perNs), units(x.activations(), perNs)
		opened := slotOf(5000, apart)*apart + units(x.RCDRD, perNs)
		if want := (slotOf(opened+units(x.CL, perNs), burst) + 1) * burst; done != want {
			t.Errorf("found %d, want %d", done, want)
		}
		if _, next, _ := m.Access(done, 0, 32, false); next != (slotOf(done+units(x.CL, perNs), burst)+1)*burst {
			t.Errorf("a read of an open row takes %d", next-done)
		}
	})
}

// sameBank are addresses of one bank in rows one after the other, where nothing is hashed.
func sameBank(c *Config, row uint64) uint64 {
	s := c.Standard
	sid := max(1, s.Banks/4)
	return row * uint64(s.RowBytes*s.Groups*s.Banks*s.PseudoChannels/sid)
}

// Bursts of the data bus that stay free where it turns, those from one burst of a bank group to the second one after it, and the time of a
// first read, worked out by hand from each standard's timings at the speed here.
func TestBusOfStandards(t *testing.T) {
	want := map[string][4]uint64{ // reads to writes, writes to reads, within a group, picoseconds from an activation to data
		"HBM":     {2, 11, 4, 28_000}, // 2 ns a burst: 4 ns; 8 + 14 ns
		"HBM2e":   {4, 18, 5, 28_000}, // 1.25 ns: 4.2 ns; 8 + 14 ns; 5 clocks of half a burst
		"HBM3":    {4, 13, 4, 31_900}, // 1.54 ns: 5 ns; 6.25 + 12.5 ns
		"GDDR6":   {1, 20, 4, 29_100}, // 1 ns: 0.6 ns; 6.3 + 13.7 ns
		"LPDDR5X": {1, 17, 4, 39_250}, // 2 ns: 1.25 ns; 12 + 21.25 ns
	}
	forAll(t, func(t *testing.T, c *Config) {
		ch := &New(c).channels[0]
		x := &c.Standard.Timings
		found := [4]uint64{ch.gap[Write], ch.gap[Read], ch.groups[0].pairDistance, units(x.RCDRD+x.CL, perNs)}
		if found != want[c.Standard.Name] {
			t.Errorf("found %v, want %v", found, want[c.Standard.Name])
		}
	})
}

// literal are the constraints of a bank in picoseconds, at the speed of rates: from JESD235, JESD235D, JESD238, JESD250 and JESD209-5 as the
// sources of Standards table them, and not from Standards. A write's precharge waits for CWL, the burst and WR:
// HBM 8 + 2 + 16 ns, HBM2e 4 + 1.25 + 16 ns, HBM3 6.25 + 1.5385 + 20.6 ns, GDDR6 3.4 + 1 + 15.4 ns, LPDDR5X 11.25 + 2 + 34 ns.
var literal = map[string]map[[2]Command]uint64{
	"HBM": {
		{Activate, Activate}: 48_000, {Activate, Read}: 14_000, {Activate, Write}: 12_000, {Activate, Precharge}: 34_000,
		{Precharge, Activate}: 14_000, {Read, Precharge}: 8_000, {Write, Precharge}: 26_000, {Refresh, Activate}: 160_000,
	},
	"HBM2e": {
		{Activate, Activate}: 48_000, {Activate, Read}: 14_000, {Activate, Write}: 14_000, {Activate, Precharge}: 33_000,
		{Precharge, Activate}: 15_000, {Read, Precharge}: 5_000, {Write, Precharge}: 21_250, {Refresh, Activate}: 200_000,
	},
	"HBM3": {
		{Activate, Activate}: 45_000, {Activate, Read}: 19_400, {Activate, Write}: 9_400, {Activate, Precharge}: 28_100,
		{Precharge, Activate}: 16_250, {Read, Precharge}: 5_600, {Write, Precharge}: 28_389, {Refresh, Activate}: 200_000,
	},
	"GDDR6": {
		{Activate, Activate}: 45_000, {Activate, Read}: 15_400, {Activate, Write}: 9_100, {Activate, Precharge}: 30_200,
		{Precharge, Activate}: 15_400, {Read, Precharge}: 2_300, {Write, Precharge}: 19_800, {Refresh, Activate}: 60_400,
	},
	"LPDDR5X": {
		{Activate, Activate}: 60_000, {Activate, Read}: 18_000, {Activate, Write}: 18_000, {Activate, Precharge}: 42_000,
		{Precharge, Activate}: 18_000, {Read, Precharge}: 5_000, {Write, Precharge}: 47_250, {Refresh, Activate}: 140_000,
	},
}

// A command holds up each other command of its bank for exactly the literal time, and commands without a constraint not at all.
func TestConstraintsOfBanks(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		const at = 1_000_000
		for from := range numCommands {
			ch := &New(c).channels[0]
			b := &ch.banks[0]
			ch.apply(from, at, b)
			for to := range numCommands {
				want, held := literal[c.Standard.Name][[2]Command{from, to}]
				if held {
					want += at
				}
				if got := b.bankTiming[to]; got != want {
					t.Errorf("command %d after %d: from %d on, want %d", to, from, got, want)
				}
			}
		}
	})
}

// Times of a channel that are in no bank, in picoseconds: from the activation of one bank to that of another (the longer of RRDS
// and a quarter of FAW), the interval in which a bank is refreshed once, and a read's and a write's latency.
func TestTimesOfChannels(t *testing.T) {
	want := map[string][4]uint64{
		"HBM":     {7_500, 3_900_000, 14_000, 8_000},
		"HBM2e":   {4_000, 3_900_000, 14_000, 4_000},
		"HBM3":    {3_750, 3_900_000, 12_500, 6_250},
		"GDDR6":   {4_600, 1_900_000, 13_700, 3_400},
		"LPDDR5X": {5_000, 3_900_000, 21_250, 11_250},
	}
	forAll(t, func(t *testing.T, c *Config) {
		ch := &New(c).channels[0]
		if found := [4]uint64{ch.activateSpacing, ch.refresh, ch.latency[Read], ch.latency[Write]}; found != want[c.Standard.Name] {
			t.Errorf("found %v, want %v", found, want[c.Standard.Name])
		}
	})
}

// A read of another row of a bank that was just written waits for write recovery, precharge and activation: from the end of the
// write's data WR + RP + RCDRD + CL and a burst, up to the next slots of activations and of the data bus.
func TestWriteRecovery(t *testing.T) {
	want := map[string]uint64{
		"HBM":     16_000 + 14_000 + 14_000 + 14_000 + 2_000,
		"HBM2e":   16_000 + 15_000 + 14_000 + 14_000 + 1_250,
		"HBM3":    20_600 + 16_250 + 19_400 + 12_500 + 1_539,
		"GDDR6":   15_400 + 15_400 + 15_400 + 13_700 + 1_000,
		"LPDDR5X": 34_000 + 18_000 + 18_000 + 21_250 + 2_000,
	}
	slots := map[string]uint64{"HBM": 7_500 + 2_000, "HBM2e": 4_000 + 1_250, "HBM3": 3_750 + 1_539, "GDDR6": 4_600 + 1_000, "LPDDR5X": 5_000 + 2_000}
	forAll(t, func(t *testing.T, c *Config) {
		c.HashBanks, c.Queue, c.Writes = false, 0, 0
		m := New(c)
		_, written, _ := m.Access(1, sameBank(c, 0), 32, true)
		written = max(written, m.Flush(1))
		_, read, _ := m.Access(1, sameBank(c, 64), 32, false)
		name := c.Standard.Name
		if took := read - written; took < want[name] || took > want[name]+slots[name] {
			t.Errorf("the read ends %d after the write, want %d to %d", took, want[name], want[name]+slots[name])
		}
	})
}

// Rows of one bank follow each other by the time of a row cycle.
func TestRowCycle(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		c.HashBanks, c.Queue = false, 0
		c.Standard.check(t)
		m, last := New(c), uint64(0)
		for row := range uint64(8) {
			_, done, _ := m.Access(1, sameBank(c, row*64), 32, false)
			x := &c.Standard.Timings
			cycle := max(units(x.RC, perNs), units(x.RAS, perNs)+units(x.RP, perNs), units(x.RCDRD, perNs)+units(x.RTP, perNs)+units(x.RP, perNs))
			slack := units(x.activations()+x.burst(c.clock()), perNs)
			if row > 0 && (done-last+slack < cycle || done-last > cycle+slack) {
				t.Errorf("row %d comes %d after the one before, want %d", row, done-last, cycle)
			}
			last = done
		}
		if n := m.Counts(); n.Conflicts != 7 || n.Misses != 1 {
			t.Errorf("found %+v, want 1 miss and 7 conflicts", n)
		}
	})
}

// check asks for sizes that addresses are split by.
func (s *Standard) check(t *testing.T) {
	for _, n := range []int{s.Groups, s.Banks, s.RowBytes, s.BurstBytes, s.PseudoChannels} {
		if n <= 0 || n&(n-1) != 0 {
			t.Errorf("%s: %d is not a power of two", s.Name, n)
		}
	}
}

// Five activations do not fit the window of four, in whatever banks they are.
func TestFourActivations(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		m := New(c)
		ch := &m.channels[0]
		var at [5]uint64
		for i := range at {
			b := &ch.banks[i*3%len(ch.banks)]
			ch.change(1, b, &ch.activated[i%len(ch.activated)], 0)
			at[i] = b.bankTiming[Precharge] - units(c.Standard.Timings.RAS, perNs)
		}
		if least := at[0] + units(c.Standard.Timings.FAW, perNs); at[4] < least {
			t.Errorf("the fifth activation comes at %d, want %d or later", at[4], least)
		}
	})
}

// stream moves n lines of 128 bytes in a row, all there from the beginning, and returns the share of the peak it gets.
func stream(c *Config, m *Memory, n int, isWrite func(i int) bool, addr func(i int) uint64) float64 {
	end := uint64(0)
	for i := range n {
		_, done, _ := m.Access(1, addr(i), 128, isWrite(i))
		end = max(end, done)
	}
	end = max(end, m.Flush(end))
	return float64(n) * 128 * c.UnitsPerByte / float64(end)
}

func never(int) bool             { return false }
func always(int) bool            { return true }
func inOrder(i int) uint64       { return uint64(i) * 128 }
func turns(n int) func(int) bool { return func(i int) bool { return i/n%2 == 1 } }

// What is lost comes out: streams of one kind come near the peak, those that mix reads and writes lose turns of the bus,
// and random lines rows.
func TestStreams(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		r := rand.New(rand.NewPCG(1, 2))
		random := func(int) uint64 { return r.Uint64N(1<<23) * 128 }
		// Lines that are at random have a row each: what activations leave of the peak at most.
		most := min(1, 128*c.UnitsPerByte*float64(c.Standard.PseudoChannels)/(c.Standard.Timings.activations()*perNs))
		for _, s := range []struct {
			name      string
			share     float64
			low, high float64
		}{
			{"reads", stream(c, New(c), 20000, never, inOrder), 0.88, 1},
			{"writes", stream(c, New(c), 20000, always, inOrder), 0.8, 1},
			{"both", stream(c, New(c), 20000, turns(1), inOrder), 0.6, 0.97},
			{"random reads", stream(c, New(c), 20000, never, random), 0.9 * most, most},
		} {
			t.Logf("%s: %.3f of the peak", s.name, s.share)
			if s.share < s.low || s.share > s.high {
				t.Errorf("%s get %.3f of the peak, want %.2f to %.2f", s.name, s.share, s.low, s.high)
			}
		}
	})
}

// Bursts of one bank group are CCDL apart: reads of open rows in some bank groups get as much of the peak as these let through.
func TestBankGroups(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		x := &c.Standard.Timings
		for groups := 1; groups <= c.Standard.Groups; groups++ {
			m, n, first, last := New(c), uint64(0), uint64(1<<62), uint64(0)
			m.channels[0].onTransfer = func(start, end uint64) { first, last = min(first, start), max(last, end) }
			for addr := uint64(0); n < 500; addr += 32 {
				if p := m.locate(addr); p.row == 0 && p.pseudoChannel == 0 && p.group < uint64(groups) {
					m.Access(0, addr, 32, false)
					n++
				} else if p.row > 1 {
					break
				}
			}
			want := min(1, float64(groups*x.BL)/float64(x.CCDL))
			if got := float64(n*m.channels[0].burst) / float64(last-first); got < 0.9*want || got > 1.01*want {
				t.Errorf("%d bank groups: %.3f of the peak by %d bursts, want %.3f", groups, got, n, want)
			}
		}
	})
}

// inRow is the address of the n-th line of 128 bytes in the row of an address, where nothing is hashed.
func inRow(c *Config, addr uint64, n int) uint64 {
	m, _ := newAddressMap(c.Standard, c.Standard.AddressMap, false)
	for row := m.locate(addr); n > 0; {
		if addr += 128; m.locate(addr) == row {
			n--
		}
	}
	return addr
}

// Two streams through rows of one bank: a controller with a queue serves a row's requests together.
func TestFirstReadyFirst(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		two := func(i int) uint64 { return inRow(c, sameBank(c, uint64(i%2*64)), i/2%8) }
		c.HashBanks = false
		with := New(c)
		shareWith := stream(c, with, 16, never, two)
		c.Queue = 0
		without := New(c)
		shareWithout := stream(c, without, 16, never, two)
		if a, b := with.Counts(), without.Counts(); a.Conflicts >= b.Conflicts || shareWith <= shareWithout {
			t.Errorf("with a queue %d conflicts and %.3f of the peak, without %d and %.3f", a.Conflicts, shareWith, b.Conflicts, shareWithout)
		}
	})
}

// Collected writes turn the bus less often than those that go at once.
func TestWriteDrain(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		far := func(i int) uint64 { return inOrder(i/2) + uint64(i%2)<<26 }
		collected := New(c)
		a := stream(c, collected, 4000, turns(1), far)
		c.Writes = 0
		at := New(c)
		b := stream(c, at, 4000, turns(1), far)
		if collected.Counts().BusTurnarounds >= at.Counts().BusTurnarounds || a <= b {
			t.Errorf("collected: %d turns, %.3f of the peak; at once: %d, %.3f", collected.Counts().BusTurnarounds, a, at.Counts().BusTurnarounds, b)
		}
	})
}

// A full write queue makes the next write wait, and no earlier one.
func TestWriteQueueIsFull(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		m := New(c)
		ch, n := &m.channels[0], uint64(0)
		for i := 0; n < 4*uint64(c.Writes); i++ {
			if m.locate(inOrder(i)).pseudoChannel != 0 {
				continue
			}
			accepted, _, _ := m.Access(1, inOrder(i), 128, true)
			least := uint64(0)
			if n > uint64(c.Writes) {
				least = (n - uint64(c.Writes)) * 4 * ch.burst
			}
			if accepted < least || n < uint64(c.Writes) && accepted != 1 {
				t.Fatalf("write %d has an entry at %d, want %d or later", n, accepted, least)
			}
			n++
		}
	})
}

// Writes that are booked for later hold no entries before: others that come first are taken at once, and the queue is full when
// as many have come as it has entries.
func TestWriteQueueGoesByArrival(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		c.Standard.check(t)
		m := New(c)
		const later = 1 << 40
		for i := range 2 * c.Writes {
			if accepted, _, _ := m.Access(later+uint64(i), uint64(i)<<13, 32, true); i < c.Writes-1 && accepted != later+uint64(i) {
				t.Fatalf("write %d has an entry in %d, want %d", i, accepted, later+i)
			}
		}
		turns := m.Counts().BusTurnarounds
		for i := range c.Writes - 1 {
			if accepted, _, _ := m.Access(uint64(i), uint64(i)<<13, 32, true); accepted != uint64(i) {
				t.Fatalf("write %d, which comes before those, has an entry in %d, want %d", i, accepted, i)
			}
		}
		if n := m.Counts().BusTurnarounds; n > turns && c.Standard.PseudoChannels == 1 {
			t.Errorf("writes are sent before the queue is full: %d turns after %d", n, turns)
		}
	})
}

// Every bank is refreshed once an interval, whatever happens.
func TestRefresh(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		m := New(c)
		banks := uint64(c.Standard.Groups * c.Standard.Banks * c.Standard.PseudoChannels)
		const intervals = 20
		x := &c.Standard.Timings
		end := uint64(x.REFI * perNs * intervals)
		for at := uint64(0); at <= end; at += 10_000 {
			m.Access(at, at/10_000*128|at/640_000%2*(3<<29), 128, false) // of both stack IDs
		}
		if n := m.Counts().Refreshes; n < banks*(intervals-1) || n > banks*(intervals+1) {
			t.Errorf("%d refreshes of %d banks in %d intervals", n, banks, intervals)
		}
	})
}

// The data bus moves one burst at a time, never more than its peak, and all bytes that came: any requests, any times.
func TestBusLaw(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 3))
			c.Queue, c.Writes = int(r.Uint64N(100)), int(r.Uint64N(40))
			c.Drained = int(r.Uint64N(uint64(c.Writes + 1)))
			m := New(c)
			busOf(t, m, func() {
				at, spread := uint64(0), 1+r.Uint64N(1<<22)
				for range 2000 {
					at += r.Uint64N(20_000)
					m.Access(at, r.Uint64N(spread)*64, 64, r.Uint64N(3) == 0)
				}
				m.Flush(at)
			})
			if n := m.Counts(); (n.Hits+n.Misses+n.Conflicts)*32 != n.Bytes {
				t.Errorf("seed %d: %d bursts for %d bytes", seed, n.Hits+n.Misses+n.Conflicts, n.Bytes)
			}
		}
	})
}

// busOf looks at the data buses of a run: bursts do not overlap.
func busOf(t *testing.T, m *Memory, run func()) {
	t.Helper()
	for i := range m.channels {
		ch, taken := &m.channels[i], map[uint64]bool{}
		ch.onTransfer = func(start, end uint64) {
			if start%ch.burst != 0 || end-start != ch.burst || taken[start] {
				t.Fatalf("a burst from %d to %d: another one is on the bus", start, end)
			}
			taken[start] = true
		}
	}
	run()
}

// One more entry, or a longer look, is no slower.
func TestMoreIsNoSlower(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		r := rand.New(rand.NewPCG(7, 7))
		addrs := make([]uint64, 6000)
		for i := range addrs {
			addrs[i] = r.Uint64N(4)<<25 + uint64(i)*128
		}
		last := 0.0
		for _, queue := range []int{0, 8, 32, 128} {
			c.Queue = queue
			share := stream(c, New(c), len(addrs), turns(3), func(i int) uint64 { return addrs[i] })
			if share < 0.98*last {
				t.Errorf("a queue of %d gets %.3f of the peak, a shorter one %.3f", queue, share, last)
			}
			last = share
		}
	})
}

func BenchmarkStream(b *testing.B) {
	c := config(b, "HBM3", 41.6)
	m, at := New(c), uint64(0)
	b.ReportAllocs()
	for i := range b.N {
		at += 3000
		m.Access(at, inOrder(i), 128, i%3 == 0)
	}
}

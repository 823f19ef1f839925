package profile

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"spvsim/account"
	"spvsim/tracing/probe"
)

// A Latency is the distribution of the times of accesses that reached the same level at most: from the issue until the
// result is there or a store is acknowledged, without the latency of the instruction's class.
type Latency struct {
	Level    string       `json:"level"` // lds for the LDS; empty: no level of caches
	Accesses uint64       `json:"accesses"`
	Mean     float64      `json:"mean"`
	P50      uint64       `json:"p50"`
	P95      uint64       `json:"p95"`
	Max      uint64       `json:"max"`
	Bins     []LatencyBin `json:"bins"`
}

// A LatencyBin counts the accesses of From to To cycles, To not included.
type LatencyBin struct {
	From     uint64 `json:"from"`
	To       uint64 `json:"to"`
	Accesses uint64 `json:"accesses"`
}

// latencies count accesses by level and by cycles.
type latencies struct {
	levels  []latencyCounts // few
	last    int             // place of the level of the last access
	pending map[pendingAccess]begunAccess
}

// latencyCounts count the accesses of a level by cycles.
type latencyCounts struct {
	level string
	short [2048]uint64      // by cycles
	long  map[uint64]uint64 // the others
}

// A pendingAccess names an access that is done later, and a begunAccess is where it began.
type pendingAccess struct {
	unit int
	id   uint64
}

type begunAccess struct {
	at    uint64
	level string
}

func (l *latencies) add(level string, cycles uint64) {
	if l.last >= len(l.levels) || l.levels[l.last].level != level {
		l.last = l.place(level)
	}
	if c := &l.levels[l.last]; cycles < uint64(len(c.short)) {
		c.short[cycles]++
	} else {
		c.long[cycles]++
	}
}

// place returns the place of a level, which it adds if it is new.
func (l *latencies) place(level string) int {
	for i := range l.levels {
		if l.levels[i].level == level {
			return i
		}
	}
	l.levels = append(l.levels, latencyCounts{level: level, long: map[uint64]uint64{}})
	return len(l.levels) - 1
}

// counts returns the number of accesses by cycles.
func (c *latencyCounts) counts() map[uint64]uint64 {
	by := map[uint64]uint64{}
	for n, times := range c.long {
		by[n] = times
	}
	for n, times := range c.short {
		if times > 0 {
			by[uint64(n)] = times
		}
	}
	return by
}

// Memory implements probe.Tracer.
func (c *Collector) Memory(a *probe.Access) {
	n := account.AccessCounts{Accesses: 1, Lines: uint64(len(a.Lines))}
	for i := range a.Lines {
		n.Sectors += uint64(a.Lines[i].Sectors)
		n.Bytes += uint64(a.Lines[i].Bytes)
	}
	c.maps.Units[a.Unit].add(&n)
	of := &c.slots[c.geometry.Index(a.WaveSlotID)].access[a.PC]
	of.Accesses += n.Accesses
	of.Lines += n.Lines
	of.Sectors += n.Sectors
	of.Bytes += n.Bytes
	if a.Ready != probe.Unknown {
		c.latencies.add(a.Level, a.Ready-min(a.At, a.Ready))
		return
	}
	if c.latencies.pending == nil {
		c.latencies.pending = map[pendingAccess]begunAccess{}
	}
	c.latencies.pending[pendingAccess{a.Unit, a.ID}] = begunAccess{a.At, a.Level}
}

// AccessDone implements probe.Tracer.
func (c *Collector) AccessDone(at uint64, unit int, id uint64) {
	key := pendingAccess{unit, id}
	if begun, ok := c.latencies.pending[key]; ok {
		c.latencies.add(begun.level, at-min(begun.at, at))
		delete(c.latencies.pending, key)
	}
}

// summaries returns the distributions, the LDS first, then the levels in their order.
func (l *latencies) summaries(levels []string) (list []Latency) {
	for i := range l.levels {
		list = append(list, newLatency(l.levels[i].level, l.levels[i].counts()))
	}
	order := append([]string{"lds"}, levels...)
	slices.SortFunc(list, func(a, b Latency) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Level), slices.Index(order, b.Level)), cmp.Compare(a.Level, b.Level))
	})
	return list
}

// newLatency summarizes the number of accesses by cycles.
func newLatency(level string, counts map[uint64]uint64) Latency {
	out := Latency{Level: level}
	var cycles []uint64
	sum := 0.0
	for n, times := range counts {
		cycles = append(cycles, n)
		out.Accesses += times
		sum += float64(n) * float64(times)
	}
	slices.Sort(cycles)
	out.Mean, out.Max = sum/float64(out.Accesses), cycles[len(cycles)-1]
	seen := uint64(0)
	for _, n := range cycles {
		before := seen
		seen += counts[n]
		for _, p := range []struct {
			percent uint64
			value   *uint64
		}{{50, &out.P50}, {95, &out.P95}} {
			// The smallest time that at least so many of 100 accesses do not exceed.
			if want := (out.Accesses*p.percent + 99) / 100; before < want && want <= seen {
				*p.value = n
			}
		}
		from, to := BinOfLatency(n)
		if k := len(out.Bins); k == 0 || out.Bins[k-1].From != from {
			out.Bins = append(out.Bins, LatencyBin{From: from, To: to})
		}
		out.Bins[len(out.Bins)-1].Accesses += counts[n]
	}
	return out
}

// check refuses distributions that no run has.
func (l *Latency) check() error {
	last := uint64(0)
	for i, b := range l.Bins {
		if i >= maxLatencyBins || b.From >= b.To || b.From < last {
			return fmt.Errorf("%w: latencies of %q: a bin of %d to %d cycles after %d", ErrFormat, l.Level, b.From, b.To, last)
		}
		last = b.To
	}
	return nil
}

// maxLatencyBins is above the number of bins of 64-bit times.
const maxLatencyBins = 64 * binsPerOctave

// binsPerOctave is the number of bins between a power of two and the next.
const binsPerOctave = 4

// BinOfLatency returns the bin of a time: a cycle each below 8, then so many for each power of two.
func BinOfLatency(cycles uint64) (from, to uint64) {
	if cycles < 2*binsPerOctave {
		return cycles, cycles + 1
	}
	width := uint64(1) << (bits.Len64(cycles) - 1) / binsPerOctave
	from = cycles / width * width
	return from, from + width
}

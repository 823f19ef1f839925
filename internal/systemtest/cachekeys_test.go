package systemtest

import (
	"fmt"

	"spvsim/account"
	"spvsim/tracing"
)

func levelOf(s *tracing.Stats, name string) (accesses, hits, bytes uint64) {
	for _, l := range s.Memory {
		if l.Name == name {
			return l.Accesses, l.Hits, l.Bytes
		}
	}
	return 0, 0, 0
}

// counts is the effect of a statistic of a number in the first run, and of another in the second.
func counts(name string, of func(*tracing.Stats) uint64, before, after uint64) effect {
	return func(a, b *keyRun) string {
		if x, y := of(a.Stats), of(b.Stats); x != before || y != after {
			return fmt.Sprintf("%s are %d, then %d: want %d and %d", name, x, y, before, after)
		}
		return ""
	}
}

func hits(name string) func(*tracing.Stats) uint64 {
	return func(s *tracing.Stats) uint64 { _, n, _ := levelOf(s, name); return n }
}

// hitsAre is the effect of so many hits of a level, and accessesAre of accesses.
func hitsAre(name string, before, after uint64) effect {
	return counts("hits of "+name, hits(name), before, after)
}

func accessesAre(name string, before, after uint64) effect {
	return counts("accesses of "+name, func(s *tracing.Stats) uint64 { n, _, _ := levelOf(s, name); return n }, before, after)
}

func walksOf(s *tracing.Stats) uint64 {
	for _, l := range s.Memory {
		if l.Name == "translation" {
			return l.Misses
		}
	}
	return 0
}

// fewerBytes is the effect of so many bytes less that a level moves.
func fewerBytes(name string, less uint64) effect {
	return func(a, b *keyRun) string {
		_, _, x := levelOf(a.Stats, name)
		if _, _, y := levelOf(b.Stats, name); x != y+less {
			return fmt.Sprintf("%s moves %d bytes, then %d: want %d less", name, x, y, less)
		}
		return ""
	}
}

// perHit is the effect of more or fewer hits of a level where accesses follow each other, each so many cycles sooner than a miss.
func perHit(name string, miss uint64) effect {
	return func(a, b *keyRun) string {
		x, y := hits(name)(a.Stats), hits(name)(b.Stats)
		switch {
		case y > x:
			return fewer((y-x)*miss)(a, b)
		case y < x:
			return exactly((x-y)*miss)(a, b)
		}
		return fmt.Sprintf("hits of %s are %d both times", name, x)
	}
}

// waited is for how long requests waited for full queues of a level.
func waited(name string) effect {
	return grows("full_cycles of "+name, func(s *tracing.Stats) uint64 {
		for _, l := range s.Memory {
			if l.Name == name {
				return l.FullCycles
			}
		}
		return 0
	})
}

// A cacheCase is what the rows of one level need.
type cacheCase struct {
	name, next string
	behind     []string // levels whose lines may not be smaller
	jobs       string   // prefix of the jobs that meet the level
}

var cacheCases = []cacheCase{
	{"vector_l1", "shader_array", []string{"shader_array", "l2", "memory_side"}, ""},
	{"scalar_l1", "shader_array", []string{"shader_array", "l2", "memory_side"}, "scalar-"},
	{"shader_array", "l2", []string{"l2", "memory_side"}, ""},
	{"l2", "memory_side", []string{"memory_side"}, ""},
	{"memory_side", "memory", nil, ""},
}

// A meeting is how the jobs of rows meet a level: how much longer than a hit a miss is, how many accesses follow each other in "chain",
// how many of them find the line of the one before, and how many hit with lines of 512 bytes; how many hit in "alias" whatever the
// level is; what the level gives in "apart" at a rate of so many bytes a cycle, in cycles, and how many beside; what it gets from the next one.
type meeting struct {
	miss, accesses, again, long, first uint64
	rate                               string
	given, slack, fetched              uint64
}

// meeting: vector loads begin in the middle of a line of 512 bytes, so that 32 lines of 128 bytes are nine of those. Push constants, 20 bytes, are
// two scalar loads, of which the second hits, and the descriptor of the store is one. Two scalar loads share a line, 256 take 4 bytes each, and what 16
// waves read comes to the same sets; waves that begin together meet in one slice.
func (c *cacheCase) meeting() meeting {
	miss := missCycles[c.name]
	switch c.name {
	case "vector_l1":
		return meeting{miss, 96 + 1, 0, 96 - 9, 0, "1", moved, unbound, moved}
	case "scalar_l1":
		return meeting{miss, 192 + 1, 96 + 1, 192 + 1 - 8, 1, "0.01", 256 * 4 * 100, 16*20*100 + 4000, 256 * 128}
	}
	return meeting{miss, 96 + 2, 0, 96 - 9, 0, "1", moved, unbound, moved}
}

// acknowledged is how much sooner a store is acknowledged that the level keeps: by memory_side otherwise, which keeps stores, or by memory.
func (c *cacheCase) acknowledged() uint64 {
	if c.name == "memory_side" {
		return missCycles[c.name]
	}
	return missCycles[c.name] - missCycles["memory_side"]
}

// found are the accesses of the second launch of "twice" that find what the first one left, one after the other: of all levels but the
// first one's that of the push constants too.
func (c *cacheCase) found() uint64 {
	if c.name == "vector_l1" {
		return 32
	}
	return 33
}

// shared is the effect of a level that two compute units have together: the second one's 32 lines are there, and the first of a scalar cache's push
// constants.
func (c *cacheCase) shared() effect {
	if c.name == "scalar_l1" {
		return hitsAre(c.name, 2*33, 2*33+33)
	}
	return hitsAre(c.name, 0, 32)
}

// rows are those of a level of 16 KB in one slice, on a machine whose other levels let all pass.
func (c *cacheCase) rows() []keyRow {
	at := func(key string) string { return c.name + "." + key }
	on := passAll + at("bytes") + "=16384 "
	if c.name == "scalar_l1" { // where loops load no descriptors
		on += "timing.buffers=pointers "
	}
	long := on
	for _, l := range c.behind {
		long += fmt.Sprintf("%s.line_bytes=512 %s.bytes=512 ", l, l)
	}
	m := c.meeting()
	rows := []keyRow{
		{at("bytes"), c.jobs + "chain", on, "16384", "1024", bothOf(exactly(64*m.miss), hitsAre(c.name, m.again+64, m.again))},
		{at("line_bytes"), c.jobs + "chain", long, "128", "512", hitsAre(c.name, m.again+64, m.long)},
		{at("ways"), c.jobs + "alias", on, "1", "4", bothOf(fewer(12*m.miss), hitsAre(c.name, m.first, m.first+12))},
		{at("slices"), c.jobs + "apart", on + at("bytes_per_cycle=") + m.rate, "1", "4", bound(m.given, m.given/4, m.slack)},
		{at("interleave_bytes"), c.jobs + "apart", on + at("slices=4 ") + at("bytes_per_cycle=") + m.rate, "0", "65536", bound(m.given/4, m.given, m.slack)},
		{at("latency_cycles"), c.jobs + "chain", on, "50", "150", exactly(m.accesses * 100)},
		{at("bytes_per_cycle"), c.jobs + "apart", on, "64", m.rate, bound(m.fetched/64, m.given, m.slack)},
		{at("misses"), c.jobs + "apart", on, "64", "1", atLeast(128 * m.miss)},
		{at("replacement"), c.jobs + "alias", on + at("ways=2"), "lru", "random", perHit(c.name, m.miss)}, // which go is drawn
		{at("hash_sets"), c.jobs + "alias", on, "false", "true", bothOf(fewer(12*m.miss), hitsAre(c.name, m.first, m.first+12))},
		{at("link_read_bytes_per_cycle"), c.jobs + "apart", on, "0", "1", bound(m.fetched/1024, m.fetched, m.slack)},
		{at("link_shared_bytes_per_cycle"), c.jobs + "apart", on, "0", "1", bound(m.fetched/1024, m.fetched, m.slack)},
	}
	fullNext := on + c.next + ".requests=1 " + c.next + ".bytes_per_cycle=1"
	requests := keyRow{at("requests"), c.jobs + "apart", on + at("bytes_per_cycle") + "=1", "0", "1", waited(c.name)}
	if c.name == "vector_l1" { // which the address path does not outrun
		requests = keyRow{at("requests"), "apart", on + "vector_l1.misses=1 compute_units=1", "0", "64", shrinks("memory.read",
			func(s *tracing.Stats) uint64 { return s.Slots[account.MemoryRead] })}
	}
	switch c.name {
	case "scalar_l1":
		rows = append(rows, keyRow{at("sector_bytes"), "chain", on, "0", "64", refused(at("sector_bytes"))})
	case "vector_l1": // 4 KB, from the middle of a line of 512 bytes on
		rows = append(rows, keyRow{at("sector_bytes"), "chain", long + at("line_bytes=512"), "0", "256", hitsAre(c.name, m.long, 96-4096/256)})
	default:
		rows = append(rows, keyRow{at("sector_bytes"), c.jobs + "chain", long + at("line_bytes=512"), "0", "128", hitsAre(c.name, m.long, m.again+64)})
	}
	rows = append(rows, requests, keyRow{at("link_credits"), c.jobs + "apart", fullNext, "0", "1", waited(c.name)})
	if c.name == "memory_side" {
		rows = append(rows, keyRow{at("shared_by"), "chain", on, "0", "2", refused(at("shared_by"))},
			keyRow{at("clock_mhz"), "chain", on + "clock_mhz=2000 " + at("latency_cycles=150"), "0", "1200", exactly(m.accesses * 100)})
	} else {
		rows = append(rows, keyRow{at("shared_by"), c.jobs + "pair", on + "compute_units=2", "1", "2", c.shared()},
			keyRow{at("clock_mhz"), "chain", on, "0", "1000", refused(at("clock_mhz"))})
	}
	if c.name == "scalar_l1" {
		return append(rows, keyRow{at("release_at_end"), "chain", on, "false", "true", refused(at("release_at_end"))},
			keyRow{at("acquire_at_start"), "chain", on, "false", "true", refused(at("acquire_at_start"))},
			keyRow{at("write"), "chain", on, "read-only", "back", refused(at("write"))},
			keyRow{at("write_buffer"), "chain", on, "0", "1", refused(at("write_buffer"))},
			keyRow{at("dirty_ways"), "chain", on, "0", "1", refused(at("dirty_ways"))},
			keyRow{at("write_bytes"), "chain", on, "0", "32", refused(at("write_bytes"))},
			keyRow{at("link_write_bytes_per_cycle"), "chain", on, "0", "1", refused(at("link_write_bytes_per_cycle"))},
			keyRow{at("write_bytes_per_cycle"), "chain", on, "0", "1", refused(at("write_bytes_per_cycle"))},
			keyRow{at("atomics"), "chain", on, "0", "1", refused(at("atomics"))},
			keyRow{at("write_allocate"), "chain", on, "false", "true", refused(at("write_allocate"))})
	}
	keeps := on + at("ways=4 ") + at("write_allocate=true ")
	return append(rows,
		keyRow{at("write_buffer"), "stores", fullNext, "0", "1", waited(c.name)},
		keyRow{at("link_write_bytes_per_cycle"), "stores", on + at("write=through"), "0", "0.1", bound(started/1024, started*10, unbound)},
		keyRow{at("write_bytes_per_cycle"), "stores", on + at("write=through"), "0", "0.1", bound(started/1024, started*10, unbound)},
		keyRow{at("atomics"), "updates", on, "0", "1", waited(c.name)},
		keyRow{at("write"), "chain", on, "through", "read-only", refused(at("write"))},
		keyRow{at("write"), "store", keeps, "through", "back", bothOf(fewer(c.acknowledged()), accessesAre(c.next, 1+3*16+1, 1))},
		keyRow{at("write"), "stores", keeps, "back", "eager", accessesAre(c.next, 1+4, 1+stored/128)}, // four lines have no place
		keyRow{at("write_bytes"), "halves", keeps + at("write=back ") + at("release_at_end=true"), "0", "64", fewerBytes(c.next, 32*64)},
		keyRow{at("dirty_ways"), "stores", keeps + at("write=eager"), "0", "1", accessesAre(c.next, 1+stored/128, 1+stored/128-8)}, // one in each of the eight sets that they go to
		keyRow{at("release_at_end"), "store", keeps + at("write=back"), "false", "true", bothOf(longer(c.acknowledged()), accessesAre(c.next, 1, 1+16+1))},
		keyRow{at("release_at_end"), "store", on + at("write=through"), "false", "true", refused(at("release_at_end"))},
		keyRow{at("acquire_at_start"), "chain", on + at("write_allocate=true ") + at("write=back"), "false", "true", refused(at("acquire_at_start"))},
		keyRow{at("acquire_at_start"), "twice", keeps + at("write=back ") + at("release_at_end=true"), "false", "true", exactly(c.found() * m.miss)},
		keyRow{at("write_allocate"), "back", on + at("write=back"), "false", "true", fewer((16 + 16 + 1) * c.acknowledged())})
}

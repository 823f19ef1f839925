package hierarchy

import (
	"slices"

	"spvsim/internal/spec"
	"spvsim/mem/fixed"
)

// Words for what a store does in a cache.
const (
	WriteThrough = "through"   // passed on; a line that is present stays
	WriteBack    = "back"      // kept until evicted
	WriteEager   = "eager"     // likewise, but of lines that stores have written whole only so many of a set wait to go on
	ReadOnly     = "read-only" // passed on without looking
)

// ReplaceRandom replaces any line of a full set; with any other word, the least recently used goes.
const ReplaceRandom = "random"

// Words for the accesses of a wave that return in the order of issue; with any other, none does.
const (
	OrderLoads = "loads" // loads and atomics with a result: stores have a wait counter of their own
	OrderAll   = "all"   // one wait counter counts stores too
)

// CacheSpec is one level. Bytes 0 means the level is absent and its other fields
// are not looked at.
type CacheSpec struct {
	Bytes           int     `yaml:"bytes" range:"0..1099511627776" unit:"bytes" doc:"size of one instance, over all of its slices; 0: the machine has no such level"`
	LineBytes       int     `yaml:"line_bytes" range:"0..4096" pow2:"true" unit:"bytes" doc:"size of a cache line, the unit that the level looks up and keeps"`
	SectorBytes     int     `yaml:"sector_bytes" default:"0" range:"0..4096" pow2:"true" unit:"bytes" doc:"aligned part of a line that is fetched by itself when something in it is read; 0: the whole line; in vector_l1 at least half a line; scalar_l1, and all levels under memory.model: akita, always fetch whole lines"`
	WriteBytes      int     `yaml:"write_bytes" default:"0" range:"0..4096" pow2:"true" unit:"bytes" doc:"aligned part of a line that is written to the next level by itself when something in it is dirty; at least a sixteenth of the line; stores to parts of words, and atomics, make the whole line dirty; 0: the whole line, as always under memory.model: akita"`
	Ways            int     `yaml:"ways" range:"0..1024" doc:"ways of each set (associativity): lines that may be kept of those whose addresses share a set; a slice has bytes / (line_bytes x ways x slices) sets"`
	Slices          int     `yaml:"slices" range:"0..4096" doc:"slices of one instance, selected by the address; each serves its own requests"`
	InterleaveBytes int     `yaml:"interleave_bytes" range:"0..1048576" pow2:"true" unit:"bytes" doc:"bytes of consecutive addresses in one slice; 0: one line"`
	SharedBy        int     `yaml:"shared_by" range:"0..1024" unit:"compute units" doc:"compute units of one shader engine that share an instance; compute_units or more: one for each engine; 0: one for the whole machine, as memory_side always is"`
	ClockMHz        int     `yaml:"clock_mhz" default:"0" range:"0..100000" unit:"MHz" doc:"clock of memory_side and of the fabric, of which its latency_cycles and bytes_per_cycle are in cycles, and the bandwidth of the links of the level before it; 0: the core's clock, as always in other levels"`
	LatencyCycles   int     `yaml:"latency_cycles" range:"0..100000" unit:"cycles" doc:"cycles that this level adds to a request; a hit in level n takes the sum over levels 1 to n"`
	BytesPerCycle   float64 `yaml:"bytes_per_cycle" range:"0..65536" unit:"bytes/cycle" doc:"bandwidth of one slice, for its requests, and for lines that it sends on when they are evicted, released or written early"`
	WriteRate       float64 `yaml:"write_bytes_per_cycle" default:"0" range:"0..65536" unit:"bytes/cycle" doc:"bandwidth of one slice for stores and evicted lines that come to it, where that is another; 0: bytes_per_cycle, as always under memory.model: akita; must be 0 in scalar_l1"`
	Write           string  `yaml:"write" enum:"through|back|eager|read-only" doc:"what a store does at this level. through: goes on to the next level; back: stays here until its line is evicted; eager: as back, but a line that stores have written whole is also written to the next level before its eviction, and stays here; read-only: no stores. scalar_l1 must be read-only, and no other level may be. Under memory.model: akita, eager is as back"`
	DirtyWays       int     `yaml:"dirty_ways" default:"0" range:"0..1024" unit:"lines" doc:"with write: eager, lines of a set that stores have written whole and that may wait here; when there is one more, the least recently used of them is written to the next level; 0: each is written at once"`
	WriteAllocate   bool    `yaml:"write_allocate" doc:"whether a store that misses allocates a line here; must be false in scalar_l1"`
	Misses          int     `yaml:"misses" range:"0..1048576" unit:"lines" doc:"lines of one slice for which misses may be outstanding; 0: no limit"`
	HashSets        bool    `yaml:"hash_sets" default:"false" doc:"whether higher address bits are folded into the index of the set, if the number of sets of a slice is a power of two"`
	Replacement     string  `yaml:"replacement" default:"lru" enum:"lru|random" doc:"which line of a full set is replaced. lru: the least recently used; random: any, the same in each run. Under memory.model: akita, always the least recently used"`
	ReleaseAtEnd    bool    `yaml:"release_at_end" default:"false" doc:"for caches with an instance in each of several engines: whether the end of a launch waits until its dirty data here is written to the next level, and other instances have dropped their copies of it"`
	AcquireAtStart  bool    `yaml:"acquire_at_start" default:"false" doc:"for caches with an instance in each of several engines: whether a launch begins with this cache empty, because other instances may have stored to lines that it holds"`
	QueueSpec       `yaml:",inline"`
	LinkSpec        `yaml:",inline"`
}

// LinkSpec is what the way between an instance and the next level moves.
type LinkSpec struct {
	LinkRead   float64 `yaml:"link_read_bytes_per_cycle" default:"0" range:"0..65536" unit:"bytes/cycle" doc:"bandwidth from the next level to one instance, taken by data that is read; 0: only the bandwidth of the next level itself is a limit"`
	LinkWrite  float64 `yaml:"link_write_bytes_per_cycle" default:"0" range:"0..65536" unit:"bytes/cycle" doc:"bandwidth from one instance to the next level, taken by stores, evicted lines and operands of atomics; 0: only the bandwidth of the next level itself is a limit; must be 0 in scalar_l1"`
	LinkShared float64 `yaml:"link_shared_bytes_per_cycle" default:"0" range:"0..65536" unit:"bytes/cycle" doc:"bandwidth between one instance and the next level that both directions share, instead of one for each direction; 0: link_read_bytes_per_cycle and link_write_bytes_per_cycle count"`
}

// QueueSpec has the queues of a level that are full at some number of requests; who sends to it waits then.
type QueueSpec struct {
	Requests    int `yaml:"requests" default:"0" range:"0..65536" unit:"requests" doc:"requests that one slice holds until its tags have taken them; 0: no limit, and in vector_l1 requests that wait for misses, write_buffer or atomics then hold up the address path"`
	WriteBuffer int `yaml:"write_buffer" default:"0" range:"0..65536" unit:"lines" doc:"evicted lines and stores that one slice holds until the next level has taken them; 0: no limit"`
	Atomics     int `yaml:"atomics" default:"0" range:"0..65536" unit:"lines" doc:"atomics that one slice holds until they are done; each line of an instruction counts as one; 0: no limit"`
	LinkCredits int `yaml:"link_credits" default:"0" range:"0..65536" unit:"requests" doc:"requests that one instance may have on the way to the next level, until that level has taken them; 0: no limit"`
}

// SetsPerSlice is the number of sets of a slice.
func (c *CacheSpec) SetsPerSlice() int { return c.Bytes / (c.LineBytes * c.Ways * c.Slices) }

// A LevelTiming has times and the rate of one slice of a level in cycles of the core's clock.
type LevelTiming struct {
	Latency         uint64
	ByteTime        uint64 // fixed-point
	WrittenByteTime uint64 // of stores and evicted lines that come to it
	Bandwidth       float64
}

// NewLevelTiming converts what a level has in cycles of its own clock, to the nearest cycle of the core's.
func NewLevelTiming(c *CacheSpec, coreMHz int) LevelTiming {
	t := LevelTiming{Latency: uint64(c.LatencyCycles), ByteTime: fixed.PerByte(c.BytesPerCycle), Bandwidth: c.BytesPerCycle}
	t.WrittenByteTime = t.ByteTime
	if c.WriteRate > 0 {
		t.WrittenByteTime = fixed.PerByte(c.WriteRate)
	}
	if own, core := uint64(c.ClockMHz), uint64(coreMHz); own > 0 {
		t = LevelTiming{fixed.Rescale(t.Latency, core, own), fixed.Rescale(t.ByteTime, core, own), fixed.Rescale(t.WrittenByteTime, core, own),
			t.Bandwidth * float64(own) / float64(core)}
	}
	return t
}

// DeviceCoherent reports whether one instance serves the whole machine and keeps stores: coherent accesses and atomics are carried out there.
func (c *CacheSpec) DeviceCoherent(shape *spec.Shape) bool {
	instances, _ := shape.Instances(c.SharedBy)
	return c.WritesBack() && (c.SharedBy == 0 || instances == 1 && c.SharedBy > 1)
}

// WritesBack reports whether stores stay here until evicted.
func (c *CacheSpec) WritesBack() bool { return c.Write == WriteBack || c.Write == WriteEager }

// Present reports whether the machine has this level.
func (c *CacheSpec) Present() bool { return c.Bytes > 0 }

// Check tests what a level that is present needs.
func (c CacheSpec) Check() []spec.Problem {
	if !c.Present() {
		return nil
	}
	ps := c.needed()
	if set := c.LineBytes * c.Ways * c.Slices; ps == nil && c.Bytes%set != 0 {
		ps = append(ps, spec.RangeProblem("bytes", "found %d: want a multiple of line_bytes x ways x slices, %d", c.Bytes, set))
	}
	if c.DirtyWays > c.Ways {
		ps = append(ps, spec.RangeProblem("dirty_ways", "found %d: want at most ways, %d", c.DirtyWays, c.Ways))
	}
	if c.SectorBytes > 0 && (c.SectorBytes < minLine || c.SectorBytes > c.LineBytes) {
		ps = append(ps, spec.RangeProblem("sector_bytes", "found %d: want 0, or from %d up to line_bytes, %d", c.SectorBytes, minLine, c.LineBytes))
	}
	if least := max(minLine, c.LineBytes/maxPieces); c.WriteBytes > 0 && (c.WriteBytes < least || c.WriteBytes > c.LineBytes) {
		ps = append(ps, spec.RangeProblem("write_bytes", "found %d: want 0, or from %d up to line_bytes, %d", c.WriteBytes, least, c.LineBytes))
	}
	if c.LinkShared > 0 && c.LinkRead+c.LinkWrite > 0 {
		ps = append(ps, spec.RangeProblem("link_shared_bytes_per_cycle", "found %g: want 0 where link_read_bytes_per_cycle or link_write_bytes_per_cycle is given", c.LinkShared))
	}
	if c.InterleaveBytes > 0 && c.InterleaveBytes < c.LineBytes {
		ps = append(ps, spec.RangeProblem("interleave_bytes", "found %d: want at least line_bytes, %d", c.InterleaveBytes, c.LineBytes))
	}
	if c.WriteRate > 0 && c.WriteRate < minBandwidth {
		ps = append(ps, spec.RangeProblem("write_bytes_per_cycle", "found %g: want 0 or at least %g", c.WriteRate, minBandwidth))
	}
	return ps
}

// Bounds of what the model can keep account of.
const (
	minLine      = 16         // bytes: the widest element of an access
	minBandwidth = 1.0 / 1024 // bytes a cycle: keeps a booked transfer within the fixed-point clock
)

func (c *CacheSpec) needed() (ps []spec.Problem) {
	for _, f := range []struct {
		name  string
		value float64
		low   float64
	}{
		{"line_bytes", float64(c.LineBytes), minLine}, {"ways", float64(c.Ways), 1}, {"slices", float64(c.Slices), 1},
		{"bytes_per_cycle", c.BytesPerCycle, minBandwidth},
	} {
		if !(f.value >= f.low) {
			ps = append(ps, spec.RangeProblem(f.name, "found %g: want at least %g where the level is present", f.value, f.low))
		}
	}
	if c.Write == "" {
		ps = append(ps, spec.Problem{Path: "write", Msg: "missing", Kind: spec.ErrMissing})
	}
	return ps
}

// MemorySpec is the device memory behind the last cache.
type MemorySpec struct {
	Model           string  `yaml:"model" enum:"fast|akita" required:"true" doc:"fast: keeps tags and reserves bandwidth, without an event for each hop; akita: the caches and DRAM of Akita"`
	Bytes           int     `yaml:"bytes" range:"1048576..1099511627776" unit:"bytes" doc:"capacity of the device memory"`
	Channels        int     `yaml:"channels" range:"1..4096" doc:"memory channels of the machine, over which addresses spread by interleave_bytes; each has bytes_per_cycle and banks of its own"`
	InterleaveBytes int     `yaml:"interleave_bytes" range:"16..1048576" pow2:"true" unit:"bytes" doc:"bytes of consecutive addresses in one channel"`
	Unhashed        int     `yaml:"unhashed_channels" default:"0" range:"0..4096" pow2:"true" unit:"channels" doc:"consecutive channels among which an address chooses by its own bits: where the channels are a power of two, higher bits of the address are folded into the number of a channel above these alone, and so for slices of the last cache before memory (memory_side or l2), where there is one for each channel; 0: into all of it"`
	BytesPerCycle   float64 `yaml:"bytes_per_cycle" range:"0.001..65536" unit:"bytes/cycle" doc:"bandwidth of one channel, the peak of its pins"`
	Efficiency      float64 `yaml:"efficiency" default:"0" range:"0..1" doc:"share of the channels' peak that transfers sustain, after row activations, refresh and turns between reads and writes; 0: all of it"`
	ClockMHz        int     `yaml:"clock_mhz" default:"0" range:"0..100000" unit:"MHz" doc:"clock of which latency_cycles and bytes_per_cycle are in cycles, whatever the core's clock is: twice the clock is twice the bandwidth; the times of dram are in nanoseconds under any clock; 0: the core's clock"`
	LatencyCycles   int     `yaml:"latency_cycles" range:"0..100000" unit:"cycles" doc:"cycles from the time that a request leaves the last cache until its line is back there"`
	Requests        int     `yaml:"requests" default:"0" range:"0..65536" unit:"requests" doc:"requests that one channel holds before it serves them; 0: no limit"`
	PageBytes       int     `yaml:"page_bytes" default:"0" range:"0..1073741824" pow2:"true" unit:"bytes" doc:"page size: pages of a program's addresses are at random places in memory, and these places determine the slices of l2 and memory_side and the channels; 0: memory is laid out like the program's addresses"`
}

// InCycles returns the spec with its latency and bandwidth in cycles of the core's clock.
func (m *MemorySpec) InCycles(coreMHz int) MemorySpec {
	out := *m
	if m.ClockMHz > 0 && m.ClockMHz != coreMHz {
		out.LatencyCycles = int(fixed.Rescale(uint64(m.LatencyCycles), uint64(coreMHz), uint64(m.ClockMHz)))
		out.BytesPerCycle = m.BytesPerCycle * float64(m.ClockMHz) / float64(coreMHz)
	}
	return out
}

// minPage is the smallest page of a virtual address: what an x86 host has, and as much as the longest line.
const minPage = 4096

// Check tests what the ranges of fields don't.
func (m MemorySpec) Check() []spec.Problem {
	if m.PageBytes > 0 && m.PageBytes < minPage {
		return []spec.Problem{spec.RangeProblem("page_bytes", "found %d: want 0 or at least %d", m.PageBytes, minPage)}
	}
	return nil
}

// Interleave interleaves addresses over the channels.
func (m *MemorySpec) Interleave() fixed.Interleave {
	return interleave(m.InterleaveBytes, m.Channels, m.Unhashed)
}

// interleave spreads units over n slices or channels; no higher bits are folded into the choice among unhashed consecutive ones.
func interleave(unitBytes, n, unhashed int) fixed.Interleave {
	i := fixed.NewInterleave(unitBytes, n)
	i.Hashed &^= uint64(max(unhashed, 1) - 1)
	return i
}

// SustainedBandwidth is the bandwidth of one channel that transfers get.
func (m *MemorySpec) SustainedBandwidth() float64 {
	if m.Efficiency == 0 {
		return m.BytesPerCycle
	}
	return m.BytesPerCycle * m.Efficiency
}

// VectorMemorySpec is the address path of one compute unit. An instruction occupies it for
// max(ceil(active lanes / LanesPerCycle), lines / LinesPerCycle, bytes / bandwidth of the vector cache) cycles, and
// TranslationCycles for each range of addresses that its lines go on to and whose translation is not kept; with BlockBytes, blocks count
// instead of lines, and with banks of the vector cache their time does for loads. Atomics, and loads and stores of 8 bytes or more a lane, may have a rate of their own.
type VectorMemorySpec struct {
	LanesPerCycle      int     `yaml:"lanes_per_cycle" range:"1..1024" unit:"lanes" doc:"lane addresses coalesced each cycle"`
	LinesPerCycle      int     `yaml:"lines_per_cycle" range:"1..64" unit:"lines" doc:"distinct cache lines sent to vector_l1 each cycle"`
	BlockBytes         int     `yaml:"block_bytes" default:"0" range:"0..4096" pow2:"true" unit:"bytes" doc:"size of the aligned blocks that the address path sends to vector_l1, lines_per_cycle of them each cycle; a block serves neighbouring lanes of one cycle (lanes_per_cycle) whose bytes follow each other or are in one half of the block; 0: whole lines, each once"`
	ScatteredLanes     int     `yaml:"scattered_lanes" default:"0" range:"0..64" unit:"lanes" doc:"with block_bytes, most lanes of a load that go in one cycle where their bytes do not follow each other; they are in one half of a block, or in different word_banks; 0: as many as half a block serves"`
	WordBanks          int     `yaml:"word_banks" default:"1" range:"0..64" pow2:"true" doc:"with scattered_lanes, banks of consecutive words: lanes whose words are in different banks go in one cycle, whatever their blocks; 1: only half a block is served in a cycle; 0: lanes never conflict"`
	WideLanesPerCycle  int     `yaml:"wide_lanes_per_cycle" default:"0" range:"0..1024" unit:"lanes" doc:"lanes of an atomic, or of a load or store of 8 bytes or more a lane, that go each cycle, wherever their bytes are, as far as tags_per_cycle allows for loads and lines_per_cycle for others; 0: as lanes of narrower loads and stores; banks go before it"`
	TranslationBytes   int     `yaml:"translation_bytes" default:"4096" range:"4096..1073741824" pow2:"true" unit:"bytes" doc:"aligned range of addresses that one translation serves"`
	TranslationEntries int     `yaml:"translation_entries" default:"32" range:"1..4096" pow2:"true" unit:"entries" doc:"translations that a compute unit keeps; the least recently used of eight is replaced"`
	TranslationCycles  float64 `yaml:"translation_cycles" default:"0" range:"0..1024" unit:"cycles" doc:"additional cycles that the address path takes for each translation that the compute unit does not keep; successive lanes whose lines are in one range of translation_bytes share a translation; 0: none, and without a second level (translation.entries) translations cost nothing"`
	MaxOutstanding     int     `yaml:"max_outstanding" range:"1..65536" unit:"instructions" doc:"most vector memory instructions of one wave in flight (the range of the wait counter)"`
	ReturnOrder        string  `yaml:"return_order" default:"free" enum:"free|loads|all" doc:"which accesses of one wave return in the order of issue, so that a wait for one is a wait for those before it. free: none; loads: loads and atomics with results; all: these and stores until they are acknowledged (one wait counter for both)"`
	LatencyFIFO        int     `yaml:"latency_fifo" default:"0" range:"0..65536" unit:"entries" doc:"entries of the FIFO in which a compute unit's loads, hits among them, wait between the tags of vector_l1 and their data; a load holds one for each cycle that it takes the address path, from its lookup until it returns, and loads return in the order of issue, whichever wave they are of; where all are held, the address path waits; 0: no limit, and loads of different waves pass each other. Scalar loads hold none, nor does any load under memory.model: akita"`
	AtomicCycles       int     `yaml:"atomic_cycles" range:"0..1024" unit:"cycles" doc:"time from one update of an element to the next, where the atomics of a line are carried out; atomics of different instructions to one line follow each other too"`
	AtomicSliceCycles  int     `yaml:"atomic_slice_cycles" default:"0" range:"0..1024" unit:"cycles" doc:"least time that an atomic takes its slice of the cache that carries it out, for each line of an instruction, whichever line the next one updates; 0: the time of its bytes alone"`
	BankSpec           `yaml:",inline"`
}

// TextureSpec is the texture unit, which filters quads of 2x2 lanes.
type TextureSpec struct {
	QuadsPerCycle   int `yaml:"quads_per_cycle" range:"1..64" unit:"quads/cycle" doc:"quads filtered each cycle, with a bilinear filter and texels of up to texel_bytes"`
	TexelBytes      int `yaml:"texel_bytes" range:"1..16" unit:"bytes" doc:"largest texel that is filtered at the full rate; a larger one takes a pass for each texel_bytes of its size"`
	TrilinearPasses int `yaml:"trilinear_passes" range:"1..8" doc:"passes of a quad that reads two levels of detail"`
	LatencyCycles   int `yaml:"latency_cycles" range:"0..10000" unit:"cycles" doc:"time of addressing and filtering, added to the time of the cache"`
}

// Spec is the memory of a machine.
type Spec struct {
	VectorMemory VectorMemorySpec `yaml:"vector_memory" doc:"path from a compute unit's SIMDs to its vector cache"`
	Translation  TranslationSpec  `yaml:"translation" doc:"second level of address translation"`
	Texture      TextureSpec      `yaml:"texture" doc:"texture unit of each compute unit"`
	VectorL1     CacheSpec        `yaml:"vector_l1" doc:"vector data cache (TCP, GL0)"`
	ScalarL1     CacheSpec        `yaml:"scalar_l1" doc:"scalar data cache"`
	ShaderArray  CacheSpec        `yaml:"shader_array" doc:"cache between vector_l1 and l2 (RDNA's GL1); bytes: 0 means the machine has none"`
	L2           CacheSpec        `yaml:"l2" doc:"sliced second-level cache"`
	MemorySide   CacheSpec        `yaml:"memory_side" doc:"cache in front of the memory channels (Infinity Cache); bytes: 0 means the machine has none"`
	Memory       MemorySpec       `yaml:"memory" doc:"device memory"`
	DRAM         DRAMSpec         `yaml:"dram" doc:"banks and rows of the channels of device memory"`
}

// A NamedCache is a level with its name in machine files and counters.
type NamedCache struct {
	Name string
	CacheSpec
	optional bool // some machines do without
	linkMHz  int  // clock of its links to the next level; 0: the core's
	unhashed int  // consecutive slices among which an address chooses by its own bits, as among channels
}

// linkBandwidths returns the bandwidths of a level's links in bytes per cycle of the core's clock, by direction and of both together; 0: no limit.
func linkBandwidths(c *NamedCache, coreMHz int) [3]float64 {
	list := [...]float64{Read: c.LinkRead, Write: c.LinkWrite, BothDirections: c.LinkShared}
	for i := range list {
		if c.linkMHz > 0 && c.linkMHz != coreMHz {
			list[i] *= float64(c.linkMHz) / float64(coreMHz)
		}
	}
	return list
}

// Slicing interleaves addresses over the slices of an instance.
func (c *NamedCache) Slicing() fixed.Interleave {
	return interleave(max(c.InterleaveBytes, c.LineBytes), c.Slices, c.unhashed)
}

// LevelNames are those of the cache levels, from the compute unit outwards.
var LevelNames = []string{"vector_l1", "scalar_l1", "shader_array", "l2", "memory_side"}

// Levels are the cache levels from the compute unit outwards. Where the outermost that is present has a slice for each channel, addresses
// choose its slices as they choose channels.
func (s *Spec) Levels() []NamedCache {
	var list []NamedCache
	outermost := 0
	for i, name := range LevelNames {
		c := s.Level(name)
		list = append(list, NamedCache{Name: name, CacheSpec: *c, optional: c == &s.ShaderArray || c == &s.MemorySide})
		if c.Present() {
			outermost = i
		}
	}
	if c := &list[outermost]; c.Slices == s.Memory.Channels {
		c.unhashed = s.Memory.Unhashed
	}
	if s.MemorySide.Present() {
		list[len(list)-2].linkMHz = s.MemorySide.ClockMHz // of l2, which is always present
	}
	return list
}

// Level finds a cache level by name; nil when it is none.
func (s *Spec) Level(name string) *CacheSpec {
	caches := [...]*CacheSpec{&s.VectorL1, &s.ScalarL1, &s.ShaderArray, &s.L2, &s.MemorySide}
	if i := slices.Index(LevelNames, name); i >= 0 {
		return caches[i]
	}
	return nil
}

// LinkBandwidths returns the bandwidths of the links of a level, as linkBandwidths does, by the name of the level.
func (s *Spec) LinkBandwidths(name string, coreMHz int) [3]float64 {
	levels := s.Levels()
	return linkBandwidths(&levels[slices.Index(LevelNames, name)], coreMHz)
}

// Check asks for the levels that every machine has, and that an outer level's
// line holds whole lines of the inner ones, so that one miss is one request.
func (s Spec) Check() []spec.Problem {
	ps := s.checkPages()
	inner := 0
	for _, l := range s.Levels() {
		ps = append(append(append(ps, l.checkStores()...), l.checkMachineWide()...), l.checkSectors(1<<s.WordShift())...)
		switch {
		case !l.Present() && !l.optional:
			ps = append(ps, spec.RangeProblem(l.Name+".bytes", "found 0: want this level (only shader_array and memory_side may be absent)"))
		case !l.Present() || l.Name == "scalar_l1":
		case l.LineBytes < inner:
			ps = append(ps, spec.RangeProblem(l.Name+".line_bytes", "found %d: want at least the %d of the level before", l.LineBytes, inner))
			fallthrough
		default:
			inner = l.LineBytes
		}
	}
	return ps
}

// checkStores refuses what a level can't do with stores: none comes to the scalar
// cache, and all pass through the others.
func (l *NamedCache) checkStores() []spec.Problem {
	readOnly := l.Name == "scalar_l1"
	switch {
	case !l.Present() || l.Write == "":
	case readOnly && l.Write != ReadOnly:
		return []spec.Problem{spec.RangeProblem(l.Name+".write", "found %s: want read-only, as nothing is stored through the scalar cache", l.Write)}
	case readOnly && l.WriteAllocate:
		return []spec.Problem{spec.RangeProblem(l.Name+".write_allocate", "found true: want false, as nothing is stored through the scalar cache")}
	case readOnly && l.DirtyWays > 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".dirty_ways", "found %d: want 0, as nothing is stored through the scalar cache", l.DirtyWays)}
	case readOnly && l.WriteBytes > 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".write_bytes", "found %d: want 0, as nothing is stored through the scalar cache", l.WriteBytes)}
	case readOnly && l.Atomics > 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".atomics", "found %d: want 0, as no atomics go through the scalar cache", l.Atomics)}
	case readOnly && l.WriteRate > 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".write_bytes_per_cycle", "found %g: want 0, as nothing is stored through the scalar cache", l.WriteRate)}
	case readOnly && l.LinkWrite > 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".link_write_bytes_per_cycle", "found %g: want 0, as nothing is stored through the scalar cache", l.LinkWrite)}
	case readOnly && l.WriteBuffer > 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".write_buffer", "found %d: want 0, as nothing is stored through the scalar cache", l.WriteBuffer)}
	case l.ReleaseAtEnd && !l.WritesBack():
		return []spec.Problem{spec.RangeProblem(l.Name+".release_at_end", "found true: want false, as nothing stays dirty in a cache with write: %s", l.Write)}
	case l.AcquireAtStart && !l.ReleaseAtEnd:
		return []spec.Problem{spec.RangeProblem(l.Name+".acquire_at_start", "found true: want false: without release_at_end dirty lines would be lost, and a cache with write: through begins each launch empty in any case")}
	case !readOnly && l.Write == ReadOnly:
		return []spec.Problem{spec.RangeProblem(l.Name+".write", "found read-only: want through, back or eager, as stores come to this level")}
	}
	return nil
}

// checkSectors refuses parts of lines in the scalar cache, which is asked for lines, and such as are less than a word; in the vector
// cache less than half a line, as a miss there fetches from the first to the last word that lanes read.
func (l *NamedCache) checkSectors(word int) []spec.Problem {
	switch {
	case l.Present() && l.WriteBytes > 0 && l.WriteBytes < word:
		return []spec.Problem{spec.RangeProblem(l.Name+".write_bytes", "found %d: want at least %d, a 64th of the longest line", l.WriteBytes, word)}
	case !l.Present() || l.SectorBytes == 0:
		return nil
	case l.Name == "scalar_l1":
		return []spec.Problem{spec.RangeProblem(l.Name+".sector_bytes", "found %d: want 0, as waves ask this cache for lines", l.SectorBytes)}
	case l.Name == "vector_l1" && 2*l.SectorBytes < l.LineBytes:
		return []spec.Problem{spec.RangeProblem(l.Name+".sector_bytes", "found %d: want 0, or at least half of line_bytes, %d", l.SectorBytes, l.LineBytes/2)}
	case l.SectorBytes < word:
		return []spec.Problem{spec.RangeProblem(l.Name+".sector_bytes", "found %d: want at least %d, a 64th of the longest line", l.SectorBytes, word)}
	}
	return nil
}

// checkMachineWide refuses copies of a cache that is in front of the memory channels, and a clock of its own in any other.
func (l *NamedCache) checkMachineWide() []spec.Problem {
	machineWide := l.Name == "memory_side"
	switch {
	case !l.Present():
	case machineWide && l.SharedBy != 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".shared_by", "found %d: want 0, as this cache is in front of the memory channels of the whole machine", l.SharedBy)}
	case !machineWide && l.ClockMHz != 0:
		return []spec.Problem{spec.RangeProblem(l.Name+".clock_mhz", "found %d: want 0, as this cache has the core's clock", l.ClockMHz)}
	}
	return nil
}

// DefaultSpec is a machine like AMD's R9 Nano (64 compute units, HBM), with the
// figures that MGPUSim uses where AMD gives none.
func DefaultSpec() Spec {
	return Spec{
		VectorMemory: VectorMemorySpec{LanesPerCycle: 16, LinesPerCycle: 1, MaxOutstanding: 64, AtomicCycles: 1, WordBanks: 1, TranslationBytes: 4096, TranslationEntries: 32,
			BankSpec: BankSpec{BankBytes: 4, BankCycles: 2, GroupBytes: 64, TagsPerCycle: 2}},
		Translation: TranslationSpec{Ways: 8, PageBytes: 4096},
		Texture:     TextureSpec{QuadsPerCycle: 1, TexelBytes: 4, TrilinearPasses: 2},
		VectorL1: CacheSpec{Bytes: 16 << 10, LineBytes: 64, Ways: 4, Slices: 1, SharedBy: 1,
			LatencyCycles: 60, BytesPerCycle: 64, Write: WriteThrough, Misses: 64},
		ScalarL1: CacheSpec{Bytes: 16 << 10, LineBytes: 64, Ways: 4, Slices: 1, SharedBy: 4,
			LatencyCycles: 25, BytesPerCycle: 16, Write: ReadOnly, Misses: 16},
		L2: CacheSpec{Bytes: 2 << 20, LineBytes: 64, Ways: 16, Slices: 16, InterleaveBytes: 256,
			LatencyCycles: 80, BytesPerCycle: 64, Write: WriteBack, WriteAllocate: true, Misses: 64},
		Memory: MemorySpec{Model: "fast", Bytes: 4 << 30, Channels: 16, InterleaveBytes: 256, BytesPerCycle: 32, LatencyCycles: 160},
	}
}

// LargestLine is the largest line size of all levels.
func (s *Spec) LargestLine() int {
	return max(s.VectorL1.LineBytes, s.ScalarL1.LineBytes, s.ShaderArray.LineBytes, s.L2.LineBytes, s.MemorySide.LineBytes)
}

// WordShift is log2 of the bytes of a word in the masks of lines: 4, or more where 64 of those are less than the longest line.
func (s *Spec) WordShift() uint { return fixed.Log2(max(4, s.LargestLine()/64)) }

// WordMask has the bits of words from first up to end.
func WordMask(first, end uint64) uint64 { return (uint64(1)<<end - 1) &^ (uint64(1)<<first - 1) }

// WholeWords are the words of so many bytes that bytes of a line, from a place in it on, have whole.
func WholeWords(from, bytes uint64, each int) uint64 {
	size := uint64(each)
	first, end := (from+size-1)/size, (from+bytes)/size
	if first >= end {
		return 0
	}
	return WordMask(first, end)
}

package systemtest

import (
	"fmt"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/isa"
	"spvsim/tracing"
)

// walk is a job of walk.comp: its mode, lanes of a workgroup, workgroups, and how it steps, in words.
func walk(mode, lanes, groups, lane, step, steps, rounds, group int) string {
	return fmt.Sprintf(`
shader: walk.spv
specialization: {0: %d, 1: %d}
buffers:
  - {set: 0, binding: 0, name: table, data: {zero: 262144}}
  - {set: 0, binding: 1, name: words, data: {zero: 1048576}}
  - {set: 0, binding: 2, name: sink, data: {zero: 65536}}
push_constants: [{u32: %d}, {u32: %d}, {u32: %d}, {u32: %d}, {u32: %d}]
dispatch: [%d]
`, mode, lanes, lane, step, steps, rounds, group, groups)
}

func ldsJob(kind, lanes, groups, stride int) string {
	return fmt.Sprintf(`
shader: lds.spv
specialization: {0: %d, 1: %d}
buffers: [{set: 0, binding: 0, name: sink, data: {zero: 65536}}]
push_constants: [{u32: %d}, {u32: 8}]
dispatch: [%d]
`, kind, lanes, stride, groups)
}

// keyJobs are the jobs of rows, besides the library's. A line is 128 bytes: 32 words.
var keyJobs = map[string]string{
	"all": `
shader: all.spv
buffers:
  - {set: 0, binding: 0, name: source, data: {iota: u32, count: 64}}
  - {set: 0, binding: 1, name: sink, data: {iota: u32, count: 256}}
  - {set: 0, binding: 2, name: picture, image: {format: R32ui, width: 4, height: 4}}
push_constants: [{u32: 3}, {u32: 2}]
dispatch: [1]
`,
	"select": `
shader: select.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {iota: u32, count: 32}}
  - {set: 0, binding: 1, name: b, data: {iota: u32, count: 32}}
  - {set: 0, binding: 2, name: sink, data: {zero: 128}}
dispatch: [1]
`,
	"bounds": `
nodes:
  - {shader: bounds.spvasm, entry: split}
  - {shader: bounds.spvasm, entry: square}
graph: [{node: split, count: 1}]
buffers: [{name: result, set: 0, binding: 0, data: {zero: 16}}]
`,
	"helpers": `
shader: helpers.spv
buffers:
  - {set: 0, binding: 0, name: lanes, data: {zero: 4}}
  - {unbound: true, name: color, image: {format: R32f, width: 8, height: 8}}
draw:
  positions: {type: f32, values: [0, 0, 0, 1, 8, 0, 0, 1, 0, 8, 0, 1]}
  color: [{location: 0, buffer: color, clear: [0]}]
`,
	"copies": `
shader: select.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {iota: u32, count: 32}}
  - {set: 0, binding: 1, name: b, data: {iota: u32, count: 32}}
  - {set: 0, binding: 2, name: sink, data: {zero: 128}}
steps:
  - {name: in, copy: {to: device, bytes: 1000}}
  - {name: work, dispatch: [1]}
  - {name: out, copy: {to: host, bytes: 500}}
`,
	"launches": `
shader: select.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {iota: u32, count: 32}}
  - {set: 0, binding: 1, name: b, data: {iota: u32, count: 32}}
  - {set: 0, binding: 2, name: sink, data: {zero: 128}}
steps:
  - {name: first, dispatch: [1]}
  - {name: second, dispatch: [1]}
  - {name: third, dispatch: [1]}
`,
	"queues": strings.Replace(besideJob, "{u32: 64}", "{u32: 8}", 1) + besideQueues("{for: {i: 1..4}, barrier: false, dispatch: [8]}"),
	"signal": besideJob + `
queues:
  - steps: [{name: first, dispatch: [1]}]
  - steps: [{after: [first], dispatch: [1]}]
`,
	"matrices": `
shader: matrices.spvasm
buffers: [{set: 0, binding: 0, name: sink, data: {zero: 16384}}]
dispatch: [1]
`,
	"mixed":        walk(4, 32, 8, 0, 16, 16, 1, 0),
	"vector":       walk(6, 32, 16, 0, 0, 64, 1, 0), // vector arithmetic alone
	"wide":         walk(0, 32, 8, 1, 32, 4, 1, 0) + "wave_size: 64\n",
	"chain":        walk(0, 32, 1, 1, 32, 32, 3, 0),    // line after line, three times
	"alias":        walk(0, 32, 1, 1, 4096, 4, 4, 0),   // four lines 16 KB apart
	"flow":         walk(1, 32, 4, 1, 32, 16, 1, 0),    // four lines at a time, four waves the same
	"apart":        walk(1, 32, 4, 1, 32, 8, 1, 4096),  // each wave its own
	"rows":         walk(1, 32, 32, 1, 32, 8, 1, 8192), // each wave in a row of one bank
	"pages":        walk(0, 32, 1, 1, 32, 128, 3, 0),   // 16 KB, three times
	"twice":        strings.Replace(walk(0, 32, 1, 1, 32, 32, 1, 0), "dispatch: [1]", "steps: [{name: first, dispatch: [1]}, {name: second, dispatch: [1]}]", 1),
	"pair":         walk(0, 32, 2, 1, 32, 32, 1, 0),     // two compute units read the same
	"scatter":      walk(1, 32, 4, 32, 1, 8, 1, 0),      // each lane its own line
	"ranges":       walk(1, 32, 1, 2048, 1, 8, 1, 0),    // each lane 8 KB from the next
	"store":        walk(2, 32, 1, 1, 32, 16, 3, 0),     // the same lines three times
	"stores":       walk(2, 32, 4, 1, 32, 8, 1, 4096),   // each wave its own
	"updates":      walk(3, 32, 4, 1, 32, 8, 1, 4096),   // likewise
	"back":         walk(5, 32, 1, 1, 32, 16, 1, 0),     // stored, then read
	"after":        walk(7, 32, 1, 1, 32, 16, 1, 0),     // a load after a store
	"atomic":       walk(3, 32, 1, 0, 0, 16, 1, 0),      // one word
	"many":         walk(0, 64, 32, 1, 64, 16, 1, 1024), // more waves than a SIMD has slots
	"scalar-chain": walk(4, 32, 1, 0, 16, 64, 3, 0),     // line after line, by the scalar unit
	"scalar-alias": walk(4, 32, 1, 0, 4096, 4, 4, 0),    // four lines 16 KB apart
	"scalar-apart": walk(4, 32, 16, 0, 16, 16, 1, 1024), // sixteen waves, each its own
	"scalar-pair":  walk(4, 32, 2, 0, 16, 64, 1, 0),     // two compute units
	"lds":          ldsJob(0, 32, 1, 1),
	"lds-groups":   ldsJob(0, 64, 12, 1),
	"lds-conflict": ldsJob(0, 32, 1, 32),
	"lds-wide":     ldsJob(3, 256, 1, 1),
}

// Machines of levels that let all pass: each holds one line.
const (
	matrices   = "machine=cdna3-mi300a dispatcher.launch_floor_cycles=0 " // which has products of every format
	passVector = "vector_l1.bytes=128 vector_l1.interleave_bytes=0 vector_l1.ways=1 vector_l1.misses=0 vector_l1.bytes_per_cycle=1024 "
	passScalar = "scalar_l1.bytes=128 scalar_l1.interleave_bytes=0 scalar_l1.line_bytes=128 scalar_l1.ways=1 scalar_l1.misses=0 scalar_l1.bytes_per_cycle=1024 "
	passArray  = "shader_array.bytes=128 shader_array.interleave_bytes=0 shader_array.ways=1 shader_array.shared_by=1 shader_array.slices=1 shader_array.misses=0 shader_array.bytes_per_cycle=1024 "
	passL2     = "l2.bytes=128 l2.interleave_bytes=0 l2.ways=1 l2.write=through l2.write_allocate=false l2.slices=1 l2.misses=0 l2.bytes_per_cycle=1024 "
	passSide   = "memory_side.bytes=128 memory_side.interleave_bytes=0 memory_side.ways=1 memory_side.slices=1 memory_side.misses=0 memory_side.bytes_per_cycle=1024 "
	quickPath  = "memory.channels=1 memory.bytes_per_cycle=1024 vector_memory.lines_per_cycle=64 "
	banks      = "vector_memory.banks=32 "
	passAll    = passVector + passScalar + passArray + passL2 + passSide + quickPath + latencies
	latencies  = "vector_l1.latency_cycles=50 scalar_l1.latency_cycles=10 shader_array.latency_cycles=60 l2.latency_cycles=85 memory_side.latency_cycles=140 memory.latency_cycles=190 "
)

// missCycles are what a miss of a level takes longer than a hit: the latencies of all after it.
var missCycles = map[string]uint64{"vector_l1": 475, "scalar_l1": 475, "shader_array": 415, "l2": 330, "memory_side": 190}

// What the four waves of "apart" read, 128 lines, and how long that takes where no rate bounds it.
const (
	moved   = 128 * 128 // bytes
	unbound = 6500      // cycles of the same where nothing is bound by a rate
)

func levelOf(s *tracing.Stats, name string) (accesses, hits, bytes uint64) {
	for _, l := range s.Memory {
		if l.Name == name {
			return l.Accesses, l.Hits, l.Bytes
		}
	}
	return 0, 0, 0
}

func accesses(name string) func(*tracing.Stats) uint64 {
	return func(s *tracing.Stats) uint64 { n, _, _ := levelOf(s, name); return n }
}

func hits(name string) func(*tracing.Stats) uint64 {
	return func(s *tracing.Stats) uint64 { _, n, _ := levelOf(s, name); return n }
}

// hitsAre is the effect of so many hits of a level in the first run, and in the second.
func hitsAre(name string, before, after uint64) effect {
	return func(a, b *keyRun) string {
		if x, y := hits(name)(a.Stats), hits(name)(b.Stats); x != before || y != after {
			return fmt.Sprintf("%s has %d hits, then %d: want %d and %d", name, x, y, before, after)
		}
		return ""
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

// class counts the instructions of a class.
func class(c isa.Class) func(*tracing.Stats) uint64 {
	return func(s *tracing.Stats) uint64 { return s.ByClass[c] }
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
// level is; and whether a level moves whole lines.
type meeting struct {
	miss, accesses, again, long, first uint64
	lines                              bool
}

// meeting: vector loads begin in the middle of a line of 512 bytes, so that 32 lines of 128 bytes are nine of those. Push constants and the
// descriptor of the store are scalar loads. Two scalar loads share a line.
func (c *cacheCase) meeting() meeting {
	miss := missCycles[c.name]
	switch c.name {
	case "vector_l1":
		return meeting{miss, 96 + 1, 0, 96 - 9, 0, true}
	case "scalar_l1":
		return meeting{miss, 192 + 2, 96, 192 - 8, 1, false}
	}
	return meeting{miss, 96 + 2, 0, 96 - 9, 0, true}
}

// moves is the effect of moving the lines of "apart" at a rate in bytes a cycle, and at another; or else.
func (m *meeting) moves(before, after uint64, otherwise effect) effect {
	if !m.lines {
		return otherwise
	}
	return bound(moved/before, moved/after, unbound)
}

// rows are those of a level of 16 KB in one slice, on a machine whose other levels let all pass.
func (c *cacheCase) rows() []keyRow {
	at := func(key string) string { return c.name + "." + key }
	on := passAll + at("bytes") + "=16384 "
	long := on
	for _, l := range c.behind {
		long += fmt.Sprintf("%s.line_bytes=512 %s.bytes=512 ", l, l)
	}
	m := c.meeting()
	rows := []keyRow{
		{at("bytes"), c.jobs + "chain", on, "16384", "1024", bothOf(exactly(64*m.miss), hitsAre(c.name, m.again+64, m.again))},
		{at("line_bytes"), c.jobs + "chain", long, "128", "512", hitsAre(c.name, m.again+64, m.long)},
		{at("ways"), c.jobs + "alias", on, "1", "4", bothOf(fewer(12*m.miss), hitsAre(c.name, m.first, m.first+12))},
		{at("slices"), c.jobs + "apart", on + at("bytes_per_cycle") + "=1", "1", "4", m.moves(1, 4, faster)},
		{at("interleave_bytes"), c.jobs + "apart", on + at("slices=4 ") + at("bytes_per_cycle") + "=1", "0", "65536", m.moves(4, 1, slower)},
		{at("latency_cycles"), c.jobs + "chain", on, "50", "150", exactly(m.accesses * 100)},
		{at("bytes_per_cycle"), c.jobs + "apart", on, "64", "1", m.moves(64, 1, slower)},
		{at("misses"), c.jobs + "apart", on, "64", "1", atLeast(128 * m.miss)},
		{at("replacement"), c.jobs + "alias", on + at("ways=2"), "lru", "random", faster},
		{at("hash_sets"), c.jobs + "alias", on, "false", "true", bothOf(fewer(12*m.miss), hitsAre(c.name, m.first, m.first+12))},
		{at("link_bytes_per_cycle"), c.jobs + "apart", on, "0", "1", m.moves(1024, 1, atLeast(moved))},
	}
	fullNext := on + c.next + ".requests=1 " + c.next + ".bytes_per_cycle=1"
	requests := keyRow{at("requests"), c.jobs + "apart", on + at("bytes_per_cycle") + "=1", "0", "1", waited(c.name)}
	if c.name == "vector_l1" { // which the address path does not outrun
		requests = keyRow{at("requests"), "apart", on + "vector_l1.misses=1 compute_units=1", "0", "64", shrinks("memory.read",
			func(s *tracing.Stats) uint64 { return s.Slots[account.MemoryRead] })}
	}
	rows = append(rows, requests, keyRow{at("link_credits"), c.jobs + "apart", fullNext, "0", "1", waited(c.name)})
	if c.name == "memory_side" {
		rows = append(rows, keyRow{at("shared_by"), "chain", on, "0", "2", refused(at("shared_by"))})
	} else {
		rows = append(rows, keyRow{at("shared_by"), c.jobs + "pair", on + "compute_units=2", "1", "2", grows("hits", hits(c.name))})
	}
	if c.name == "scalar_l1" {
		return append(rows, keyRow{at("release_at_end"), "chain", on, "false", "true", refused(at("release_at_end"))},
			keyRow{at("acquire_at_start"), "chain", on, "false", "true", refused(at("acquire_at_start"))},
			keyRow{at("write"), "chain", on, "read-only", "back", refused(at("write"))},
			keyRow{at("write_buffer"), "chain", on, "0", "1", refused(at("write_buffer"))},
			keyRow{at("atomics"), "chain", on, "0", "1", refused(at("atomics"))},
			keyRow{at("write_allocate"), "chain", on, "false", "true", refused(at("write_allocate"))})
	}
	return append(rows,
		keyRow{at("write_buffer"), "stores", fullNext, "0", "1", waited(c.name)},
		keyRow{at("atomics"), "updates", on, "0", "1", waited(c.name)},
		keyRow{at("write"), "chain", on, "through", "read-only", refused(at("write"))},
		keyRow{at("write"), "store", on + at("write_allocate=true"), "through", "back", shrinks("accesses of the next level", accesses(c.next))},
		keyRow{at("release_at_end"), "store", on + at("write_allocate=true ") + at("write=back"), "false", "true", grows("accesses of the next level", accesses(c.next))},
		keyRow{at("release_at_end"), "store", on + at("write=through"), "false", "true", refused(at("release_at_end"))},
		keyRow{at("acquire_at_start"), "chain", on + at("write_allocate=true ") + at("write=back"), "false", "true", refused(at("acquire_at_start"))},
		keyRow{at("acquire_at_start"), "twice", on + at("write_allocate=true ") + at("write=back ") + at("release_at_end=true"), "false", "true", slower},
		keyRow{at("write_allocate"), "back", on + at("write=back"), "false", "true", faster})
}

// ldsRows are those of a kind of access.
func ldsRows() (rows []keyRow) {
	for kind, names := range [][]string{{"read_b32", "write_b32"}, {"read_b64", "write_b64"}, {"read_b96", "write_b96"}, {"read_b128", "write_b128"},
		{"atomic_b32"}, {"atomic_b64"}, {"cmpswap_b32"}, {"cmpswap_b64"}} {
		job, conflict := fmt.Sprintf("lds-%d", kind), fmt.Sprintf("lds-%d-conflict", kind)
		keyJobs[job], keyJobs[conflict] = ldsJob(kind, 32, 1, 2), ldsJob(kind, 32, 1, 16)
		for _, name := range names {
			at := "lds.accesses." + name
			plain, longer := at+".lanes=[] ", longer(8*100)
			if name == "read_b32" { // whose latency is that of its class; it keeps others waiting
				longer = slower
			}
			rows = append(rows,
				keyRow{at + ".phase_lanes", conflict, plain, "32", "1", shrinks("conflicts", conflicts)},
				keyRow{at + ".phase_lanes", job, at + `.lanes=["0-7","8-15","16-23","24-31"]`, "8", "16", refused(at + ".phase_lanes")},
				keyRow{at + ".lanes", conflict, at + ".phase_lanes=32", "[]", `["0-31"]`, nothing},
				keyRow{at + ".lanes", job, at + ".phase_lanes=16", "[]", `["0;2;4;6;8;10;12;14;16;18;20;22;24;26;28;30","1;3;5;7;9;11;13;15;17;19;21;23;25;27;29;31"]`, differs},
				keyRow{at + ".fixed_cycles", job, "", "0", "100", longer},
				keyRow{at + ".wave64_cycles", job, "", "8", "208", longer})
		}
	}
	return rows
}

func conflicts(s *tracing.Stats) uint64 { return s.LDS.ConflictPasses }

// nothing is the effect of another way to say the same.
func nothing(a, b *keyRun) string {
	return expectCycles("as many", a.Cycles == b.Cycles, a, b)
}

// fetchOn models fetch of instructions, from a cache of which the job fits in.
const fetchOn = "fetch.enabled=true "

// Graphs under each scheduler.
const (
	hardware   = "scheduler.kind=hardware "
	multipass  = "scheduler.kind=multipass "
	firmware   = "scheduler.kind=firmware "
	persistent = "scheduler.kind=persistent "
)

// banked is memory with banks and rows.
const banked = "dram.standard=HBM memory.bytes_per_cycle=16 "

var plainRows = []keyRow{
	{"name", "all", "", "one", "two", func(a, b *keyRun) string {
		if a.Machine != "one" || b.Machine != "two" {
			return "the statistics name " + a.Machine + " and " + b.Machine
		}
		return nothing(a, b)
	}},
	{"clock_mhz", "all", "", "1000", "2000", func(a, b *keyRun) string {
		if b.ClockMHz != 2*a.ClockMHz {
			return "the clock of the statistics is not twice as fast"
		}
		return nothing(a, b)
	}},
	{"wave_size", "many", "", "32", "64", shrinks("waves", func(s *tracing.Stats) uint64 { return s.Waves })},
	{"wave_sizes", "wide", "", "[32,64]", "[32]", refused("wave_size")},
	{"subgroup_helpers", "helpers", "", "active", "inactive", otherBytes},
	{"clock_bits", "all", "", "64", "4", otherBytes},
	{"shader_engines", "many", "", "1", "2", slowed(0.5)},
	{"compute_units", "many", "", "1", "2", slowed(0.5)},
	{"simds", "many", "wave_slots=2", "1", "2", slowed(0.5)},
	{"simd_width", "vector", "wave_slots=16 simds=1 issue.policy=round-robin", "32", "16", slowed(2)},
	{"wave_slots", "many", "", "2", "4", slowed(0.5)},

	{"issue.cadence", "all", "", "1", "4", slower},
	{"issue.policy", "mixed", "", "oldest", "round-robin", differs},
	{"issue.per_category", "mixed", "", "false", "true", faster},
	{"issue.width", "mixed", "issue.per_category=true", "2", "1", slower},

	{"registers.vector", "many", "registers.vector_granule=8 registers.vector_max=16", "512", "32", slowed(4)},
	{"registers.vector_granule", "many", "registers.vector=512", "16", "256", slowed(8)},
	{"registers.vector_max", "many", "", "256", "2", slower},
	{"registers.scalar", "many", "registers.scalar_granule=16 registers.scalar_max=64", "1024", "64", slowed(8)},
	{"registers.scalar_granule", "many", "registers.scalar=2048", "128", "1024", slowed(8)},
	{"registers.scalar_max", "many", "registers.vector=32 registers.vector_granule=1 registers.vector_max=16", "106", "2", slower},

	{"lds.bytes", "lds-groups", "lds.max_workgroup_bytes=40960", "131072", "40960", slowed(3)},
	{"lds.banks", "lds", "", "32", "2", exactly(16 * 15)},
	{"lds.bank_bytes", "lds-conflict", "", "4", "16", fewer(16 * (32 - 8))},
	{"lds.mapping", "lds-conflict", "", "modulo", "xor", fewer(16 * 31)},
	{"lds.granule_bytes", "lds-groups", "lds.bytes=131072", "1024", "65536", slowed(1.5)},
	{"lds.max_workgroup_bytes", "lds", "", "65536", "16384", refused("LDS")},
	{"lds.bytes_per_cycle", "lds-wide", "", "128", "8", slower},
	{"lds.wave_bytes_per_cycle", "lds-wide", "", "16", "128", slower},
	{"lds.conflict_cycles", "lds-conflict", "", "1", "11", exactly(16 * 31 * 10)},
	{"matrix.unit", "matrices", matrices, "cdna3", "none", refused("the machine has no matrix unit")},
	{"matrix.without", "matrices", matrices + "matrix.unit=none", "lanes", "refuse", refused("the machine has no matrix unit")},
	{"matrix.width", "matrices", matrices, "1", "0.25", slower},
	{"matrix.accumulate", "matrices", matrices, "0", "12", slower},

	{"workgroups", "lds-groups", "lds.bytes=131072", "0", "1", slowed(3)},
	{"barriers", "lds-groups", "lds.bytes=131072", "16", "1", slowed(3)},
	{"barrier_latency", "lds-groups", "lds.bytes=131072", "16", "116", exactly(4 * 8 * 100)},

	{"fetch.enabled", "all", "", "false", "true", slower},
	{"fetch.bytes", "all", fetchOn, "32768", "256", slower},
	{"fetch.line_bytes", "all", fetchOn, "64", "256", faster},
	{"fetch.ways", "all", fetchOn + "fetch.bytes=512", "1", "8", slower},
	{"fetch.shared_by", "pair", fetchOn + "compute_units=2", "2", "1", slower},
	{"fetch.instruction_bytes", "all", fetchOn, "4", "8", slower},
	{"fetch.hit_latency", "all", fetchOn, "0", "20", slower},
	{"fetch.miss_latency", "all", fetchOn, "100", "400", slower},

	{"vector_memory.lanes_per_cycle", "flow", "", "32", "1", slower},
	{"vector_memory.lines_per_cycle", "scatter", "vector_memory.banks=0", "1", "4", faster},
	{"vector_memory.max_outstanding", "flow", "", "63", "1", slower},
	{"vector_memory.return_order", "after", "timing.classes.vmem_store.latency=2000", "free", "all", slower},
	{"vector_memory.block_bytes", "flow", "", "0", "16", slower},
	{"vector_memory.translation_cycles", "ranges", passAll, "0", "10", slower},
	{"vector_memory.translation_entries", "ranges", passAll + "vector_memory.translation_cycles=10", "1", "1024", faster},
	{"vector_memory.translation_bytes", "ranges", passAll + "vector_memory.translation_cycles=10", "4096", "65536", faster},
	{"vector_memory.banks", "scatter", "", "0", "32", slower},
	{"vector_memory.bank_bytes", "scatter", banks, "4", "64", faster},
	{"vector_memory.bank_cycles", "scatter", banks, "2", "4", slower},
	{"vector_memory.group_bytes", "flow", banks + "vector_l1.bytes_per_cycle=256", "64", "128", faster},
	{"vector_memory.tags_per_cycle", "scatter", banks, "2", "0.125", slower},
	{"vector_memory.tag_parity", "scatter", banks + "vector_memory.tags_per_cycle=0.125", "1", "32768", slower},
	{"vector_memory.atomic_cycles", "atomic", "", "1", "11", exactly(16 * 31 * 10)},
	{"texture.quads_per_cycle", "texture", "", "1", "4", faster},
	{"texture.texel_bytes", "texture", "", "4", "1", slower},
	{"texture.trilinear_passes", "texture", "", "2", "8", slower},
	{"texture.latency_cycles", "texture", "", "20", "520", longer(500)},

	{"memory.model", "chain", "", "fast", "akita", differs},
	{"memory.bytes", "chain", "", "8388608", "1048576", refused("memory")},
	{"memory.channels", "apart", passAll + "memory.bytes_per_cycle=1", "1", "4", bound(moved, moved/4, unbound)},
	{"memory.interleave_bytes", "apart", passAll + "memory.bytes_per_cycle=1 memory.channels=4", "256", "65536", bound(moved/4, moved, unbound)},
	{"memory.bytes_per_cycle", "apart", passAll, "16", "1", bound(moved/16, moved, unbound)},
	{"memory.latency_cycles", "chain", passAll, "100", "200", exactly(97 * 100)},

	{"memory.requests", "apart", passAll + "memory.bytes_per_cycle=1", "0", "1", waited("memory")},
	{"memory.page_bytes", "pages", passAll + "memory_side.bytes=16384 memory_side.ways=1", "0", "4096", slower},
	{"memory.efficiency", "apart", passAll + "memory.bytes_per_cycle=16", "1", "0.1", bound(moved/16, moved*10/16, unbound)},
	{"dram.standard", "apart", passAll + "memory.bytes_per_cycle=16", "none", "HBM", slower},
	{"dram.queue", "rows", passAll + banked + "dram.hash_banks=false ", "0", "64", differs},
	{"dram.writes", "after", passAll + banked, "0", "32", differs},
	{"dram.drained", "store", passAll + banked + "dram.writes=17 ", "0", "16", differs},
	{"dram.group_bytes", "apart", passAll + banked, "32", "256", differs},
	{"dram.hash_banks", "apart", passAll + banked, "true", "false", differs},
	{"host.to_device_cycles", "copies", "", "0", "1000", exactly(1000)},
	{"host.to_device_bytes_per_cycle", "copies", "", "2", "1", exactly(500)},
	{"host.from_device_cycles", "copies", "", "0", "1000", exactly(1000)},
	{"host.from_device_bytes_per_cycle", "copies", "", "2", "1", exactly(250)},

	{"dispatcher.following_launch_cycles", "launches", "", "0", "1000", exactly(2 * 1000)},
	{"dispatcher.launch_floor_cycles", "launches", "", "0", "1000000", atLeast(1_000_000)},
	// A cache that keeps stores outlives a launch: the second one finds its lines where the first one ran.
	{"dispatcher.fixed_order", "twice", passAll + "shader_engines=2 compute_units=1 l2.bytes=16384 l2.shared_by=1 l2.write=back l2.write_allocate=true", "false", "true", faster},
	{"dispatcher.workgroups_per_cycle", "many", "", "1", "0.001", atLeast(31_000)},
	{"dispatcher.waves_per_cycle", "many", "", "1", "0.001", atLeast(63_000)},
	{"dispatcher.share", "queues", onePipe + "dispatcher.workgroups_per_cycle=0.01", "oldest", "round-robin", otherTurns},
	{"dispatcher.launch_latency", "chain", "", "10", "1010", exactly(1000)},
	{"dispatcher.kernel_launch_cycles", "chain", "", "0", "1000", exactly(1000)},

	{"front_end.pipes", "queues", "front_end.queues_per_pipe=4", "1", "0", refused("front_end.pipes")},
	{"front_end.queues_per_pipe", "queues", "front_end.pipes=1", "4", "3", refused("pipe 0 has 3 queues already")},
	{"front_end.packet_cycles", "queues", onePipe, "0", "100000", atLeast(1_500_000)},
	{"front_end.launch_cycles", "queues", onePipe, "0", "100000", atLeast(1_500_000)},
	{"front_end.signal_cycles", "signal", "", "0", "1000", exactly(1000)},
	{"front_end.turns", "queues", onePipe, "round-robin", "priority", otherTurns},
	{"front_end.slice_low_cycles", "queues", onePipe + "front_end.turns=round-robin", "1", "1000000", otherTurns},
	{"front_end.slice_medium_cycles", "queues", onePipe + "front_end.turns=round-robin", "1", "1000000", otherTurns},
	{"front_end.slice_high_cycles", "queues", onePipe + "front_end.turns=round-robin", "1", "1000000", otherTurns},
	{"front_end.slice_realtime_cycles", "queues", onePipe + "front_end.turns=round-robin", "1", "1000000", otherTurns},
	{"front_end.open_per_pipe", "queues", onePipe + "dispatcher.workgroups_per_cycle=0.01", "64", "1", otherTurns},
	{"front_end.outstanding", "queues", onePipe, "64", "1", slower},

	{"scheduler.kind", "lastsum", "", "hardware", "multipass", slower},
	{"scheduler.launch_cycles", "lastsum", hardware, "0", "1000", exactly(2 * 1000)},
	{"scheduler.firmware_cycles", "lastsum", firmware, "300", "1300", exactly(2 * 1000)},
	{"scheduler.firmware_launches", "lastsum", firmware + "scheduler.firmware_cycles=5000 ", "128", "1", slower},
	{"scheduler.firmware_dispatch_cycles", "lastsum", firmware, "0", "1000", exactly(1000)},
	{"scheduler.pass_launch_cycles", "lastsum", multipass, "2500", "3500", exactly(3 * 1000)},
	{"scheduler.barrier_cycles", "lastsum", multipass, "1250", "2250", exactly(1000)},
	{"scheduler.passes", "classify", multipass, "serial", "overlapped", faster},
	{"scheduler.poll_interval", "lastsum", persistent, "20", "20000", shrinks("polls", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Polls })},
	{"scheduler.persistent_groups", "bfs", persistent, "0", "1", differs},

	{"queue.placement", "bfs", hardware + "shader_engines=2", "central", "engine", differs},
	{"queue.depth", "perlane", hardware, "1024", "1", grows("spills", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Spills })},
	{"queue.refill_threshold", "perlane", hardware + "queue.depth=1", "256", "0", slower},
	{"queue.spill_lines", "perlane", hardware + "queue.depth=1", "64", "1", slower},
	{"queue.steal", "bfs", hardware + "shader_engines=2 queue.placement=engine", "0", "64", grows("payloads taken", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Stolen })},
	{"queue.ports", "perlane", hardware, "64", "1", slower},
	{"queue.latency", "lastsum", hardware, "100", "1100", exactly(3 * 1000)},
	{"queue.launch_rate", "perlane", hardware, "1", "0.001", slower},
	{"queue.arbitration", "hlsl", hardware, "depth-first", "breadth-first", differs},
	{"queue.coalescing_window", "classify", hardware, "0", "5000", differs},
	{"queue.packing_window", "hlsl", hardware + "queue.pack_threads=true", "0", "5000", differs},
	{"queue.window", "rasteriser", hardware + "queue.coalescing_window=300", "fixed", "adaptive", differs},
	{"queue.payload_memory", "perlane", hardware, "memory", "cache", grows("payloads in scratch", func(s *tracing.Stats) uint64 { return s.Graph.Queue.ScratchUsed })},
	{"queue.full", "perlane", hardware + "queue.depth=8", "spill", "stall", grows("cycles for an entry", func(s *tracing.Stats) uint64 { return s.Graph.Queue.StallFull })},
	{"queue.full_wait", "perlane", hardware + "queue.depth=8 queue.full=stall", "1000000", "1", grows("spills", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Spills })},
	{"queue.retry_cycles", "perlane", hardware + "queue.depth=8 queue.full=retry", "20", "2000", shrinks("refusals", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Refusals })},
	{"queue.max_depth", "bounds", hardware + "queue.max_payloads=257 queue.max_payload_bytes=65536", "34", "33", refused("reaches depth 34: want at most 33")},
	{"queue.max_payloads", "bounds", hardware + "queue.max_depth=34 queue.max_payload_bytes=65536", "257", "256", refused("257 payloads in one workgroup: want at most 256")},
	{"queue.max_payload_bytes", "bounds", hardware + "queue.max_depth=34 queue.max_payloads=257", "33924", "33923", refused("33924 bytes of payloads in one workgroup")},
	{"queue.payload_bytes", "perlane", hardware, "262144", "0", grows("payloads in scratch", func(s *tracing.Stats) uint64 { return s.Graph.Queue.ScratchUsed })},
	{"queue.payload_latency", "lastsum", hardware, "60", "1060", slower},
	{"queue.payload_bytes_per_cycle", "perlane", hardware, "512", "0.01", slower},
	{"queue.scratch_bytes", "perlane", hardware + "queue.payload_bytes=0", "1048576", "0", refused("scratch")},
	{"queue.pack_threads", "shared", hardware, "false", "true", shrinks("waves", func(s *tracing.Stats) uint64 { return s.Waves })},

	{"timing.lowering", "all", "", "dpp", "lds", shrinks("dpp", class(isa.ClassDPP))},
	{"timing.passes", "vector", "wave_slots=16 simds=1 issue.policy=round-robin simd_width=16", "2", "1", slowed(2)},
	{"timing.buffers", "select", "", "descriptors", "pointers", shrinks("loads", class(isa.ClassVMEM))},
}

// keyRows are all rows but those of timing classes and operations.
func keyRows() []keyRow {
	rows := slices.Concat(plainRows, ldsRows())
	for _, c := range cacheCases {
		rows = append(rows, c.rows()...)
	}
	return rows
}

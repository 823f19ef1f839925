package systemtest

import (
	"fmt"
	"slices"
	"strings"

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

// straight is a job of straight.comp: 136 instructions, in 9 lines of 64 bytes at 4 bytes each.
func straight(dispatch string) string {
	return "shader: straight.spv\nbuffers: [{set: 0, binding: 0, name: sink, data: {zero: 65536}}]\n" + dispatch + "\n"
}

func reads(kind, lanes int) string {
	return fmt.Sprintf("shader: reads.spv\nspecialization: {0: %d, 1: %d}\nbuffers: [{set: 0, binding: 0, name: sink, data: {zero: 4096}}]\ndispatch: [1]\n", kind, lanes)
}

// fan is a graph of fan.spvasm: to whom its eight payloads go, products of the sender after that, and of who gets them; dispatched so many times.
func fan(to string, sent, taken, times int) string {
	return fmt.Sprintf(`
nodes:
  - {shader: fan.spvasm, entry: give, specialization: {1: %d}, strings: [{id: 7, value: %s}]}
  - {shader: fan.spvasm, entry: %s, specialization: {2: %d}}
graph: [{node: give, count: 1}]
graph_repeat: %d
buffers: [{name: result, set: 0, binding: 0, data: {zero: 128}}]
`, sent, to, to, taken, times)
}

// samples is a job of sample.comp: eight samples of eight quads, each where the one before says, at a level of detail or between two.
func samples(level float64) string {
	return fmt.Sprintf(`
shader: sample.spv
buffers:
  - {set: 0, binding: 0, name: picture, image: {format: Rgba8, width: 64, height: 64, mips: auto}}
  - {set: 0, binding: 1, name: sink, data: {zero: 4096}}
samplers: [{set: 0, binding: 0, filter: linear, mip: linear, wrap: [repeat]}]
push_constants: [{f32: %g}]
dispatch: [1]
`, level)
}

// indirectKernel is a job of straight.comp whose workgroups are in a buffer.
const indirectKernel = `
shader: straight.spv
buffers:
  - {set: 0, binding: 0, name: sink, data: {zero: 65536}}
  - {set: 1, binding: 0, name: sizes, data: {values: [1, 1, 1]}}
`

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
	"indirect-kernel": indirectKernel + "steps: [{indirect: {buffer: sizes}}]\n",
	"indirect-queue":  indirectKernel + "queues:\n- {steps: [{indirect: {buffer: sizes}}]}\n",
	"select": `
shader: select.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {iota: u32, count: 32}}
  - {set: 0, binding: 1, name: b, data: {iota: u32, count: 32}}
  - {set: 0, binding: 2, name: sink, data: {zero: 128}}
dispatch: [1]
`,
	"divide": `
shader: divide.spv
buffers:
  - {set: 0, binding: 0, name: a, data: {iota: f32, count: 33}}
  - {set: 0, binding: 1, name: sink, data: {zero: 128}}
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
	"fan-wide": `
shader: wide.spvasm
nodes: [{entry: send}, {entry: take, index: 0, priority: 1}, {entry: take, index: 1, priority: 3}, {entry: take, index: 2, priority: 2}, {entry: take, index: 3, priority: 4}]
graph: [{node: send, count: 3}]
buffers: [{name: out, set: 0, binding: 0, data: {zero: 16}}]
`,
	"fan":        fan("single", 1, 1, 1),
	"fan-long":   fan("single", 1, 500, 1),
	"fan-pack":   fan("single", 50, 100, 1),
	"fan-gather": fan("gather", 50, 100, 1),
	"fan-again":  fan("gather", 50, 100, 2),
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
  - {name: wait, synchronize: true}
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
	"queues-small": strings.Replace(besideJob, "{u32: 64}", "{u32: 1}", 1) + besideQueues("{for: {i: 1..4}, barrier: false, dispatch: [1]}"),
	"queues":       strings.Replace(besideJob, "{u32: 64}", "{u32: 8}", 1) + besideQueues("{for: {i: 1..4}, barrier: false, dispatch: [8]}"),
	"signal": besideJob + `
queues:
  - steps: [{name: first, dispatch: [1]}]
  - steps: [{after: [first], dispatch: [1]}]
`,
	"straight":       straight("dispatch: [1]"),
	"straight-twice": straight("dispatch: [2]"),
	"units": `
shader: units.spv
buffers: [{set: 0, binding: 0, name: sink, data: {zero: 4096}}]
push_constants: [{u32: 1}]
dispatch: [16]
`,
	"branches": `
shader: branches.spv
buffers: [{set: 0, binding: 0, name: sink, data: {zero: 4096}}]
push_constants: [{u32: 16}]
dispatch: [4]
`,
	"phases": `
shader: phases.spv
buffers: [{set: 0, binding: 0, name: sink, data: {zero: 4096}}]
dispatch: [2]
`,
	"loads": `
shader: loads.spv
buffers:
  - {set: 0, binding: 0, name: words, data: {zero: 4096}}
  - {set: 0, binding: 1, name: sink, data: {zero: 4096}}
dispatch: [1]
`,
	"reads":           reads(0, 32),
	"reads-wide":      reads(3, 256),
	"samples":         samples(0),
	"samples-between": samples(0.5),
	"matrices": `
shader: matrices.spvasm
buffers: [{set: 0, binding: 0, name: sink, data: {zero: 16384}}]
dispatch: [1]
`,
	"vector":        walk(6, 32, 16, 0, 0, 64, 1, 0), // vector arithmetic alone
	"wide":          walk(0, 32, 8, 1, 32, 4, 1, 0) + "wave_size: 64\n",
	"chain":         walk(0, 32, 1, 1, 32, 32, 3, 0),    // line after line, three times
	"alias":         walk(0, 32, 1, 1, 4096, 4, 4, 0),   // four lines 16 KB apart
	"flow":          walk(1, 32, 4, 1, 32, 16, 1, 0),    // four lines at a time, four waves the same
	"apart":         walk(1, 32, 4, 1, 32, 8, 1, 4096),  // each wave its own
	"rows":          walk(1, 32, 32, 1, 32, 8, 1, 8192), // each wave in a row of one bank
	"pages":         walk(0, 32, 1, 1, 32, 128, 3, 0),   // 16 KB, three times
	"twice":         strings.Replace(walk(0, 32, 1, 1, 32, 32, 1, 0), "dispatch: [1]", "steps: [{name: first, dispatch: [1]}, {name: second, dispatch: [1]}]", 1),
	"pair":          walk(0, 32, 2, 1, 32, 32, 1, 0),     // two compute units read the same
	"scatter":       walk(0, 32, 1, 32, 1, 16, 2, 0),     // 32 loads, each lane its own line
	"scatter-pairs": walk(8, 32, 1, 16, 1, 16, 2, 0),     // likewise, each lane two words
	"ranges":        walk(0, 32, 1, 1024, 1, 16, 2, 0),   // 32 loads, each lane 4 KB from the next
	"ranges-far":    walk(0, 32, 1, 8192, 1, 16, 2, 0),   // each lane 32 KB from the next
	"ranges-twice":  walk(0, 32, 2, 1024, 1, 16, 2, 0),   // by two workgroups
	"store":         walk(2, 32, 1, 1, 32, 16, 3, 0),     // the same lines three times
	"halves":        walk(2, 32, 1, 32, 1, 16, 1, 0),     // each lane half of its own line
	"stores":        walk(2, 32, 4, 1, 32, 8, 1, 4096),   // each wave its own
	"updates":       walk(3, 32, 4, 1, 32, 8, 1, 4096),   // likewise
	"back":          walk(5, 32, 1, 1, 32, 16, 1, 0),     // stored, then read
	"after":         walk(7, 32, 1, 1, 32, 16, 1, 0),     // a load after a store
	"atomic":        walk(3, 32, 1, 0, 0, 16, 1, 0),      // one word
	"many":          walk(0, 64, 32, 1, 64, 16, 1, 1024), // more waves than a SIMD has slots
	"scalar-chain":  walk(4, 32, 1, 0, 16, 64, 3, 0),     // line after line, by the scalar unit
	"scalar-alias":  walk(4, 32, 1, 0, 4096, 4, 4, 0),    // four lines 16 KB apart
	"scalar-apart":  walk(4, 32, 16, 0, 16, 16, 1, 1024), // sixteen waves, each its own
	"scalar-pair":   walk(4, 32, 2, 0, 16, 64, 1, 0),     // two compute units
	"lds":           ldsJob(0, 32, 1, 1),
	"lds-groups":    ldsJob(0, 64, 12, 1),
	"lds-busy":      ldsJob(3, 64, 40, 1), // reads of 128 bits by many waves
	"lds-conflict":  ldsJob(0, 32, 1, 32),
}

// Machines of levels that let all pass: each holds one line.
const (
	matrices      = "machine=cdna3-mi300a dispatcher.launch_floor_cycles=0 " // which has products of every format
	passVector    = "vector_l1.bytes=128 vector_l1.interleave_bytes=0 vector_l1.ways=1 vector_l1.misses=0 vector_l1.bytes_per_cycle=1024 "
	passScalar    = "scalar_l1.bytes=128 scalar_l1.interleave_bytes=0 scalar_l1.line_bytes=128 scalar_l1.ways=1 scalar_l1.misses=0 scalar_l1.bytes_per_cycle=1024 "
	passArray     = "shader_array.bytes=128 shader_array.interleave_bytes=0 shader_array.ways=1 shader_array.shared_by=1 shader_array.slices=1 shader_array.misses=0 shader_array.bytes_per_cycle=1024 "
	passL2        = "l2.bytes=128 l2.interleave_bytes=0 l2.ways=1 l2.write=through l2.write_allocate=false l2.slices=1 l2.misses=0 l2.bytes_per_cycle=1024 "
	passSide      = "memory_side.bytes=128 memory_side.interleave_bytes=0 memory_side.ways=1 memory_side.slices=1 memory_side.misses=0 memory_side.bytes_per_cycle=1024 "
	quickPath     = "memory.channels=1 memory.bytes_per_cycle=1024 vector_memory.lines_per_cycle=64 "
	banks         = "vector_memory.banks=32 vector_memory.tag_parity=0 "
	noBanks       = "vector_memory.banks=0 "
	oneSIMD       = "simds=1 "
	noSmallCopies = "host.small_copy_bytes=0 "
	asked         = "vector_memory.translation_entries=1 translation.page_bytes=4096 translation.ways=8 translation.shared_by=0 translation.walk_cycles=0 "
	passAll       = passVector + passScalar + passArray + passL2 + passSide + quickPath + latencies
	latencies     = "vector_l1.latency_cycles=50 scalar_l1.latency_cycles=10 shader_array.latency_cycles=60 l2.latency_cycles=85 memory_side.latency_cycles=140 memory.latency_cycles=190 "
)

// missCycles are what a miss of a level takes longer than a hit: the latencies of all after it.
var missCycles = map[string]uint64{"vector_l1": 475, "scalar_l1": 475, "shader_array": 415, "l2": 330, "memory_side": 190}

// What the four waves of "apart" read, 128 lines, what those of "stores" store, 36, and how long "apart" takes where no rate bounds it.
const (
	moved   = 128 * 128 // bytes
	stored  = 36 * 128
	started = 35 * 128 // of those, before the last begins
	unbound = 6500     // cycles of the same where nothing is bound by a rate
)

func waves(s *tracing.Stats) uint64     { return s.Waves }
func spills(s *tracing.Stats) uint64    { return s.Graph.Queue.Spills }
func stolen(s *tracing.Stats) uint64    { return s.Graph.Queue.Stolen }
func inScratch(s *tracing.Stats) uint64 { return s.Graph.Queue.ScratchUsed }

// class counts the instructions of a class.
func class(c isa.Class) func(*tracing.Stats) uint64 {
	return func(s *tracing.Stats) uint64 { return s.ByClass[c] }
}

// ldsWords are from one lane's element to the next one's, of lds.comp's kinds. Lanes that take every second element meet twice as often
// where a phase has every second lane: words more passes each.
var ldsWords = []uint64{1, 2, 4, 4, 1, 2, 1, 2}

// ldsRows are those of a kind of access.
func ldsRows() (rows []keyRow) {
	for kind, names := range [][]string{{"read_b32", "write_b32"}, {"read_b64", "write_b64"}, {"read_b96", "write_b96"}, {"read_b128", "write_b128"},
		{"atomic_b32"}, {"atomic_b64"}, {"cmpswap_b32"}, {"cmpswap_b64"}} {
		job, conflict := fmt.Sprintf("lds-%d", kind), fmt.Sprintf("lds-%d-conflict", kind)
		keyJobs[job], keyJobs[conflict] = ldsJob(kind, 32, 1, 2), ldsJob(kind, 32, 1, 16)
		words := ldsWords[kind]
		most := min(16*words, 32) // lanes of the 32 that meet in a bank where elements are 16 from each other
		for _, name := range names {
			at, busy, times := "lds.accesses."+name, job, uint64(8)
			if name == "read_b32" { // whose latency is that of its class; it keeps others waiting
				busy, times = "reads", 15
			}
			rows = append(rows,
				keyRow{at + ".phase_lanes", conflict, at + ".lanes=[] ", "32", "1", fewer(8 * (most - 1))},
				keyRow{at + ".phase_lanes", job, at + `.lanes=["0-7","8-15","16-23","24-31"]`, "8", "16", refused(at + ".phase_lanes")},
				keyRow{at + ".lanes", conflict, at + ".phase_lanes=32", "[]", `["0-31"]`, nothing},
				keyRow{at + ".lanes", job, at + ".phase_lanes=16", "[]", `["0;2;4;6;8;10;12;14;16;18;20;22;24;26;28;30","1;3;5;7;9;11;13;15;17;19;21;23;25;27;29;31"]`, exactly(8 * 2 * words)},
				keyRow{at + ".fixed_cycles", busy, "", "0", "100", exactly(times * 100)},
				keyRow{at + ".wave64_cycles", busy, "", "8", "208", exactly(times * 100)})
		}
	}
	return rows
}

// nothing is the effect of another way to say the same.
func nothing(a, b *keyRun) string {
	return expectCycles("as many", a.Cycles == b.Cycles, a, b)
}

// fetchOn models fetch of instructions, where nothing else hides it: products are ready when they have issued. A wave starts in a
// cycle, which its first line has gained.
const (
	fetchOn        = "fetch.enabled=true fetch.instruction_bytes=4 dispatcher.launch_latency=1 timing.classes.imul32.latency=4 "
	oneWaveAtATime = "wave_slots=1 simds=1 "
)

// Instructions of "units", of which 68 are vector and 66 scalar ones, that take their port for four cycles; and what one of its waves takes by itself.
const (
	fourCycles = "timing.classes.valu32.issue=4 timing.classes.valu32.busy=4 timing.classes.salu.issue=4 timing.classes.salu.busy=4 "
	oneWave    = 500
)

// A load and a store under passAll: the class, and all levels up to memory, or up to memory_side, which keeps stores.
const (
	unitCycles  = 40 // the class
	loadCycles  = unitCycles + 50 + 60 + 85 + 140 + 190
	storeCycles = 50 + 60 + 85 + 140
)

// Graphs under each scheduler.
const (
	hardware   = "scheduler.kind=hardware "
	multipass  = "scheduler.kind=multipass "
	firmware   = "scheduler.kind=firmware "
	workLists  = "scheduler.kind=lists "
	generated  = "scheduler.kind=generated "
	persistent = "scheduler.kind=persistent "
	apart      = "queue.pack_threads=false "              // a wave for each payload of "fan"
	twoPlaces  = "shader_engines=2 simds=1 wave_slots=1 " // for a wave each
	fanCycles  = 500 * (32 + 3 + 2 + 2)                   // of one of its receivers: two branches, a product and a comparison a round
	fanSlack   = 10_000                                   // its sender, and what lies between
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
	{"wave_size", "many", "", "32", "64", counts("waves", waves, 2*32, 32)},
	{"wave_sizes", "wide", "", "[32,64]", "[32]", refused("wave_size")},
	{"subgroup_helpers", "helpers", "", "active", "inactive", otherBytes},
	{"clock_bits", "all", "", "64", "4", otherBytes},
	{"shader_engines", "many", "", "1", "2", slowed(0.5)},
	{"compute_units", "many", "", "1", "2", slowed(0.5)},
	{"simds", "many", "wave_slots=2", "1", "2", slowed(0.5)},
	{"simd_width", "vector", "wave_slots=16 simds=1 issue.policy=round-robin", "32", "16", slowed(2)},
	{"wave_slots", "many", "", "2", "4", slowed(0.5)},

	{"issue.cadence", "straight", "", "8", "16", exactly(135 * 8)},                                                              // an instruction a turn, longer than which no product takes
	{"issue.policy", "phases", oneSIMD + "timing.classes.lds_swizzle.latency=2000 ", "oldest", "round-robin", exactly(127 * 4)}, // the other wave's products, but the last
	{"issue.per_category", "units", oneSIMD + "issue.width=1 " + fourCycles, "false", "true", bound(16*(68+66)*4, 16*68*4, oneWave)},
	{"issue.width", "units", oneSIMD, "2", "1", bound(16*68, 16*137, oneWave)},
	{"issue.compaction", "branches", "", "false", "true", slowed(0.5)}, // each side for half of the lanes

	{"registers.vector", "many", "registers.vector_granule=8 registers.vector_max=16", "512", "32", slowed(4)},
	{"registers.vector_granule", "many", "registers.vector=512", "16", "256", slowed(8)},
	{"registers.vector_max", "many", "", "256", "2", grows("accesses to scratch", class(isa.ClassScratch))},
	{"registers.scalar", "many", "registers.scalar_granule=16 registers.scalar_max=64", "1024", "64", slowed(8)},
	{"registers.scalar_granule", "many", "registers.scalar=2048", "128", "1024", slowed(8)},
	// 19 of 21 scalar registers go to the lanes of a seventh vector register.
	{"registers.scalar_max", "many", "registers.vector=11 registers.vector_granule=1 registers.vector_max=11", "106", "2", slowed(2)},

	{"lds.bytes", "lds-groups", "lds.max_workgroup_bytes=40960", "131072", "40960", slowed(3)},
	{"lds.banks", "lds", "", "32", "2", exactly(16 * 15)},
	{"lds.bank_bytes", "lds-conflict", "", "4", "16", fewer(16 * (32 - 8))},
	{"lds.mapping", "lds-conflict", "", "modulo", "xor", fewer(16 * 31)},
	{"lds.granule_bytes", "lds-groups", "lds.bytes=131072", "1024", "65536", slowed(1.5)},
	{"lds.max_workgroup_bytes", "lds", "", "65536", "16384", refused("LDS")},
	{"lds.bytes_per_cycle", "reads-wide", "", "128", "64", exactly(127 * 4)},
	{"lds.wave_bytes_per_cycle", "reads-wide", "", "64", "128", exactly(127 * 4)},
	{"lds.conflict_cycles", "lds-conflict", "", "1", "11", exactly(16 * 31 * 10)},
	{"matrix.unit", "matrices", matrices, "cdna3", "none", refused("the machine has no matrix unit")},
	{"matrix.without", "matrices", matrices + "matrix.unit=none", "lanes", "refuse", refused("the machine has no matrix unit")},
	// Of four formats three products of 16 cycles, of two twelve of 32: the next one starts, and the last one is ready, so much later.
	{"matrix.width", "matrices", matrices, "1", "0.25", exactly(3 * (4*3*16 + 2*12*32))},
	// The products of 32 cycles wait anyway for the instruction that clears a factor, 4 cycles, or 8 where it is of 64 bits.
	{"matrix.accumulate", "matrices", matrices, "0", "12", exactly(4*2*12 + 11*(12-4) + 11*(12-8))},

	{"workgroups", "lds-groups", "lds.bytes=131072", "0", "1", slowed(3)},
	{"barriers", "lds-groups", "lds.bytes=131072", "16", "1", slowed(3)},
	{"barrier_latency", "lds-groups", "lds.bytes=131072", "16", "116", exactly(4 * 8 * 100)},

	{"fetch.enabled", "straight", fetchOn, "false", "true", exactly(9*100 - 1)},
	{"fetch.bytes", "straight-twice", fetchOn + oneWaveAtATime, "32768", "256", exactly(9*100 - 1)},
	{"fetch.line_bytes", "straight", fetchOn, "64", "256", fewer((9 - 3) * 100)},
	// Of 9 lines in a cache of 8 the first and the last one meet in a set; where all are one set, each comes too late.
	{"fetch.ways", "straight-twice", fetchOn + oneWaveAtATime + "fetch.bytes=512", "1", "8", exactly((9 - 2) * 100)},
	{"fetch.shared_by", "straight-twice", fetchOn + "compute_units=2 dispatcher.workgroups_per_cycle=0.0001", "2", "1", exactly(9*100 - 1)},
	{"fetch.instruction_bytes", "straight", fetchOn, "4", "8", exactly((17 - 9) * 100)},
	{"fetch.hit_latency", "straight-twice", fetchOn + oneWaveAtATime, "0", "20", exactly(9*20 - 1)},
	{"fetch.miss_latency", "straight", fetchOn, "100", "400", exactly(9 * 300)},

	{"vector_memory.lanes_per_cycle", "chain", passAll + noBanks, "32", "1", exactly(97 * 31)},
	{"vector_memory.lines_per_cycle", "scatter", passAll + noBanks, "1", "4", fewer(32 * (32 - 8))},
	{"vector_memory.max_outstanding", "loads", passAll + noBanks + "timing.classes.valu32.latency=1", "63", "1", exactly(15 * (loadCycles - 1))},
	{"vector_memory.latency_fifo", "loads", passAll + noBanks + "timing.classes.valu32.latency=1", "0", "1", exactly(15 * (loadCycles - unitCycles - 1))},
	{"vector_memory.return_order", "after", passAll + "timing.classes.vmem_store.latency=2000", "free", "all", between(16*(2000+storeCycles-loadCycles-10), 16*(2000+storeCycles-loadCycles))},
	{"vector_memory.block_bytes", "chain", passAll + noBanks + "vector_memory.lines_per_cycle=1", "0", "16", exactly(97 * (8 - 1))},
	// 32 lines of a load, by blocks: two lanes in a cycle of whatever words.
	{"vector_memory.scattered_lanes", "scatter", passAll + noBanks + "vector_memory.lines_per_cycle=1 vector_memory.block_bytes=128 vector_memory.word_banks=0", "0", "2", fewer(32 * (32 - 16))},
	{"vector_memory.word_banks", "scatter", passAll + noBanks + "vector_memory.lines_per_cycle=1 vector_memory.block_bytes=128 vector_memory.scattered_lanes=2", "1", "0", fewer(32 * (32 - 16))},
	{"vector_memory.wide_lanes_per_cycle", "scatter-pairs", passAll + noBanks + "vector_memory.tags_per_cycle=4", "1", "16", fewer(32 * (32 - 8))},
	{"vector_memory.translation_cycles", "ranges", passAll, "0", "10", exactly((32 + 1) * 10)}, // one for what is stored
	{"vector_memory.translation_entries", "ranges", passAll + "vector_memory.translation_cycles=10", "1", "1024", fewer(31 * 32 * 10)},
	{"vector_memory.translation_bytes", "ranges", passAll + "vector_memory.translation_cycles=10 vector_memory.translation_entries=1", "4096", "65536", fewer(32 * (32 - 2) * 10)},
	// Of 32 loads and a store, each lane of a load asks the second level, as its unit keeps one translation. Lines that come one by one
	// from a walker do not wait for their turns on the link to the next cache, 31 times 2 cycles.
	{"translation.entries", "ranges", passAll + asked + "translation.entries=1 translation.walk_cycles=100", "1", "1024", fewer(31 * 100)},
	{"translation.ways", "ranges-far", passAll + asked + "translation.entries=32 translation.walkers=1 translation.walk_cycles=100", "1", "32", fewer(31 * (32*100 - 31*2))},
	{"translation.page_bytes", "ranges", passAll + asked + "translation.entries=1024 translation.walkers=1 translation.walk_cycles=100", "4096", "131072", fewer((32 - 1) * 100)},
	{"translation.shared_by", "ranges-twice", passAll + asked + "translation.entries=1024 compute_units=2 shader_engines=1", "0", "1", counts("walks", walksOf, 32+1, 2*(32+1))},
	{"translation.latency_cycles", "ranges", passAll + asked + "translation.entries=1024", "0", "10", exactly((32 + 1) * 10)},
	{"translation.walkers", "ranges", passAll + asked + "translation.entries=1 translation.walk_cycles=100", "0", "1", exactly(32 * (31*100 - 31*2))},
	{"translation.walk_cycles", "ranges", passAll + asked + "translation.entries=1", "0", "10", exactly((32 + 1) * 10)},
	// 32 lanes in two groups, each with 16 words of one bank in 16 lines.
	{"vector_memory.banks", "scatter", passAll + "vector_memory.lines_per_cycle=1", "0", "32", exactly(32 * (2*16*2 - 32))},
	{"vector_memory.bank_bytes", "scatter", passAll + banks, "4", "64", fewer(32 * 2 * (16*2 - 16/2))},
	{"vector_memory.bank_cycles", "scatter", passAll + banks, "2", "4", exactly(32 * 2 * 16 * 2)},
	{"vector_memory.group_bytes", "chain", passAll + banks, "64", "128", fewer(96 * (2 - 1))},
	{"vector_memory.tags_per_cycle", "scatter", passAll + banks, "2", "0.125", exactly(32 * 2 * (16*8 - 16*2))},
	{"vector_memory.tag_parity", "scatter", passAll + banks + "vector_memory.tags_per_cycle=0.125", "1", "32768", exactly(32 * 2 * 16 * 8)},
	{"vector_memory.atomic_cycles", "atomic", "", "1", "11", exactly(16 * 31 * 10)},
	{"vector_memory.atomic_slice_cycles", "updates", "l2.slices=1 ", "0", "1024", atLeast(31 * 1024)},
	// A sample of 8 quads, after another.
	{"texture.quads_per_cycle", "samples", passAll, "1", "4", fewer(8 * (8 - 2))},
	{"texture.texel_bytes", "samples", passAll, "4", "1", exactly(8 * 8 * (4 - 1))},
	{"texture.trilinear_passes", "samples-between", passAll, "2", "8", exactly(8 * 8 * (8 - 2))},
	{"texture.latency_cycles", "samples", "", "20", "520", exactly(8 * 500)},

	{"memory.model", "loads", "", "fast", "akita", differsWithAkita()}, // Akita's own parts, whose times are not these
	{"memory.bytes", "chain", "", "8388608", "1048576", refused("memory")},
	{"memory.channels", "apart", passAll + "memory.bytes_per_cycle=1", "1", "4", bound(moved, moved/4, unbound)},
	{"memory.interleave_bytes", "apart", passAll + "memory.bytes_per_cycle=1 memory.channels=4", "256", "65536", bound(moved/4, moved, unbound)},
	{"memory.bytes_per_cycle", "apart", passAll, "16", "1", bound(moved/16, moved, unbound)},
	{"memory.latency_cycles", "chain", passAll, "100", "200", exactly(97 * 100)},

	{"memory.requests", "apart", passAll + "memory.bytes_per_cycle=1", "0", "1", waited("memory")},
	{"memory.page_bytes", "pages", passAll + "memory_side.bytes=16384 memory_side.ways=1", "0", "4096", perHit("memory_side", 190)}, // pages lie anywhere
	{"memory.efficiency", "apart", passAll + "memory.bytes_per_cycle=16", "1", "0.1", bound(moved/16, moved*10/16, unbound)},
	// Reads one after the other wait for their columns, and for what a row takes to open; mem/dram has the forms of its timings.
	{"memory.clock_mhz", "chain", passAll + "clock_mhz=2000 memory.latency_cycles=150", "0", "1200", longer(97 * 100)},
	{"front_end.clock_mhz", "all", "clock_mhz=2000 dispatcher.kernel_launch_cycles=1000", "0", "1000", longer(1000)},
	{"dram.standard", "chain", passAll + "clock_mhz=1000 memory.bytes_per_cycle=16", "none", "HBM", longer(97 * 14)},
	// Keys of device memory act on banked channels as well.
	{"memory.requests", "apart", passAll + banked, "0", "1", bothOf(slower, waited("memory"))},
	{"memory.channels", "apart", passAll + banked, "1", "4", faster},
	{"memory.unhashed_channels", "rows", passAll + banked + "memory.channels=4 ", "0", "4", differs},
	{"memory.interleave_bytes", "apart", passAll + banked + "memory.channels=4", "256", "65536", slower},
	{"memory.bytes_per_cycle", "apart", passAll + "dram.standard=HBM", "16", "1", slower},
	{"memory.latency_cycles", "chain", passAll + banked, "100", "200", between(97*100, 97*100+2500)}, // refreshes come meanwhile, and close rows
	{"memory.efficiency", "apart", passAll + banked, "1", "0.1", slower},
	// What these put in another order follows from calendars that no sum has.
	{"dram.queue", "rows", passAll + banked + "dram.hash_banks=false ", "0", "64", differs},
	{"dram.writes", "after", passAll + banked + "dram.drained=8 ", "0", "32", differs},
	{"dram.drained", "store", passAll + banked + "dram.writes=17 ", "0", "16", differs},
	{"dram.address_map", "apart", passAll + banked, "col6-bg2-ba2-row14", "col1-bg2-ba2-col5-row14", differs},
	{"dram.hash_banks", "apart", passAll + banked, "true", "false", differs},
	{"host.to_device_cycles", "copies", noSmallCopies, "0", "1000", exactly(1000)},
	{"host.to_device_bytes_per_cycle", "copies", noSmallCopies, "2", "1", exactly(500)},
	{"host.from_device_cycles", "copies", noSmallCopies, "0", "1000", exactly(1000)},
	{"host.from_device_bytes_per_cycle", "copies", noSmallCopies, "2", "1", exactly(250)},
	{"host.staged_below_bytes", "copies", noSmallCopies + "host.staged_bytes_per_cycle=1", "500", "501", exactly(500)},
	{"host.staged_bytes_per_cycle", "copies", noSmallCopies + "host.staged_below_bytes=1001", "2", "1", exactly(500 + 250)},
	{"host.small_copy_bytes", "copies", "host.staged_below_bytes=0 host.from_device_cycles=1500 host.from_device_bytes_per_cycle=1 host.small_copy_cycles=60", "499", "500", fewer(1500 + 500 - 60)},
	{"host.small_copy_cycles", "copies", "host.small_copy_bytes=1000", "60", "1060", exactly(2 * 1000)},
	{"host.synchronize_cycles", "copies", "", "0", "1000", exactly(1000)},

	{"dispatcher.following_launch_cycles", "launches", "", "0", "1000", exactly(2 * 1000)},
	{"dispatcher.launch_floor_cycles", "launches", "", "0", "1000000", atLeast(1_000_000)},
	// A cache that keeps stores outlives a launch: the second one finds its lines where the first one ran.
	{"dispatcher.fixed_order", "twice", passAll + "shader_engines=2 compute_units=1 l2.bytes=16384 l2.ways=4 l2.shared_by=1 l2.write=back l2.write_allocate=true", "false", "true", fewer(33 * 330)},
	{"dispatcher.workgroups_per_cycle", "many", "", "1", "0.001", atLeast(31_000)},
	// 16 of the 32 workgroups take the places of others.
	{"dispatcher.refilled_per_cycle", "many", "compute_units=1 simds=1 wave_slots=32", "1", "0.0001", atLeast(100_000)},
	{"dispatcher.waves_per_cycle", "many", "", "1", "0.001", atLeast(63_000)},
	// The smaller array's unit takes 8 of the 16 waves, before 6.
	{"dispatcher.shader_arrays", "vector", "compute_units=3 wave_slots=16 simds=1 issue.policy=round-robin", "1", "2", slowed(8.0 / 6)},
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
	{"front_end.fetch_cycles", "lastsum", multipass, "1", "1001", exactly(1000)}, // one of the two dispatches is indirect
	{"front_end.fetch_cycles", "indirect-kernel", "", "1", "1001", exactly(1000)},
	{"front_end.fetch_cycles", "indirect-queue", "", "1", "1001", exactly(1000)},
	{"front_end.packet_cycles", "lastsum", generated, "0", "1000", between(5000, 5010)}, // five records
	{"front_end.outstanding", "fan-long", generated + apart, "1", "64", faster},
	{"front_end.fetch_bytes", "perlane", workLists + "scheduler.list_rate=8 front_end.fetch_cycles=1000", "0", "64", between(3000, 3600)}, // three lines that were read at once come one after the other
	{"front_end.outstanding", "queues-small", onePipe + "dispatcher.launch_latency=10000", "64", "1", bound(10_000, 16*10_000, 16*800)},

	// The least times of a graph of two levels, docs/graphs/scheduling.md.
	{"scheduler.kind", "lastsum", "queue.latency=100 scheduler.launch_cycles=20 scheduler.pass_launch_cycles=2500 scheduler.barrier_cycles=1250", "hardware", "multipass", longer(1250 + 3*2500 - 100 - 2*20)},
	{"scheduler.launch_cycles", "lastsum", hardware, "0", "1000", exactly(2 * 1000)},
	{"scheduler.firmware_cycles", "lastsum", firmware, "300", "1300", exactly(2 * 1000)},
	// Seven starts more, each after it has read the ring, at most up to the L2.
	{"scheduler.firmware_launches", "fan", firmware + apart + "scheduler.firmware_cycles=5000 ", "128", "1", between(7*5000, 7*(5000+60+85))},
	{"scheduler.firmware_dispatch_cycles", "lastsum", firmware, "0", "1000", exactly(1000)},
	{"scheduler.pass_launch_cycles", "lastsum", multipass, "2500", "3500", exactly(3 * 1000)},
	{"scheduler.barrier_cycles", "lastsum", multipass, "1250", "2250", exactly(1000)},
	{"scheduler.passes", "classify", multipass, "serial", "overlapped", faster},
	{"scheduler.poll_interval", "lastsum", persistent, "20", "20000", shrinks("polls", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Polls })},
	{"scheduler.persistent_groups", "fan-long", persistent + apart, "0", "1", bound(fanCycles, 8*fanCycles, fanSlack)},

	{"scheduler.list_split", "classify", workLists, "one", "node", grows("lists", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Lists })},
	{"scheduler.list_barrier", "lastsum", workLists, "true", "false", faster},
	{"scheduler.list_append", "perlane", workLists, "wave", "record", differs},
	{"scheduler.list_memory", "perlane", workLists, "l2", "memory", differs},
	{"scheduler.list_record_bytes", "perlane", workLists + "scheduler.list_rate=8", "32", "256", differs},
	{"scheduler.list_read_ahead", "perlane", workLists + "scheduler.list_rate=8", "64", "1", differs},
	{"scheduler.lists_in_flight", "fan-wide", workLists + "scheduler.list_split=node scheduler.list_rate=8", "1", "16", differs},
	{"scheduler.list_rate", "perlane", workLists, "0.2", "0.001", between(6000, 7000)}, // between the first and the last of 8 records, less what they wait for reads
	{"scheduler.list_programs", "classify", workLists, "16", "1", grows("misses", func(s *tracing.Stats) uint64 { return s.Graph.Queue.ProgramMisses })},
	{"scheduler.list_miss_cycles", "lastsum", workLists, "0", "1000", exactly(2 * 1000)},
	{"scheduler.list_change_cycles", "lastsum", workLists, "0", "1000", exactly(2 * 1000)},

	{"queue.placement", "fan-long", hardware + apart + twoPlaces + "queue.steal=0", "central", "engine", bound(4*fanCycles, 8*fanCycles, fanSlack)},
	{"queue.depth", "perlane", hardware, "1024", "1", counts("spills", spills, 0, 119)},
	{"queue.refill_threshold", "perlane", hardware + "queue.depth=1 queue.launch_rate=0.01", "256", "0", longer(85)}, // the last launch waits for the L2
	{"queue.spill_lines", "perlane", hardware + "queue.depth=1", "64", "1", longer(85)},                              // the sender waits for the L2
	{"queue.steal", "fan-long", hardware + apart + twoPlaces + "queue.placement=engine", "0", "64", bothOf(bound(8*fanCycles, 4*fanCycles, fanSlack), counts("payloads taken", stolen, 0, 4))},
	{"queue.ports", "fan", hardware, "64", "1", exactly(7 + 7)}, // to allocate, and to enqueue
	{"queue.latency", "lastsum", hardware, "100", "1100", exactly(3 * 1000)},
	{"queue.launch_rate", "perlane", hardware, "1", "0.001", bound(8, 8*1000, 2000)}, // 120 payloads, 16 at a time, after their sender
	{"queue.arbitration", "hlsl", hardware, "depth-first", "breadth-first", differs}, // the same work in another order
	{"queue.coalescing_window", "fan-gather", hardware, "0", "1000", exactly(1000)},
	{"queue.packing_window", "fan-pack", hardware, "0", "1000", exactly(1000)},
	{"queue.window", "fan-again", hardware + "queue.coalescing_window=1000", "fixed", "adaptive", fewer(1000 / 2)}, // the second time
	{"queue.payload_memory", "perlane", hardware, "memory", "cache", counts("payloads in scratch", inScratch, 0, 120)},
	{"queue.full", "perlane", hardware + "queue.depth=8", "spill", "stall", grows("cycles for an entry", func(s *tracing.Stats) uint64 { return s.Graph.Queue.StallFull })},
	{"queue.full_wait", "perlane", hardware + "queue.depth=8 queue.full=stall", "1000000", "1", grows("spills", spills)},
	{"queue.retry_cycles", "perlane", hardware + "queue.depth=8 queue.full=retry", "20", "2000", shrinks("refusals", func(s *tracing.Stats) uint64 { return s.Graph.Queue.Refusals })},
	{"queue.max_depth", "bounds", hardware + "queue.max_payloads=257 queue.max_payload_bytes=65536", "34", "33", refused("reaches depth 34: want at most 33")},
	{"queue.max_payloads", "bounds", hardware + "queue.max_depth=34 queue.max_payload_bytes=65536", "257", "256", refused("257 payloads in one workgroup: want at most 256")},
	{"queue.max_payload_bytes", "bounds", hardware + "queue.max_depth=34 queue.max_payloads=257", "33924", "33923", refused("33924 bytes of payloads in one workgroup")},
	{"queue.payload_bytes", "perlane", hardware, "262144", "0", counts("payloads in scratch", inScratch, 0, 120)},
	{"queue.payload_latency", "fan", hardware, "60", "1060", exactly(2 * 1000)},                         // a store and a load
	{"queue.payload_bytes_per_cycle", "perlane", hardware, "512", "0.01", bound(5, 2*120*12*100, 2000)}, // each written and read once
	{"queue.scratch_bytes", "perlane", hardware + "queue.payload_bytes=0", "1048576", "0", refused("scratch")},
	{"queue.pack_threads", "fan", hardware, "false", "true", counts("waves", waves, 1+8, 1+1)},

	{"timing.lowering", "all", "", "dpp", "lds", counts("dpp", class(isa.ClassDPP), 3, 0)},
	{"timing.passes", "vector", "wave_slots=16 simds=1 issue.policy=round-robin simd_width=16", "2", "1", slowed(2)},
	{"timing.math", "divide", "", "native", "precise", counts("multiply-adds", class(isa.ClassFMA32), 1, 9)}, // of div_scale to div_fixup; the reciprocal is of its own class, and so is a product
	{"timing.buffers", "select", "", "descriptors", "pointers", counts("loads", class(isa.ClassVMEM), 2, 1)},
}

// keyRows are all rows but those of timing classes and operations.
func keyRows() []keyRow {
	rows := slices.Concat(plainRows, ldsRows())
	for _, c := range cacheCases {
		rows = append(rows, c.rows()...)
	}
	return rows
}

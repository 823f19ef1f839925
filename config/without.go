package config

import (
	"fmt"
	"slices"
	"strings"

	"spvsim/internal/lists"
)

// A MachineLimit is a limit or a cost of machines, with the settings (path=value) of the machine that remove it. The settings
// hold for every machine: a key of a level or a scheduler that a machine does not have changes nothing.
type MachineLimit struct {
	Name, Meaning string
	// Within are the limits that are removed with this one.
	Within   []string
	settings []string
}

// limits are the limits that can be removed, each after those that it contains.
var limits = []MachineLimit{
	{
		// The cost of placing a wave (dispatcher.launch_latency) and that of a graph's scheduler for each payload stay: they
		// are work of the machine during a launch.
		Name: "launches", Meaning: "launch costs: on the host, in a queue or a command stream, and the minimum time of a launch",
		settings: []string{
			"dispatcher.kernel_launch_cycles=0", "dispatcher.following_launch_cycles=0", "dispatcher.launch_floor_cycles=0",
			"front_end.packet_cycles=0", "front_end.launch_cycles=0",
			"scheduler.firmware_dispatch_cycles=0", "scheduler.pass_launch_cycles=0",
		},
	},
	{Name: "conflicts", Meaning: "bank conflicts of the LDS", settings: []string{"lds.conflict_cycles=0"}},
	{
		Name: "coalescing", Meaning: "the time of the address path for scattered lanes (lines, blocks, banks)",
		settings: []string{
			"vector_memory.lines_per_cycle=64", "vector_memory.block_bytes=0", "vector_memory.banks=0", "vector_memory.wide_lanes_per_cycle=0",
			"vector_memory.scattered_lanes=0",
		},
	},
	{Name: "translation", Meaning: "the time of address translation", settings: []string{"vector_memory.translation_cycles=0", "translation.entries=0"}},
	{
		Name: "atomics", Meaning: "the time of atomics in memory where they are carried out",
		settings: []string{
			"vector_memory.atomic_cycles=0", "vector_memory.atomic_slice_cycles=0",
			"vector_l1.atomics=0", "shader_array.atomics=0", "l2.atomics=0", "memory_side.atomics=0",
		},
	},
	{
		Name: "bandwidth", Meaning: "the time of transfers, rows and queues in device memory",
		settings: []string{"memory.bytes_per_cycle=65536", "memory.efficiency=0", "memory.requests=0", "dram.standard=none"},
	},
	{Name: "latency", Meaning: "the fixed latency of memory behind the L2", settings: []string{"memory.latency_cycles=0", "memory_side.latency_cycles=0"}},
	{Name: "l2-misses", Meaning: "all cost of misses of the L2", Within: []string{"bandwidth", "latency"}, settings: behind("l2")},
	{Name: "vector-misses", Meaning: "all cost of misses of the vector cache (and of the scalar cache)", Within: []string{"bandwidth", "latency", "l2-misses"}, settings: behind("vector_l1")},
	{Name: "registers", Meaning: "the size of the register files, a limit of resident waves", settings: []string{"registers.vector=65536", "registers.scalar=65536"}},
	{Name: "spills", Meaning: "the most vector registers of a wave", Within: []string{"registers"}, settings: []string{"registers.vector=65536", "registers.scalar=65536", "registers.vector_max=4096"}},
	{Name: "lds-size", Meaning: "the size of the LDS, a limit of resident workgroups", settings: []string{"lds.bytes=4194304"}},
	{Name: "fetch", Meaning: "the time of instruction fetch", settings: []string{"fetch.enabled=false"}},
	{Name: "payload-memory", Meaning: "the size of the payload memory on chip", settings: []string{"queue.payload_bytes=1073741824"}},
	{
		Name: "queue", Meaning: "time and size of the queue of execution graphs", Within: []string{"payload-memory"},
		settings: []string{
			"scheduler.kind=hardware", "scheduler.launch_cycles=0", "queue.placement=central", "queue.latency=0", "queue.ports=1024",
			"queue.launch_rate=1024", "queue.depth=16777216", "queue.payload_memory=memory", "queue.payload_bytes=1073741824",
			"queue.payload_latency=0", "queue.payload_bytes_per_cycle=65536",
		},
	},
	{Name: "divergence", Meaning: "the issue of computations for inactive lanes", settings: []string{"issue.compaction=true"}},
}

// behind are the settings that make all behind a level free: a miss there costs no more than a hit. Its own latency,
// bandwidth and queue stay.
func behind(level string) (list []string) {
	names := []string{"vector_l1", "shader_array", "l2", "memory_side"}
	from := slices.Index(names, level)
	for i, name := range names[from:] {
		for _, key := range []string{"misses", "write_buffer", "link_credits", "link_read_bytes_per_cycle", "link_write_bytes_per_cycle", "link_shared_bytes_per_cycle"} {
			list = append(list, fmt.Sprintf("%s.%s=0", name, key))
		}
		if i > 0 {
			list = append(list, name+".latency_cycles=0", name+".bytes_per_cycle=65536", name+".write_bytes_per_cycle=0", name+".requests=0")
		}
	}
	return append(list, "memory.latency_cycles=0", "memory.bytes_per_cycle=65536", "memory.efficiency=0", "memory.requests=0", "dram.standard=none")
}

// MachineLimits lists the limits that settings can remove.
func MachineLimits() []MachineLimit { return slices.Clone(limits) }

// WithoutNames lists the names of those limits.
func WithoutNames() []string {
	return lists.Map(MachineLimits(), func(l MachineLimit) string { return l.Name })
}

// WithoutSettings returns the settings (path=value) that remove limits.
func WithoutSettings(names []string) (settings []string, err error) {
	for _, name := range names {
		l, err := findLimit(name)
		if err != nil {
			return nil, err
		}
		settings = append(settings, l.settings...)
	}
	return settings, nil
}

// FindLimit finds a limit that settings can remove, by its name.
func FindLimit(name string) (*MachineLimit, bool) {
	l, err := findLimit(name)
	return l, err == nil
}

func findLimit(name string) (*MachineLimit, error) {
	i := slices.IndexFunc(limits, func(l MachineLimit) bool { return l.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("found %q: want one of %s%s", name, strings.Join(WithoutNames(), ", "), Hint(name, WithoutNames()))
	}
	return &limits[i], nil
}

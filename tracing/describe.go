package tracing

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"spvsim/account"
	"spvsim/energy"
)

// A Statistic describes one path of the statistics' JSON: its members from the outermost in, joined by dots. * represents a
// name that differs from run to run: a class, a level, a node.
type Statistic struct{ Path, Unit, Meaning string }

// statistics are the members that no structure of package account has a tag for.
var statistics = []Statistic{
	{"format", "", "version of the statistics, which spvsim schema statistics describes"},
	{"machine", "", "name of the machine, or of its file"},
	{"clock_mhz", "MHz", "clock of the machine"},
	{"mode", "", "how the job ran, if not timed as a whole: sampled or functional"},
	{"stopped", "", "why the run was stopped before its end; the first member. All other statistics are up to then"},
	{"launches", "launches", "dispatches, draws and graph dispatches that ran"},
	{"cycles", "cycles", "simulated time from the beginning of the first launch to the end of the last one; of a repeated job, of its last round"},
	{"seconds", "s", "simulated time in seconds, at the machine's clock"},
	{"workgroups", "workgroups", "workgroups that ran; for a draw, its waves"},
	{"waves", "waves", "waves that ran"},
	{"instructions.total", "instructions", "wave instructions issued"},
	{"instructions.by_class.*", "instructions", "wave instructions issued of one class of the timing table; classes without any are left out"},
	{"lanes.by_class.*", "lanes", "active lanes of the instructions of a class; for products of matrices, their multiply-adds"},
	{"lanes.register_reads", "words", "words of vector registers that active lanes read"},
	{"lanes.register_writes", "words", "words of vector registers that active lanes wrote"},
	{"lanes.lds_words", "words", "words of LDS that active lanes accessed"},
	{"lanes.updates", "updates", "atomic updates by active lanes, of memory and LDS"},
	{"unit_cycles", "cycles", "cycles in which a compute unit had a workgroup, summed over all compute units"},
	{"energy.joules", "J", "energy of the run, or of a step, by the machine's table: energy.dynamic, energy.constant and energy.parts.supply. A functional run has that of instructions, lanes, registers, words of LDS, starts of workgroups and copies, with the loss in regulators; it has none of time, passes of the LDS, caches, links and memory traffic"},
	{"energy.dynamic", "J", "part of the energy of events, without the loss in regulators"},
	{"energy.constant", "J", "part of the energy that depends on time only: clocks, leakage, refresh and board, without the loss in regulators"},
	{"energy.programs.*", "J", "part of energy.dynamic of a program's instructions, with their part of the traffic of caches, links and memory; dispatch, copies, transfers and the loss in regulators are in no program's; for the run only, not for steps"},
	{"energy.low", "J", "lower end of the interval of the energy, if a part of the run was estimated"},
	{"energy.high", "J", "upper end of the interval of the energy, if a part of the run was estimated"},
	{"energy.watts", "W", "average power"},
	{"energy.peak_watts", "W", "highest power of any window, averaged over it: a window is a launch, or all launches together where they overlap; missing where none is timed as a whole"},
	{"energy.peak_seconds", "s", "length of the window with energy.peak_watts"},
	{"energy.limit_watts", "W", "power limit of the board or package (energy.limit_watts of the machine)"},
	{"energy.full_clock_mhz", "MHz", "clock of the machine, which the power limit lowered to clock_mhz, or left where energy.cap is off"},
	{"energy.limited_by_power", "1", "1 if the power limit lowered the clock, else 0"},
	{"energy.delay", "J s", "energy times time"},
	{"slot_cycles.total", "slot cycles", "wave slots of the machine times cycles; each slot cycle is charged to one reason"},
	{"occupancy", "1", "share of the slot cycles in which the slot held a wave"},
	{"out_of_bounds", "accesses", "accesses of lanes outside of their buffer or image; loads gave 0, stores did nothing"},
	{"estimate.cycles", "cycles", "part of the cycles that was estimated from timed parts"},
	{"estimate.low", "cycles", "lower end of the interval of the cycles"},
	{"estimate.high", "cycles", "upper end of the interval of the cycles"},
	{"estimate.confidence", "1", "confidence of the interval"},
	{"estimate.common_half", "cycles", "part of the half-width of the cycles that is common to all samples"},
	{"estimate.degrees", "1", "Satterthwaite's degrees of freedom of the rest of that half-width"},
	{"estimate.half_widths.*", "", "half-width of the interval of a count that only timed work has: cycles, unit_cycles, lds.accesses, l2.hits, ..., in its unit"},
	{"estimate.without_interval", "", "names of statistics that are left out, as they are known of the timed parts only"},
	{"estimate.units", "", "units that were timed, launches or windows of launches"},
	{"estimate.not_sampled", "", "instructions of strata without a sample, each with `instructions` (their number) and `because`"},
	{"timed_share", "1", "share of the instructions that was timed"},
	{"functional.launches", "launches", "launches with no timed part"},
	{"functional.workgroups", "workgroups", "workgroups that ran functionally"},
	{"functional.waves", "waves", "waves that ran functionally"},
	{"functional.instructions.total", "instructions", "wave instructions that ran functionally"},
	{"functional.instructions.by_class.*", "instructions", "functional wave instructions of one class of the timing table"},
	{"fragments.helper_share", "1", "share of the lanes of quads that are helpers"},
	{"graph.nodes.*.payloads", "payloads", "payloads that were enqueued to the node"},
	{"graph.nodes.*.workgroups", "workgroups", "workgroups of the node that ran"},
	{"graph.unused", "payloads", "payloads that were allocated but not enqueued"},
	{"steps.name", "", "name of a step; each step has the statistics of the whole run, as steps.NAME.cycles"},
	{"utilization.*.share", "1", "share of its peak in the whole machine that a part reached, over the cycles of launches without launch costs: issue, a unit of SIMDs (valu, salu, ...), address_path, scalar_path, lds, a level of memory by the time of its bytes, its links, translation by its walkers"},
	{"utilization.*.active", "1", "the same of the peak of compute units while they have a workgroup, for parts of compute units"},
	{"bound", "", "what bounds the run: launch costs, the part nearest to its peak, or what waves wait for"},
	{"what_if.*.cycles", "cycles", "time of the same job on a counterfactual machine (--what-if)"},
	{"what_if.*.gain", "1", "share of the run's cycles that this machine saves; below 0: it takes longer. Gains of several machines do not add up"},
	{"what_if.*.low", "cycles", "lower end of the interval of the machine's cycles, if a part of them is estimated"},
	{"what_if.*.high", "cycles", "upper end of that interval"},
	{"what_if.*.advice", "", "what to do about the limit, if it costs more than 3 %"},
	{"what_if.*.settings", "", "fields that the machine sets, as path=value with spaces between"},
	{"host.seconds", "s", "time that the run took on this computer"},
	{"host.instructions_per_second", "instructions/s", "wave instructions for each second on this computer"},
	{"host.peak_bytes", "bytes", "memory of this computer that the run obtained from its system"},
}

// reasonsPath is the path of the slot cycles by reason.
const reasonsPath = "slot_cycles.by_reason"

// structures are the members whose description is in the tags of a structure.
var structures = []struct {
	path string
	of   any
}{
	{"lds", account.LDSCounts{}},
	{"memory.*", account.LevelCounts{}},
	{"functional.bytes", account.MovedBytes{}},
	{"fragments", account.FragmentCounts{}},
	{"graph.queue", account.QueueCounts{}},
	{"graph.nodes.*.wait_cycles", account.WaitSummary{}},
	{"graph.nodes.*.start_cycles", account.WaitSummary{}},
	{"graph.nodes.*.path", account.PathCounts{}},
	{"graph.wait_cycles", account.WaitSummary{}},
	{"graph.start_cycles", account.WaitSummary{}},
	{"queues", account.HardwareQueue{}},
	{"queues.kept_by", account.QueueDelay{}},
	{"queues.launches", account.ConcurrentLaunch{}},
	{"queues.launches.memory", account.LaunchTraffic{}},
	{"queues.launches.waits", account.LaunchWait{}},
	{"queues.memory", account.LaunchTraffic{}},
	{"queues.waits", account.LaunchWait{}},
}

// Statistics describe all that statistics can hold, by path.
func Statistics() []Statistic { return slices.Clone(described()) }

var described = sync.OnceValue(func() []Statistic {
	list := slices.Clone(statistics)
	for r := range account.NumReasons {
		list = append(list, Statistic{reasonsPath + "." + r.String(), "slot cycles", r.Meaning()})
	}
	for p := range energy.NumParts {
		list = append(list, Statistic{"energy.parts." + p.String(), "J", p.Meaning()})
	}
	for _, s := range structures {
		t := reflect.TypeOf(s.of)
		for i := range t.NumField() {
			f := t.Field(i)
			if name := f.Tag.Get("json"); name != "-" {
				list = append(list, Statistic{s.path + "." + name, f.Tag.Get("unit"), f.Tag.Get("doc")})
			}
		}
	}
	slices.SortFunc(list, func(a, b Statistic) int { return strings.Compare(a.Path, b.Path) })
	return list
})

// OfRun finds the statistic of the whole run that a path names.
func OfRun(path string) (Statistic, bool) { return findStatistic(described(), path) }

// Describe finds the statistic that a path names: also within a step, by its name.
func Describe(path string) (Statistic, error) {
	list := described()
	if s, ok := findStatistic(list, path); ok {
		return s, nil
	}
	if rest, ok := strings.CutPrefix(path, "steps."); ok {
		// A step's name may hold dots.
		for i, c := range rest {
			if c != '.' {
				continue
			}
			if s, ok := findStatistic(list, rest[i+1:]); ok {
				return s, nil
			}
		}
	}
	return Statistic{}, fmt.Errorf("found %q: want the path of a statistic (nearest: %s)", path, nearest(list, path))
}

// findStatistic returns the statistic whose pattern matches the path, and of several the one with most keys: queues.*.waits.slot_cycles
// and not queues.*.slot_cycles.
func findStatistic(list []Statistic, path string) (best Statistic, ok bool) {
	keys := 0
	for _, s := range list {
		if n := strings.Count(s.Path, ".") + 1; n > keys && matches(s.Path, path) {
			best, keys = s, n
		}
	}
	return best, keys > 0
}

// matches reports whether a pattern matches a path. The name in place of * may contain dots. Members of hardware queues
// are in lists, whose items have a name or a number in the path (queues.async.launches.0.ready).
func matches(pattern, path string) bool {
	if strings.HasPrefix(pattern, "queues.") {
		return withItems(strings.Split(pattern, "."), strings.Split(path, "."))
	}
	before, after, any := strings.Cut(pattern, "*")
	if !any {
		return pattern == path
	}
	return len(path) > len(before)+len(after) && strings.HasPrefix(path, before) && strings.HasSuffix(path, after)
}

// withItems reports whether a path has the keys of a pattern in their order, the first and the last ones in place.
func withItems(pattern, path []string) bool {
	if len(path) < len(pattern) || path[0] != pattern[0] || path[len(path)-1] != pattern[len(pattern)-1] {
		return false
	}
	for _, key := range path {
		if len(pattern) > 0 && key == pattern[0] {
			pattern = pattern[1:]
		}
	}
	return len(pattern) == 0
}

// nearest is the path that differs least.
func nearest(list []Statistic, path string) string {
	return slices.MinFunc(list, func(a, b Statistic) int {
		return levenshtein.ComputeDistance(a.Path, path) - levenshtein.ComputeDistance(b.Path, path)
	}).Path
}

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
	{"machine", "", "name of the machine, or of its file"},
	{"clock_mhz", "MHz", "clock of the machine"},
	{"mode", "", "how the job ran, where not timed as a whole: sampled or functional"},
	{"stopped", "", "why the run was stopped before its end; the rest is what had happened by then"},
	{"launches", "launches", "dispatches, draws and graph dispatches that ran"},
	{"cycles", "cycles", "simulated time, from the first launch's begin to the last one's end; of a repeated job, of its last round"},
	{"seconds", "s", "the same at the machine's clock"},
	{"workgroups", "workgroups", "workgroups that ran; of a draw, its waves"},
	{"waves", "waves", "waves that ran"},
	{"instructions.total", "instructions", "wave instructions issued"},
	{"instructions.by_class.*", "instructions", "of those, one class of the timing table; classes without any are left out"},
	{"lanes.by_class.*", "lanes", "active lanes of those instructions; of products of matrices, their multiply-adds"},
	{"lanes.register_reads", "words", "words of vector registers that active lanes read"},
	{"lanes.register_writes", "words", "words of vector registers that active lanes wrote"},
	{"lanes.lds_words", "words", "words of LDS that active lanes accessed"},
	{"lanes.updates", "updates", "atomic updates by active lanes, of memory and LDS"},
	{"unit_cycles", "cycles", "for which compute units had a workgroup, added up over all"},
	{"energy.joules", "J", "energy of the run, or of a step, by the machine's table; without time, of events alone"},
	{"energy.dynamic", "J", "of that, what events took"},
	{"energy.constant", "J", "of that, what time took: clocks, leakage, refresh, board and loss of regulators"},
	{"energy.programs.*", "J", "of that, what the instructions of a program took, with their part of the traffic of caches, links and memory; of the run alone"},
	{"energy.low", "J", "lower end of the interval of the energy, where a part of the run was estimated"},
	{"energy.high", "J", "upper end of the interval of the energy"},
	{"energy.watts", "W", "average power"},
	{"energy.peak_watts", "W", "average power of the launch that took most"},
	{"energy.limit_watts", "W", "power that the board or package is given at most (energy.limit_watts of the machine)"},
	{"energy.delay", "J s", "energy times time"},
	{"slot_cycles.total", "slot cycles", "wave slots of the machine times cycles: each is charged to one reason"},
	{"occupancy", "1", "share of the slot cycles in which the slot held a wave"},
	{"out_of_bounds", "accesses", "accesses of lanes outside of their buffer or image: loads gave 0, stores did nothing"},
	{"estimate.cycles", "cycles", "of the cycles, those that were estimated from what was timed"},
	{"estimate.low", "cycles", "lower end of the interval of the cycles"},
	{"estimate.high", "cycles", "upper end of the interval of the cycles"},
	{"estimate.confidence", "1", "of the interval"},
	{"estimate.without_interval", "", "names of members that are of the timed parts and have none"},
	{"estimate.not_sampled", "", "instructions that are unlike all that was timed, each with `instructions` and `because`"},
	{"timed_share", "1", "share of the instructions that was timed"},
	{"functional.launches", "launches", "launches of which no part was timed"},
	{"functional.workgroups", "workgroups", "workgroups that ran without time"},
	{"functional.waves", "waves", "waves that ran without time"},
	{"functional.instructions.total", "instructions", "wave instructions that ran without time"},
	{"functional.instructions.by_class.*", "instructions", "of those, one class of the timing table"},
	{"fragments.helper_share", "1", "share of the lanes of quads that are helpers"},
	{"graph.nodes.*.payloads", "payloads", "payloads that were enqueued to the node"},
	{"graph.nodes.*.workgroups", "workgroups", "workgroups of the node that ran"},
	{"graph.unused", "payloads", "payloads that were allocated and not enqueued"},
	{"steps.name", "", "name of a step; of each step there are the members of the whole, as steps.NAME.cycles"},
	{"host.seconds", "s", "time of this computer"},
	{"host.instructions_per_second", "instructions/s", "wave instructions for each of them"},
	{"host.peak_bytes", "bytes", "memory obtained from the system"},
}

// structures are the members whose description is in the tags of a structure.
var structures = []struct {
	path string
	of   any
}{
	{"lds", account.LDSCounts{}},
	{"memory.*", account.Level{}},
	{"functional.bytes", account.MovedBytes{}},
	{"fragments", account.FragmentCounts{}},
	{"graph.queue", account.QueueCounts{}},
	{"graph.nodes.*.wait_cycles", account.WaitSummary{}},
	{"graph.nodes.*.start_cycles", account.WaitSummary{}},
	{"graph.nodes.*.path", account.PathCounts{}},
	{"graph.wait_cycles", account.WaitSummary{}},
	{"graph.start_cycles", account.WaitSummary{}},
	{"queues", account.HardwareQueue{}},
	{"queues.kept_by", account.KeptBy{}},
	{"queues.launches", account.BesideLaunch{}},
	{"queues.launches.memory", account.LaunchTraffic{}},
}

// Statistics describe all that statistics can hold, by path.
func Statistics() []Statistic { return slices.Clone(described()) }

var described = sync.OnceValue(func() []Statistic {
	list := slices.Clone(statistics)
	for r := range account.NumReasons {
		list = append(list, Statistic{"slot_cycles.by_reason." + r.String(), "slot cycles", r.Meaning()})
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
func OfRun(path string) (Statistic, bool) { return find(described(), path) }

// Describe finds the statistic that a path names: also within a step, by its name.
func Describe(path string) (Statistic, error) {
	list := described()
	if s, ok := find(list, path); ok {
		return s, nil
	}
	if rest, ok := strings.CutPrefix(path, "steps."); ok {
		// A step's name may hold dots.
		for i, c := range rest {
			if c != '.' {
				continue
			}
			if s, ok := find(list, rest[i+1:]); ok {
				return s, nil
			}
		}
	}
	return Statistic{}, fmt.Errorf("no statistic %q (did you mean %s?)", path, nearest(list, path))
}

func find(list []Statistic, path string) (Statistic, bool) {
	i := slices.IndexFunc(list, func(s Statistic) bool { return matches(s.Path, path) })
	if i < 0 {
		return Statistic{}, false
	}
	return list[i], true
}

// matches says whether a path is one that a pattern represents. A name in place of * may hold dots.
func matches(pattern, path string) bool {
	before, after, any := strings.Cut(pattern, "*")
	if !any {
		return pattern == path
	}
	return len(path) > len(before)+len(after) && strings.HasPrefix(path, before) && strings.HasSuffix(path, after)
}

// nearest is the path that differs least.
func nearest(list []Statistic, path string) string {
	return slices.MinFunc(list, func(a, b Statistic) int {
		return levenshtein.ComputeDistance(a.Path, path) - levenshtein.ComputeDistance(b.Path, path)
	}).Path
}

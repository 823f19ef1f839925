package systemtest

import (
	"fmt"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// lawJobs are jobs bound by different parts of a machine, on lawMachines cut to two compute units.
var (
	lawJobs     = []string{"flow", "many", "lds-groups", "scalar-apart", "vector", "groupscan-dpp"}
	lawMachines = []string{"rdna3-rx7900xtx", "gcn3-r9nano", "cdna3-mi300a"}
)

// A law says how the time may change when a key gets a larger value.
type law struct {
	key, from, to string
	least, most   float64 // of the second time by the first
}

const endless = 1e9

var laws = []law{
	{"memory.latency_cycles", "200", "400", 0.98, endless},
	{"l2.latency_cycles", "50", "150", 0.98, endless},
	{"vector_l1.latency_cycles", "50", "150", 0.98, endless},
	{"scalar_l1.latency_cycles", "10", "50", 0.98, endless},
	{"timing.classes.lds.latency", "20", "60", 0.98, endless},
	{"timing.classes.valu32.latency", "5", "20", 0.98, endless},
	{"barrier_latency", "10", "50", 0.98, endless},
	{"compute_units", "2", "4", 0, 1.05},
	{"simds", "2", "4", 0, 1.05},
	{"wave_slots", "4", "8", 0, 1.05},
	{"lds.banks", "32", "64", 0, 1.05},
	{"vector_l1.bytes", "32768", "65536", 0, 1.05},
	{"l2.misses", "16", "64", 0, 1.05},
	{"memory.channels", "16", "32", 0, 1.05},
	{"memory.bytes_per_cycle", "16", "64", 0, 1.05},
}

// exceptions are what may be otherwise, by key, job and machine, with the reason.
var exceptions = map[string]struct {
	least, most float64
	reason      string
}{
	"timing.classes.valu32.latency groupscan-dpp gcn3-r9nano": {0.97, endless,
		"waves that wait longer for their operands come to the LDS and its barriers out of step, and queue less"},
}

// More latency makes nothing faster, and more of a part makes nothing slower.
func TestLawsOfWholeMachines(t *testing.T) {
	b := newKeyBench(t)
	for i, l := range laws {
		machines, jobs := lawMachines, lawJobs
		if !suite.AllCases() {
			machines = lawMachines[i%3 : i%3+1]
		}
		if k := i / 3 % len(lawJobs); testing.Short() {
			jobs = lawJobs[k : k+1]
		}
		for _, machine := range machines {
			for _, job := range jobs {
				bounded := l
				if e, ok := exceptions[l.key+" "+job+" "+machine]; ok {
					bounded.least, bounded.most = e.least, e.most
				}
				b.law(bounded, job, "compute_units=2 machine="+machine)
			}
		}
	}
}

func (b *keyBench) law(l law, job, on string) {
	b.t.Helper()
	before, after := b.run(job, fmt.Sprintf("%s %s=%s", on, l.key, l.from)), b.run(job, fmt.Sprintf("%s %s=%s", on, l.key, l.to))
	if before.err != nil || after.err != nil {
		b.t.Errorf("%s, job %s on %q: %v, %v", l.key, job, on, before.err, after.err)
		return
	}
	if r := float64(after.Cycles) / float64(before.Cycles); r < l.least || r > l.most {
		b.t.Errorf("%s from %s to %s, job %s on %q: %d cycles, then %d", l.key, l.from, l.to, job, on, before.Cycles, after.Cycles)
	}
}

// ideal is memory that answers at once, whatever it is asked for.
const ideal = "memory.latency_cycles=0 memory.bytes_per_cycle=65536 dispatcher.launch_latency=0 dispatcher.waves_per_cycle=1024 " +
	"dispatcher.workgroups_per_cycle=1024 " +
	"vector_l1.latency_cycles=0 vector_l1.bytes_per_cycle=65536 scalar_l1.latency_cycles=0 scalar_l1.bytes_per_cycle=65536 " +
	"l2.latency_cycles=0 l2.bytes_per_cycle=65536 timing.classes.vmem.latency=0 timing.classes.smem.latency=0 "

// With memory that answers at once and waves enough, which end together, a SIMD that issues one instruction a cycle takes the issue cycles of
// all instructions, and one that issues an instruction of each unit those of the unit that has most; to a tenth, never less.
func TestIssueBound(t *testing.T) {
	b := newKeyBench(t)
	for _, issue := range []string{"issue.per_category=false issue.width=1", "issue.per_category=true issue.width=4"} {
		for _, job := range []string{"vector", "scalar-apart", "flow"} {
			r := b.run(job, ideal+"issue.policy=round-robin simds=1 wave_slots=16 vector_memory.lanes_per_cycle=1024 "+issue)
			if r.err != nil {
				t.Fatal(r.err)
			}
			all, most := b.issueCycles(job, r)
			bound := all
			if strings.Contains(issue, "true") {
				bound = most
			}
			t.Logf("%s, %s: %d cycles, issue bound %d", job, issue, r.Cycles, bound)
			if r.Cycles < bound || job == "vector" && float64(r.Cycles) > 1.1*float64(bound) {
				t.Errorf("%s, %s: %d cycles: want the issue bound, %d", job, issue, r.Cycles, bound)
			}
		}
	}
}

// issueCycles are those that all instructions of a run took on their units, and those on the unit that had most.
func (b *keyBench) issueCycles(job string, r *keyRun) (all, most uint64) {
	b.t.Helper()
	m, err := config.LoadMachine(config.Request{Machine: "rdna3-rx7900xtx", Job: b.job(job)})
	if err != nil {
		b.t.Fatal(err)
	}
	units := make(map[string]uint64)
	for name, c := range m.Timing.Classes {
		cycles := classCount(r, name) * uint64(c.Issue)
		units[c.Unit] += cycles
		all += cycles
		most = max(most, units[c.Unit])
	}
	return all, most
}

func classCount(r *keyRun, name string) uint64 {
	for c, n := range r.ByClass {
		if name != "" && isa.Class(c).String() == name {
			return n
		}
	}
	return 0
}

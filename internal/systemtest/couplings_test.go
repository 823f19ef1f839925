package systemtest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// coupledParts are the parts of a machine whose keys are drawn in pairs, with jobs that load them.
var coupledParts = map[string][]string{
	"lds":           {"lds", "lds-groups", "lds-busy", "lds-conflict", "lds-0", "lds-3", "lds-3-conflict"},
	"vector_memory": {"reads-wide", "scatter", "rows", "flow"},
	"issue":         {"vector", "units", "straight-twice"},
	"dispatcher":    {"many", "launches"},
}

// boundTogether are pairs of keys of which either may bound a job, so that more of one shows once there is more of the other, with the reason.
var boundTogether = map[string]string{
	"dispatcher.workgroups_per_cycle dispatcher.waves_per_cycle": "a workgroup of one wave starts at the lower of the two rates",
	"dispatcher.workgroups_per_cycle dispatcher.launch_latency":  "a place is taken again at the rate of the dispatcher, or as its workgroup gets there",
	"vector_memory.lanes_per_cycle vector_memory.block_bytes":    "lanes side by side go at the lower of lanes and bytes a cycle",
}

// more is twice the value of a numeric key; ok is false for keys that are none, or are at their end.
func more(m *config.Machine, path string) (value string, ok bool) {
	for _, l := range m.AllLeaves() {
		if l.Path != path {
			continue
		}
		if n, err := strconv.Atoi(l.Value); err == nil && n > 0 {
			return strconv.Itoa(2 * n), true
		}
		if x, err := strconv.ParseFloat(l.Value, 64); err == nil && x > 0 {
			return strconv.FormatFloat(2*x, 'g', -1, 64), true
		}
	}
	return "", false
}

// A key of which twice as much changes no job, though it does once another key has twice as much, adds nothing because of that key. A machine
// with such a key says so (config.Machine.Coupled), or the two bound jobs together for a reason above. Pairs are drawn over all presets.
func TestPairsOfKeysHaveNoHiddenCouplings(t *testing.T) {
	b := newKeyBench(t)
	ldsRows() // which make jobs
	rng := rand.New(rand.NewPCG(57, 7))
	parts := []string{"dispatcher", "issue", "lds", "vector_memory"}
	pairs := 10
	if suite.AllCases() {
		pairs = 150
	}
	for range pairs {
		preset := config.Presets()[rng.IntN(len(config.Presets()))]
		m := suite.Must(config.Preset(preset))(t)
		part := parts[rng.IntN(len(parts))]
		var keys []string
		for _, l := range m.AllLeaves() {
			if _, ok := more(m, l.Path); ok && strings.HasPrefix(l.Path, part+".") {
				keys = append(keys, l.Path)
			}
		}
		x, y := keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]
		if x == y || boundTogether[x+" "+y] != "" || boundTogether[y+" "+x] != "" {
			continue
		}
		if text := hiddenCoupling(b, m, preset, part, x, y); text != "" {
			t.Error(text)
		}
	}
}

// hiddenCoupling says that key y adds nothing because of key x, and that the machine does not say so.
func hiddenCoupling(b *keyBench, m *config.Machine, preset, part, x, y string) string {
	vx, _ := more(m, x)
	vy, _ := more(m, y)
	setX, setY := fmt.Sprintf("%s=%s", x, vx), fmt.Sprintf("%s=%s", y, vy)
	larger, err := config.LoadMachine(config.Request{Machine: preset, Set: []string{setY}})
	_, err2 := config.LoadMachine(config.Request{Machine: preset, Set: []string{setX, setY}})
	if err != nil || err2 != nil {
		return "" // refused, which is no silence
	}
	freed := limiting(b, "machine="+preset+" ", part, setX, setY)
	said := strings.Join(larger.Coupled(), "\n")
	if freed == "" || strings.Contains(said, x) && strings.Contains(said, y) {
		return ""
	}
	return fmt.Sprintf("%s: %s changes nothing without %s, and the machine does not say so: %s", preset, setY, setX, freed)
}

// limiting says of which job setting y changes nothing, and does where x is set; empty where it changes some job by itself, or none in any case.
func limiting(b *keyBench, on, part, x, y string) (freed string) {
	for _, job := range coupledParts[part] {
		base, ofY, ofX, both := b.run(job, on), b.run(job, on+y), b.run(job, on+x), b.run(job, on+x+" "+y)
		if base.err != nil || ofY.err != nil || ofX.err != nil || both.err != nil {
			continue
		}
		if base.Cycles != ofY.Cycles {
			return ""
		}
		if ofX.Cycles != both.Cycles {
			freed = fmt.Sprintf("%s: %d cycles, %d with %s, and %d with both", job, base.Cycles, ofX.Cycles, x, both.Cycles)
		}
	}
	return freed
}

// What the draw of pairs looks for is found where it is: workgroups of one wave start at the lower of two rates.
func TestLimitingFindsACoupling(t *testing.T) {
	b := newKeyBench(t)
	on := "machine=gcn3-r9nano dispatcher.workgroups_per_cycle=0.001 dispatcher.waves_per_cycle=0.001 "
	const x, y = "dispatcher.workgroups_per_cycle=0.002", "dispatcher.waves_per_cycle=0.002"
	if limiting(b, on, "dispatcher", x, y) == "" {
		t.Error("no coupling of dispatcher.waves_per_cycle and dispatcher.workgroups_per_cycle was found")
	}
	if freed := limiting(b, on, "dispatcher", x, "lds.bytes=131072"); freed != "" {
		t.Errorf("found a coupling of lds.bytes: %s", freed)
	}
}

package systemtest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"spvsim/account"
	"spvsim/config"
)

// What launches beside each other read at each level of memory adds up to what all of them did, on every preset; of what is written, what is
// written back at the launches' ends is missing. A launch that reads twice as much has twice the bytes.
func TestTrafficOfLaunches(t *testing.T) {
	for i, machine := range config.Presets() {
		const regions = 60
		list := randomSet(rand.New(rand.NewPCG(uint64(i), 33)), 10, regions)
		r := besideRun(t, parseBeside(t, mixJob(list, regions, true)), "machine="+machine+" compute_units=2 shader_engines=1 front_end.queues_per_pipe=8", nil)
		levels := slices.DeleteFunc(slices.Clone(r.Stats.Memory), func(l account.LevelCounts) bool { return l.Name == "translation" }) // which moves no bytes
		var read, written []uint64
		for _, l := range levels {
			read, written = append(read, l.Bytes-l.Written), append(written, l.Written)
		}
		for _, q := range r.Stats.Queues {
			for _, l := range q.Launches {
				for k, m := range l.Memory {
					if m.Level != levels[k].Name {
						t.Errorf("%s: level %d is %s, want %s", machine, k, m.Level, levels[k].Name)
					}
					read[k], written[k] = read[k]-m.Read, written[k]-m.Written
				}
			}
		}
		for k := range read {
			if l := &levels[k]; read[k] != 0 || written[k] > l.Written {
				t.Errorf("%s, %s: %d bytes read and %d written, of which %d and %d are of no launch", machine, l.Name, l.Bytes-l.Written, l.Written, int64(read[k]), int64(written[k]))
			}
		}
	}
	pair := []mixLaunch{{source: 0, target: 10, groups: 3}, {source: 20, target: 40, groups: 6, queue: 1}}
	q := besideRun(t, parseBeside(t, mixJob(pair, 60, true)), besideMachine, nil).Stats.Queues
	for k, m := range q[0].Launches[0].Memory {
		if twice := q[1].Launches[0].Memory[k]; m.Level == "vector_l1" && (m.Read == 0 || twice.Read != 2*m.Read || twice.Written != 2*m.Written) {
			t.Errorf("%s: %+v, of twice as many workgroups %+v", m.Level, m, twice)
		}
	}
}

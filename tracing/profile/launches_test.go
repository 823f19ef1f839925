package profile_test

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/profile"
)

// besideProfile profiles the job in which a small launch runs concurrently with large ones.
func besideProfile(t *testing.T) (*gpu.Result, *profile.Profile) {
	t.Helper()
	job := suite.Must(config.LoadJobWith(os.DirFS("../../experiments/figures/jobs"), "urgent-launch.yaml", []string{"groups=16"}))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job}))(t)
	return profileOf(t, job, m)
}

// Concurrent launches are one step of a profile, which lists each with the phases of the statistics, and separates
// their waves: the slot-cycles of programs by launch are those of the queues.
func TestProfileConcurrentLaunches(t *testing.T) {
	r, p := besideProfile(t)
	s := r.Stats
	if len(p.Steps) != 1 || !p.Steps[0].Concurrent {
		t.Errorf("%d steps, want one of launches beside each other", len(p.Steps))
	}
	i := 0
	slots := map[string]uint64{}
	for _, q := range s.Queues {
		for _, l := range q.Launches {
			want := profile.LaunchProfile{Step: "queues", Queue: q.Name, Name: l.Step, Workgroups: p.Launches[i].Workgroups,
				Packet: l.Packet, Ready: l.Ready, FirstPlaced: l.FirstPlaced, End: l.Done, Busy: l.Done - l.FirstPlaced, Memory: l.Memory, Waits: l.Waits}
			if !reflect.DeepEqual(p.Launches[i], want) || len(l.Memory) != len(p.Levels) || len(l.Waits) == 0 {
				t.Errorf("launch %d is %+v, want %+v", i, p.Launches[i], want)
			}
			i++
		}
	}
	if got := []uint64{p.Launches[0].Workgroups, p.Launches[1].Workgroups, p.Launches[5].Workgroups}; i != 6 || got[0] != 1 || got[1] != 16 || got[2] != 4 {
		t.Errorf("%d launches, workgroups %v: want 6, of 1, 16 and 4", i, got)
	}
	waves := map[string]uint64{}
	for _, k := range p.Kernels {
		slots[k.Launch] += k.Slots.Total()
		waves[k.Launch] += k.Waves
	}
	if waves["begin"] != 1 || waves["large"] != 64 || waves["small"] != 4 {
		t.Errorf("waves by launch %v, want 1, 64 and 4", waves)
	}
	if a, b := slots["begin"]+slots["large"], slots["small"]; a != s.Queues[0].SlotCycles || b != s.Queues[1].SlotCycles {
		t.Errorf("slot-cycles by launch %v, queues %d and %d", slots, s.Queues[0].SlotCycles, s.Queues[1].SlotCycles)
	}
}

// A profile whose launches can't be is refused.
func TestReadRefusesInvalidLaunches(t *testing.T) {
	_, p := besideProfile(t)
	p.Launches[2].End = p.Cycles + 1
	var b bytes.Buffer
	suite.OK(t, p.WriteJSON(&b))
	if _, err := profile.Read(&b); err == nil || !strings.Contains(err.Error(), "launch large") {
		t.Errorf("%v, want an error that names the launch", err)
	}
}

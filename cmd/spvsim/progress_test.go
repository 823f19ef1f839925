package main

import (
	"math"
	"testing"
	"time"

	"spvsim/gpu"
)

// The line shows the completed share of the run: launches count alike, the current one by its workgroups.
func TestProgressText(t *testing.T) {
	for _, c := range []struct {
		p    gpu.Progress
		want string
	}{
		{gpu.Progress{Round: 1, Rounds: 1, Launch: 1, Launches: 1, Ended: 25, Total: 100, Instructions: 9999, Cycle: 7, Nanoseconds: 1500000},
			"25 of 100 workgroups, 9999 instructions, 7 cycles, 1.500 ms simulated, 30 s; 25% done, about 90 s left"},
		{gpu.Progress{Round: 1, Rounds: 1, Launch: 3, Launches: 4, Ended: 1, Total: 2, Instructions: 12e6},
			"launch 3 of 4, 1 of 2 workgroups, 12.0M instructions, 0 cycles, 0.000 ms simulated, 30 s; 62% done, about 18 s left"},
		{gpu.Progress{Round: 2, Rounds: 1000, Launch: 1, Launches: 1, Instructions: 34e9},
			"round 2 of 1000, 0 of 0 workgroups, 34.0G instructions, 0 cycles, 0.000 ms simulated, 30 s; 0% done, about 8.3 h left"},
		{gpu.Progress{Total: 4}, "0 of 4 workgroups, 0 instructions, 0 cycles, 0.000 ms simulated, 30 s"},
	} {
		if got := progressText(c.p, 30*time.Second); got != c.want {
			t.Errorf("found %s\nwant  %s", got, c.want)
		}
	}
}

// The completed share grows from 0 to 1 with a run's rounds, their launches and the workgroups of the current launch,
// in equal steps.
func TestShareOfARun(t *testing.T) {
	for _, rounds := range []int{0, 1, 3} {
		for _, launches := range []int{0, 1, 4} {
			const groups = 5
			all, n := float64(max(rounds, 1)*max(launches, 1)*groups), 0
			for round := range max(rounds, 1) {
				for launch := range max(launches, 1) {
					for ended := range groups {
						p := gpu.Progress{Ended: uint64(ended), Total: groups}
						p.Round, p.Rounds, p.Launch, p.Launches = round+1, rounds, launch+1, launches
						if got, want := shareDone(p), float64(n)/all; math.Abs(got-want) > 1e-12 {
							t.Errorf("%+v: %g, want %g", p, got, want)
						}
						n++
					}
				}
			}
		}
	}
}

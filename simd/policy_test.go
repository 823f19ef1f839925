package simd

import "testing"

func TestPolicies(t *testing.T) {
	slots := func(list ...int) (c []Candidate) {
		for _, s := range list {
			c = append(c, Candidate{Slot: s})
		}
		return c
	}
	seen := map[string]bool{}
	for _, c := range []struct {
		policy string
		ready  []Candidate // oldest first
		last   int
		want   int // slot
	}{
		{"oldest", slots(3, 1, 2), -1, 3},
		{"oldest", slots(3, 1, 2), 1, 3},
		{"greedy", slots(3, 1, 2), 2, 2},
		{"greedy", slots(3, 1, 2), 0, 3},
		{"greedy", slots(3, 1, 2), -1, 3},
		{"round-robin", slots(3, 1, 2), 1, 2},
		{"round-robin", slots(3, 1, 2), 3, 1},
		{"round-robin", slots(3, 1), 1, 3},
		{"round-robin", slots(2), 2, 2},
		{"round-robin", slots(0, 5), -1, 0},
	} {
		seen[c.policy] = true
		got := c.ready[Policies[c.policy](c.ready, c.last)].Slot
		if got != c.want {
			t.Errorf("%s of %v after %d: slot %d, want %d", c.policy, c.ready, c.last, got, c.want)
		}
	}
	for name := range Policies {
		if !seen[name] {
			t.Errorf("%s has no row here", name)
		}
	}
}

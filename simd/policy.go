package simd

// A Candidate is a wave that could issue in this turn.
type Candidate struct {
	Slot int // wave slot of the SIMD
	wave *Wave
}

// A Policy picks the candidate that issues next. Candidates come oldest first
// and there is at least one; last is the slot that issued last.
type Policy func(ready []Candidate, last int) int

// oldest is the policy that a SIMD follows without being told which.
const oldest = "oldest"

// Policies by the name that machine descriptions use.
var Policies = map[string]Policy{
	oldest:        Oldest,
	"greedy":      Greedy,
	"round-robin": RoundRobin,
}

// Oldest picks the wave that has been resident for longest.
func Oldest([]Candidate, int) int { return 0 }

// Greedy stays with the wave that issued last while it is ready, else picks the oldest.
func Greedy(ready []Candidate, last int) int {
	for i := range ready {
		if ready[i].Slot == last {
			return i
		}
	}
	return 0
}

// RoundRobin picks the nearest slot after the one that issued last.
func RoundRobin(ready []Candidate, last int) int {
	best, bestKey := 0, 1<<30
	for i := range ready {
		key := ready[i].Slot - last
		if key <= 0 {
			key += 1 << 20
		}
		if key < bestKey {
			best, bestKey = i, key
		}
	}
	return best
}

package ir

import "testing"

// A colour output's number holds its location and which source it is, each pair another one.
func TestColorBindings(t *testing.T) {
	seen := map[uint32]bool{}
	for location := range uint32(9) {
		for index := range uint32(2) {
			b := ColorBinding(location, index)
			if l, i := SplitColorBinding(b); l != location || i != index || seen[b] {
				t.Errorf("location %d, source %d: %#x gives %d and %d", location, index, b, l, i)
			}
			seen[b] = true
		}
	}
}

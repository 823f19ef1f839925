package concurrent

import "testing"

// Two launches are loose where neither is reached from the other.
func TestLooseLaunches(t *testing.T) {
	const n = 130 // more than two words of bits
	reach := make([][]uint64, n)
	for i := range reach {
		reach[i] = make([]uint64, (n+63)/64)
	}
	pairs := [][2]int{{1, 0}, {70, 3}, {129, 64}, {2, 65}}
	for _, p := range pairs {
		reach[p[0]][p[1]/64] |= 1 << (p[1] % 64)
	}
	for i := range n {
		for j := range n {
			want := true
			for _, p := range pairs {
				want = want && (p != [2]int{i, j}) && (p != [2]int{j, i})
			}
			if got := unordered(reach, i, j); got != want {
				t.Fatalf("launches %d and %d are loose: %t", i, j, got)
			}
		}
	}
}

package scheduler

import "testing"

// The workgroups of a grid come in the order of x, then y, then z, each once.
func TestWorkgroupsOfAGrid(t *testing.T) {
	for _, grid := range [][3]uint32{{1, 1, 1}, {4, 1, 1}, {1, 3, 1}, {1, 1, 5}, {3, 4, 5}, {7, 2, 3}} {
		i := uint64(0)
		for z := range grid[2] {
			for y := range grid[1] {
				for x := range grid[0] {
					if got, want := workgroupAt(i, grid), [3]uint32{x, y, z}; got != want {
						t.Errorf("workgroup %d of %v is %v, want %v", i, grid, got, want)
					}
					i++
				}
			}
		}
	}
}

package cu

// MaxGridSize bounds the workgroups of a launch, so that counting them can't overflow.
const MaxGridSize = 1 << 48

// GridSize is the number of workgroups of a grid; MaxGridSize+1 where there are more than MaxGridSize.
// GridSize is the number of workgroups of a grid; MaxGridSize+1 where there are more than MaxGridSize.
func GridSize(grid [3]uint32) uint64 {
	n := uint64(1)
	for _, size := range grid {
		if size == 0 {
			return 0
		}
		n *= uint64(size)
		if n > MaxGridSize {
			return MaxGridSize + 1
		}
	}
	return n
}

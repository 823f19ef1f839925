package texture

import (
	"math"
	"testing"
)

// A texel beyond a face's edge is the neighbour's that lies in its direction: their centres are less than a texel apart,
// as seen from the middle of the cube.
func TestTexelsOverEdges(t *testing.T) {
	for _, size := range []int{1, 2, 4, 7} {
		centre := func(face, x, y int) (d [3]float64) {
			d = direction(face, (float64(x)+0.5)/float64(size), (float64(y)+0.5)/float64(size))
			length := math.Hypot(math.Hypot(d[0], d[1]), d[2])
			for k := range d {
				d[k] /= length
			}
			return d
		}
		for face := range 6 {
			for i := range size {
				for _, at := range [][2]int{{-1, i}, {size, i}, {i, -1}, {i, size}} {
					to, x, y := overEdge(face, at[0], at[1], size)
					if to == face || x < 0 || y < 0 || x >= size || y >= size {
						t.Fatalf("size %d, %v of face %d is %d %d of face %d", size, at, face, x, y, to)
					}
					a, b := centre(face, at[0], at[1]), centre(to, x, y)
					apart := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
					if apart > 2/float64(size) { // a face is 2 wide, 1 away
						t.Errorf("size %d, %v of face %d is %d %d of face %d, %.2f away", size, at, face, x, y, to, apart)
					}
				}
			}
		}
	}
}

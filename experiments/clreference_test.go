package experiments

import (
	"math"
	"slices"
)

// Jobs in OpenCL C. Their references follow the mathematics, or the sequential algorithm, not the kernels.
func init() {
	references = append(references,
		reference{"cl-stencil", "plate", heated(250, 180, 8), 1e-5},
		reference{"cl-spmv", "y", sparseProduct, 0},
		reference{"cl-bfs", "distance", func(in initial) any { return levelsOf(in) }, 0},
		reference{"cl-bfs", "counts", verticesByLevel, 0},
		reference{"cl-needleman", "score", aligned(256, 3), 0},
		reference{"cl-kmeans", "membership", func(in initial) any { return clustered(in).membership }, 0},
		reference{"cl-kmeans", "centroids", func(in initial) any { return narrow(clustered(in).centroids) }, 1e-5},
		reference{"cl-histogram", "bins", byteCounts, 0},
		reference{"cl-scan", "target", sumsBefore, 0},
		reference{"cl-radix", "keys", sortedKeys, 0},
		reference{"cl-lu", "a", decomposed(128), 1e-4},
		reference{"cl-nbody", "new_bodies", movedBodies, 1e-5},
		reference{"cl-nbody", "new_velocities", pulledVelocities, 1e-5},
		reference{"cl-fft", "target", fourier(1024), 2e-4},
		reference{"cl-montecarlo", "sums", calls(2048, 16, 256), 1e-4},
	)
}

// heated is a plate after some steps of Jacobi's iteration; its edge stays as it is.
func heated(width, height, steps int) func(initial) any {
	return func(in initial) any {
		plate := in.f64("plate")
		for range steps {
			next := slices.Clone(plate)
			for y := 1; y < height-1; y++ {
				for x := 1; x < width-1; x++ {
					i := y*width + x
					next[i] = (plate[i-1] + plate[i+1] + plate[i-width] + plate[i+width]) / 4
				}
			}
			plate = next
		}
		return narrow(plate)
	}
}

// levelsOf is the distance of each vertex from vertex 0, by a queue.
func levelsOf(in initial) []uint32 {
	starts, edges := in.u32("starts"), in.u32("edges")
	distance := slices.Repeat([]uint32{math.MaxUint32}, len(starts)-1)
	distance[0] = 0
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, to := range edges[starts[v]:starts[v+1]] {
			if distance[to] == math.MaxUint32 {
				distance[to] = distance[v] + 1
				queue = append(queue, to)
			}
		}
	}
	return distance
}

func verticesByLevel(in initial) any {
	counts := make([]uint32, len(in["counts"])/4)
	for _, d := range levelsOf(in) {
		if d != math.MaxUint32 {
			counts[d]++
		}
	}
	return counts
}

// aligned fills Needleman and Wunsch's matrix row by row. Bases are A, C, G, T: an equal base scores 2, a transition
// (A and G, C and T) -1, and a transversion -2.
func aligned(n int, gap int32) func(initial) any {
	return func(in initial) any {
		a, b := in["a"], in["b"]
		score := make([]int32, (n+1)*(n+1))
		for y := range n + 1 {
			for x := range n + 1 {
				i := y*(n+1) + x
				if x == 0 || y == 0 {
					score[i] = -gap * int32(x+y)
					continue
				}
				base := int32(-2)
				switch a[x-1] ^ b[y-1] {
				case 0:
					base = 2
				case 2:
					base = -1
				}
				score[i] = max(score[i-n-2]+base, score[i-1]-gap, score[i-n-1]-gap)
			}
		}
		return score
	}
}

type clusters struct {
	membership []int32
	centroids  []float64
}

// clustered does four rounds of Lloyd's algorithm.
func clustered(in initial) clusters {
	points, out := in.f64("points"), clusters{centroids: in.f64("centroids")}
	n, k := len(points)/4, len(out.centroids)/4
	out.membership = make([]int32, n)
	for range 4 {
		sums, counts := make([]float64, 4*k), make([]float64, k)
		for i := range n {
			least := math.Inf(1)
			for c := range k {
				distance := 0.0
				for f := range 4 {
					d := points[f*n+i] - out.centroids[4*c+f]
					distance += d * d
				}
				if distance < least {
					least, out.membership[i] = distance, int32(c)
				}
			}
			c := out.membership[i]
			counts[c]++
			for f := range 4 {
				sums[4*int(c)+f] += points[f*n+i]
			}
		}
		for c := range k {
			for f := range 4 {
				if counts[c] > 0 {
					out.centroids[4*c+f] = sums[4*c+f] / counts[c]
				}
			}
		}
	}
	return out
}

func sumsBefore(in initial) any {
	source := in.u32("source")
	sum := uint32(0)
	for i, v := range source {
		source[i] = sum
		sum += v
	}
	return source
}

func sortedKeys(in initial) any {
	keys := in.u32("keys")
	slices.Sort(keys)
	return keys
}

// decomposed is L below the diagonal and U above, after Doolittle, of the matrix with n on its diagonal added.
func decomposed(n int) func(initial) any {
	return func(in initial) any {
		a := in.f64("a")
		for i := range n {
			a[i*n+i] += float64(n)
		}
		for k := range n {
			for i := k + 1; i < n; i++ {
				a[i*n+k] /= a[k*n+k]
				for j := k + 1; j < n; j++ {
					a[i*n+j] -= a[i*n+k] * a[k*n+j]
				}
			}
		}
		return narrow(a)
	}
}

// calls is the mean discounted payoff of a European call in each workgroup of the job's paths.
func calls(items, pairs, group int) func(initial) any {
	return func(initial) any {
		const spot, strike, rate, volatility, years, seed = 100, 105, 0.03, 0.25, 1.5, 7
		means := make([]float64, items/group)
		for item := range items {
			h := uint32(seed + item)
			h = (h ^ h>>16) * 0x85ebca6b
			h = (h ^ h>>13) * 0xc2b2ae35
			state, counter := h^h>>16, uint32(0)
			uniform := func() float64 {
				state ^= state << 13
				state ^= state >> 17
				state ^= state << 5
				counter += 362437
				return float64((state+counter)>>8+1) / (1 << 24)
			}
			for range pairs {
				radius := math.Sqrt(-2 * math.Log(uniform()))
				sin, cos := math.Sincos(2 * math.Pi * uniform())
				for _, normal := range []float64{radius * cos, radius * sin} {
					end := spot * math.Exp((rate-volatility*volatility/2)*years+volatility*math.Sqrt(years)*normal)
					means[item/group] += max(end-strike, 0) * math.Exp(-rate*years) / float64(2*pairs*group)
				}
			}
		}
		return narrow(means)
	}
}

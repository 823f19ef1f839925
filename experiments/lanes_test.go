package experiments

import "math"

// References of the jobs that use operations between lanes, views of LDS and cube maps.
func init() {
	references = append(references,
		reference{"groupscan-dpp", "sums", blockPrefixes, 0}, reference{"groupscan-dpp", "most", blockMaxima, 0},
		reference{"groupscan-lds", "sums", blockPrefixes, 0}, reference{"groupscan-lds", "most", blockMaxima, 0},
		reference{"groupscan-memory", "sums", blockPrefixes, 0}, reference{"groupscan-memory", "most", blockMaxima, 0},
		reference{"compact", "kept", oddNumbers, 0}, reference{"compact", "counts", oddCounts, 0},
		reference{"transpose-views", "target", transposed, 0},
		reference{"fft-views", "target", fourier(1024), 2e-4},
		reference{"planes", "planes", bytePlanes, 0},
		reference{"environment", "filtered", filteredEnvironment, 0},
		reference{"mipchain", "mip1", mipLevel(1), 0}, reference{"mipchain", "mip2", mipLevel(2), 0}, reference{"mipchain", "mip3", mipLevel(3), 0},
		reference{"mipchain", "mip4", mipLevel(4), 0}, reference{"mipchain", "mip5", mipLevel(5), 0}, reference{"mipchain", "mip6", mipLevel(6), 0},
	)
}

const block = 256

func blockPrefixes(in initial) any {
	out := in.u32("source")
	for i := range out {
		if i%block != 0 {
			out[i] += out[i-1]
		}
	}
	return out
}

func blockMaxima(in initial) any {
	source := in.u32("source")
	out := make([]uint32, len(source)/block)
	for i, x := range source {
		out[i/block] = max(out[i/block], x)
	}
	return out
}

// odd are the odd numbers of each block.
func odd(in initial) (blocks [][]uint32) {
	source := in.u32("source")
	for at := 0; at < len(source); at += block {
		var kept []uint32
		for _, x := range source[at : at+block] {
			if x%2 == 1 {
				kept = append(kept, x)
			}
		}
		blocks = append(blocks, kept)
	}
	return blocks
}

func oddNumbers(in initial) any {
	out := make([]uint32, len(in["kept"])/4)
	for i, kept := range odd(in) {
		copy(out[i*block:], kept)
	}
	return out
}

func oddCounts(in initial) any {
	var out []uint32
	for _, kept := range odd(in) {
		out = append(out, uint32(len(kept)))
	}
	return out
}

// bytePlanes is the first byte of every pixel, then the second of every one, and so on.
func bytePlanes(in initial) any {
	pixels := in["pixels"]
	out := make([]byte, 0, len(pixels))
	for k := range 4 {
		for at := k; at < len(pixels); at += 4 {
			out = append(out, pixels[at])
		}
	}
	return out
}

// mipLevel averages squares of four, level by level, in float32, adding in the order in which the shader does: the
// first level along the square's lanes, the ones by swizzles of quads in pairs, the ones by masked swizzles likewise,
// and the last again one after the other.
func mipLevel(level int) func(in initial) any {
	return func(in initial) any {
		v, side := in.f32("source"), 64
		for l := 1; l <= level; l++ {
			half := make([]float32, side*side/4)
			for i := range half {
				x, y := i%(side/2)*2, i/(side/2)*2
				a, b, c, d := v[y*side+x], v[y*side+x+1], v[(y+1)*side+x], v[(y+1)*side+x+1]
				if l == 1 || l == 6 {
					half[i] = (a + b + c + d) * 0.25
				} else {
					half[i] = ((a + b) + (c + d)) * 0.25
				}
			}
			v, side = half, side/2
		}
		return v
	}
}

// filteredEnvironment looks up the texel for each of 27 directions around a direction, in the face normal to the
// longest axis. Axes are in the order of the cube's faces: ties go to z, then to y.
func filteredEnvironment(in initial) any {
	const side = 16
	faces := in.u32("faces")
	out := make([]uint32, len(in["filtered"])/4)
	for i := range out {
		x, y, z := float32(i*7%61-30)+0.125, float32(i*11%53-26)+0.125, float32(i*5%47-23)+0.125
		for k := range 27 {
			p := [3]float32{x + float32(k%3*2-2), y + float32(k/3%3*2-2), z + float32(k/9*2-2)}
			face, s, t := cubeFace(p)
			at := func(c float32) int { return min(int(c*side), side-1) }
			out[i] += faces[(face*side+at(t))*side+at(s)]
		}
	}
	return out
}

// cubeFace is the table of cube map faces of the OpenGL specification. The coordinates are computed with the
// reciprocal, as drivers do.
func cubeFace(p [3]float32) (face int, s, t float32) {
	abs := func(x float32) float32 { return max(x, -x) }
	x, y, z := abs(p[0]), abs(p[1]), abs(p[2])
	major := 0
	switch {
	case z >= x && z >= y:
		major = 2
	case y >= x:
		major = 1
	}
	table := [6][3]float32{{-p[2], -p[1], p[0]}, {p[2], -p[1], p[0]}, {p[0], p[2], p[1]}, {p[0], -p[2], p[1]}, {p[0], -p[1], p[2]}, {-p[0], -p[1], p[2]}}
	if face = 2 * major; p[major] < 0 {
		face++
	}
	row := table[face]
	scale := 1 / (2 * abs(row[2]))
	place := func(c float32) float32 { return float32(math.FMA(float64(c), float64(scale), 0.5)) }
	return face, place(row[0]), place(row[1])
}

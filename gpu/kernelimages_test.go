package gpu

import (
	"fmt"
	"math"
)

// A clSampler reads texels by the formulas of OpenCL C's "Addressing and filter modes".
type clSampler struct {
	wrap               string // as in a job
	linear, normalized bool
}

func (s clSampler) argument() string {
	return fmt.Sprintf("{filter: %s, wrap: %s, unnormalized: %t}", map[bool]string{false: "nearest", true: "linear"}[s.linear], s.wrap, !s.normalized)
}

// footprint returns the texels of one dimension that a coordinate mixes, and the weight of the second.
func (s clSampler) footprint(x float32, size int) (first, second int, weight float64) {
	u, n := float64(x), float64(size)
	switch {
	case s.wrap == "repeat":
		u = (u - math.Floor(u)) * n
	case s.wrap == "mirror":
		u = math.Abs(u-2*math.RoundToEven(u/2)) * n
	case s.normalized:
		u *= n
	}
	if !s.linear {
		first = s.address(int(math.Floor(u)), size)
		return first, first, 0
	}
	low := math.Floor(u - 0.5)
	return s.address(int(low), size), s.address(int(low)+1, size), u - 0.5 - low
}

// address applies the address mode to a texel's index; -1: the border.
func (s clSampler) address(i, size int) int {
	switch s.wrap {
	case "repeat":
		return (i + size) % size
	case "border":
		if i < 0 || i >= size {
			return -1
		}
	}
	return min(max(i, 0), size-1)
}

// read mixes the texels around a position.
func (s clSampler) read(texels [][4]float32, size [3]int, at ...float32) (out [4]float32) {
	var from [3][2]int
	var weights [3][2]float64
	for k := range from {
		if weights[k][0] = 1; k < len(at) {
			a, b, w := s.footprint(at[k], size[k])
			from[k], weights[k] = [2]int{a, b}, [2]float64{1 - w, w}
		}
	}
	var sum [4]float64
	for corner := range 8 {
		x, y, z := corner&1, corner>>1&1, corner>>2
		i, j, k := from[0][x], from[1][y], from[2][z]
		if i < 0 || j < 0 || k < 0 { // the border of an image with alpha is transparent black
			continue
		}
		for c, v := range texels[(k*size[1]+j)*size[0]+i] {
			sum[c] += weights[0][x] * weights[1][y] * weights[2][z] * float64(v)
		}
	}
	for c := range out {
		out[c] = float32(sum[c])
	}
	return out
}

// coordinatesAround are coordinates within a size and one size around it, none of which is at the edge or the middle of a texel.
func coordinatesAround(n, components, size int) []float32 {
	return made(n*components, func(i int) float32 {
		k := size
		if i%components == 1 {
			k = max(size/2, 1) // images are half as high as wide
		}
		return float32(k) * (float32(noise(i)%3072)/1024 - 1 + 1./4096)
	})
}

var samplers = []clSampler{
	{"border", false, false}, {"clamp", false, false}, {"border", true, false}, {"clamp", true, false},
	{"border", false, true}, {"clamp", false, true}, {"repeat", false, true}, {"mirror", false, true},
	{"border", true, true}, {"clamp", true, true}, {"repeat", true, true}, {"mirror", true, true},
}

// near32 is a bound for filters in single precision.
var near32 = []float64{4}

func init() {
	texels := vectorsOf(made(128, func(i int) float32 { return 1 + float32(noise(i)>>8)/(1<<22) })) // positive, so that no sum is far below its terms
	at := func(x, y int) [4]float32 { return texels[min(max(y, 0), 3)*8+min(max(x, 0), 7)] }
	bytes := le(noises(32))
	integers := made(128, func(i int) int32 { return int32(noise(i)) >> (noise(i+500) % 32) })
	kernelTopics["images"] = []kernelCase{
		{entry: "copied", global: []int{8, 4}, arguments: []any{image{"Rgba32f", left{from: texels}, ""}, image{"Rgba32f", leaves(made(128, func(i int) float32 { return texels[i/4][3-i%4] + 1 })), ""}}},
		{entry: "sampled", global: []int{8, 4}, arguments: []any{image{"Rgba32f", left{from: texels}, ""}, leaves(made(128, func(i int) float32 {
			x, y, k := i/4%8, i/32, i%4
			return texels[(y+3)%4*8+(x+4)%8][k] + at(x-1, y)[k]
		})), leaves([]int32{8, 4})}},
		{entry: "integers", global: []int{8, 4}, arguments: []any{image{"Rgba8ui", left{from: bytes}, ""}, image{"Rgba8ui", leaves(made(128, func(i int) uint8 { return bytes[i] & 63 * 3 })), ""}}},
		{entry: "whole_texels", global: []int{most}, arguments: []any{image{"Rgba8ui", left{from: bytes}, ""}, clSampler{"clamp", false, false}.argument(),
			small(2 * most), leaves(made(4*most, func(i int) uint32 {
				p := small(2 * most)[i/4*2:]
				return 2 * uint32(bytes[4*(min(max(p[1], 0), 3)*8+min(max(p[0], 0), 7))+int32(i%4)])
			}))}},
		{entry: "saturated", global: []int{8, 4}, arguments: []any{integers,
			image{"Rgba8i", leaves(made(128, func(i int) int8 { return int8(min(max(integers[i], -128), 127)) })), ""},
			image{"Rgba16i", leaves(made(128, func(i int) int16 { return int16(min(max(integers[i], -32768), 32767)) })), ""},
			image{"Rgba8ui", leaves(made(128, func(i int) uint8 { return uint8(min(uint32(integers[i]), 255)) })), ""},
			image{"Rgba16ui", leaves(made(128, func(i int) uint16 { return uint16(min(uint32(integers[i]), 65535)) })), ""}}},
	}
	declared := func(p []float32) []float32 {
		return made(4*most, func(i int) float32 {
			x, y := p[i/4*2], p[i/4*2+1]
			return clSampler{"border", true, false}.read(texels, [3]int{8, 4, 1}, x, y)[i%4] + clSampler{"mirror", true, true}.read(texels, [3]int{8, 4, 1}, x, y)[i%4]
		})
	}
	p := coordinatesAround(most, 2, 8)
	kernelTopics["images"] = append(kernelTopics["images"],
		kernelCase{entry: "declared", global: []int{most}, arguments: []any{image{"Rgba32f", left{from: texels}, ""}, p, left{want: declared(p), ulps: near32}}})
	for _, shape := range []struct {
		entry, keys string
		size        [3]int
		components  int // of the coordinate in memory
		used        int // of them, with a filter
	}{
		{"filtered", "", [3]int{8, 4, 1}, 2, 2},
		{"filtered_line", "width: 32", [3]int{32, 1, 1}, 1, 1},
		{"filtered_volume", "width: 4, height: 2, depth: 4", [3]int{4, 2, 4}, 4, 3},
		{"filtered_layer", "width: 4, height: 2, layers: 4", [3]int{4, 2, 4}, 4, 2},
	} {
		for n, s := range samplers {
			size := shape.size[0]
			if s.normalized {
				size = 1
			}
			p := coordinatesAround(most, shape.components, size)
			want := made(4*most, func(i int) float32 {
				at, all := p[i/4*shape.components:], texels
				if shape.used < 3 && shape.size[2] > 1 { // a layer is the nearest, and is never normalized
					layer := int(min(max(math.RoundToEven(float64(at[2])), 0), 3))
					all = texels[8*layer:]
				}
				return s.read(all, shape.size, at[:shape.used]...)[i%4]
			})
			kernelTopics["images"] = append(kernelTopics["images"], kernelCase{entry: shape.entry, after: fmt.Sprint(" ", n), global: []int{most},
				arguments: []any{image{"Rgba32f", left{from: texels}, shape.keys}, s.argument(), p, left{want: want, ulps: near32}}})
		}
	}
}

package experiments

import "slices"

// graphReferences compute the results of the execution graphs without a graph.
var graphReferences = []reference{
	{"classify", "colour", shadedPixels, 0},
	{"classify", "shaded", materialCounts, 0},
	{"coalesced", "bins", sixteenBins, 0},
	{"mariani", "image", func(initial) any { return subdivided().image }, 0},
	{"mariani", "leaves", func(initial) any { return subdivided().leaves[:] }, 0},
	{"rasteriser", "frame", covered(64, 64), 0},
	{"bfs", "distance", distances, 0},
	{"bfs-skewed", "distance", distances, 0},
	{"culling", "image", func(in initial) any { image, _ := culled(in.u32("instances")); return image }, 0},
	{"culling", "leaves", func(in initial) any { _, leaves := culled(in.u32("instances")); return leaves }, 0},
	{"lastsum", "result", growingSums, 0},
	{"sparse", "answers", func(initial) any { return []uint32{1, 0, 0, 1, 0, 0, 0, 1} }, 0},
	{"sparse", "results", func(initial) any { return []uint32{0, 0, 7, 0, 0, 307, 0, 0, 0, 707} }, 0},
	{"shared", "moved", movedParticles, 0},
	{"shared", "cells", particleCells, 0},
	{"indirect", "cells", gridCells, 0},
	{"perlane", "got", handsOfCards, 0},
	{"mesh", "vertices", meshOutput(meshVertices, 32*9*4), 0},
	{"mesh", "heights", meshOutput(meshHeights, 32*9), 0},
	{"mesh", "triangles", meshOutput(meshTriangles, 32*8*3), 0},
	{"mesh", "culled", meshOutput(meshCulled, 32*8), 0},
	{"mesh", "tints", meshOutput(meshTints, 32*8*2), 0},
	{"mesh", "counts", meshOutput(func(uint32, uint32) []uint32 { return []uint32{9, 8} }, 32*2), 0},
	{"hlsl", "out", workGraph, 0},
	{"koch", "vertices", snowflake(4), 0},
}

func init() { references = append(references, graphReferences...) }

func shadedPixels(in initial) any {
	colour := make([]uint32, len(in.u32("material")))
	for p, material := range in.u32("material") {
		colour[p] = shade(material&3, uint32(p))
	}
	return colour
}

func shade(material, p uint32) uint32 {
	out := uint32(0)
	switch material {
	case 0:
		return 3*p + 1
	case 1:
		out = p
		for range 20 {
			out = (out^out>>16)*0x85ebca6b + 1
		}
	case 2:
		for n := p + 1; n != 1; out++ {
			if n%2 == 0 {
				n /= 2
			} else {
				n = 3*n + 1
			}
		}
	case 3:
		for ; p > 0; p /= 10 {
			out += p % 10
		}
	}
	return out
}

func materialCounts(in initial) any {
	counts := make([]uint32, 4)
	for _, material := range in.u32("material") {
		counts[material%4]++
	}
	return counts
}

func sixteenBins(in initial) any {
	bins := make([]uint32, 17)
	for _, b := range in["words"] {
		bins[b/16]++
		bins[16]++
	}
	return bins
}

const mandelSide, mandelLimit = 128, 64

// escape rounds after each operation, as the shader's arithmetic must.
func escape(px, py int) uint32 {
	const pitch = float32(2.5 / mandelSide)
	cx, cy := float32(float32(px)*pitch)-2, float32(float32(py)*pitch)-1.25
	var x, y float32
	for k := range uint32(mandelLimit) {
		xx, yy, xy := float32(x*x), float32(y*y), float32(x*y)
		if !(float32(xx+yy) <= 4) {
			return k
		}
		x, y = float32(float32(xx-yy)+cx), float32(float32(xy+xy)+cy)
	}
	return mandelLimit
}

// A subdivision is an image with the number of workgroups that painted and that worked pixels out.
type subdivision struct {
	image  []uint32
	leaves [2]uint32
}

func subdivided() *subdivision {
	s := &subdivision{image: make([]uint32, mandelSide*mandelSide)}
	s.square(0, 0, mandelSide)
	return s
}

func (s *subdivision) square(x0, y0, side int) {
	same := true
	for i := range side {
		for _, p := range [][2]int{{x0 + i, y0}, {x0 + i, y0 + side - 1}, {x0, y0 + i}, {x0 + side - 1, y0 + i}} {
			same = same && escape(p[0], p[1]) == escape(x0, y0)
		}
	}
	switch half := side / 2; {
	case same:
		s.leaves[0] += uint32(side * side / 64)
		s.leaf(x0, y0, side, func(int, int) uint32 { return escape(x0, y0) })
	case side == 8:
		s.leaves[1]++
		s.leaf(x0, y0, side, escape)
	default:
		s.square(x0, y0, half)
		s.square(x0+half, y0, half)
		s.square(x0, y0+half, half)
		s.square(x0+half, y0+half, half)
	}
}

func (s *subdivision) leaf(x0, y0, side int, steps func(x, y int) uint32) {
	for y := y0; y < y0+side; y++ {
		for x := x0; x < x0+side; x++ {
			s.image[y*mandelSide+x] = steps(x, y)
		}
	}
}

// covered draws whole triangles, neither cut nor binned: of those that cover a pixel's centre the last wins.
func covered(width, height int) func(initial) any {
	return func(in initial) any {
		frame := make([]uint32, width*height)
		vertices := in.u32("vertices")
		for t := range len(vertices) / 6 {
			var v [6]int
			for i := range v {
				v[i] = 4 * int(vertices[6*t+i])
			}
			for p := range frame {
				if inside(v, p%width*16+8, p/width*16+8) {
					frame[p] = uint32(t + 1)
				}
			}
		}
		return frame
	}
}

func inside(v [6]int, x, y int) bool {
	left, right := 0, 0
	for i := 0; i < 6; i += 2 {
		ax, ay, bx, by := v[i], v[i+1], v[(i+2)%6], v[(i+3)%6]
		e := (bx-ax)*(y-ay) - (by-ay)*(x-ax)
		if e >= 0 {
			left++
		}
		if e <= 0 {
			right++
		}
	}
	return left == 3 || right == 3
}

// distances is a breadth-first search with a queue.
func distances(in initial) any {
	starts, edges := in.u32("starts"), in.u32("edges")
	far := slices.Repeat([]uint32{1<<32 - 1}, len(starts)-1)
	far[0] = 0
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, w := range edges[starts[v]:starts[v+1]] {
			if far[w] == 1<<32-1 {
				far[w] = far[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return far
}

// culled draws instances pixel by pixel, and counts patches of the last cut that meet the view, by the number of cuts.
func culled(instances []uint32) (image, leaves []uint32) {
	const first, side = 128, 256 // of the view
	image, leaves = slices.Repeat([]uint32{1<<32 - 1}, side*side), make([]uint32, 3)
	for i := 0; i < len(instances); i += 3 {
		x, y, distance := instances[i], instances[i+1], instances[i+2]
		if distance >= 448 {
			continue
		}
		cuts := 2 - min(distance/128, 2)
		patch, seen := uint32(128)>>(2*cuts), map[[2]uint32]bool{}
		for dy := range uint32(128) {
			for dx := range uint32(128) {
				px, py := x+dx-first, y+dy-first // those before the view wrap around
				if px < side && py < side {
					image[py*side+px] = min(image[py*side+px], 4*distance+cuts)
					seen[[2]uint32{dx / patch, dy / patch}] = true
				}
			}
		}
		leaves[cuts] += uint32(len(seen))
	}
	return image, leaves
}

// growingSums adds up 1, 3, 5 and 7 times 64 numbers; each sum is stored once.
func growingSums(in initial) any {
	out := []uint32{0, 0, 0, 0, 1, 1, 1, 1}
	for i, v := range in.u32("numbers") {
		slot := 0
		for (slot+1)*(slot+1)*64 <= i {
			slot++
		}
		out[slot] += v
	}
	return out
}

func movedParticles(initial) any {
	var out []uint32
	for k := range uint32(128) {
		out = append(out, k*37%64+k%8)
	}
	return out
}

func particleCells(initial) any {
	out := make([]uint32, 8)
	for k := range uint32(128) {
		out[k*37%64/8] += k%8 + 1
	}
	return out
}

// gridCells: a grid of 4 x 4 x 4 for each of four nodes, which run four payloads each.
func gridCells(initial) any {
	cells := make([]uint32, 4*64)
	for i := range uint32(4) {
		a, b, c := i+1, 4-i, (i+2)%4
		for node, size := range [][3]uint32{{a, 1, 1}, {a, b, 1}, {a, b, c}, {c, a, 1}} {
			for cell := range uint32(64) {
				if cell%4 < size[0] && cell/4%4 < size[1] && cell/16 < size[2] {
					cells[uint32(node)*64+cell]++
				}
			}
		}
	}
	return cells
}

func handsOfCards(initial) any {
	got := make([]uint32, 80)
	for i := range got {
		n := uint32(i % 4)
		for place := range n {
			got[i] += place + 100*n + 10000
		}
	}
	return got
}

// meshOutput concatenates the output of each patch that is kept, in the order of the patches; the rest stays zero.
func meshOutput[T float32 | uint32](each func(patch, height uint32) []T, size int) func(initial) any {
	return func(in initial) any {
		var out []T
		for p, h := range in.u32("height") {
			if h < 150 {
				out = append(out, each(uint32(p), h)...)
			}
		}
		return append(out, make([]T, size-len(out))...)
	}
}

func meshVertices(p, h uint32) []float32 {
	var out []float32
	for i := range uint32(9) {
		out = append(out, float32(p%8*2+i%3), float32(p/8*2+i/3), float32(h+i), 1)
	}
	return out
}

func meshHeights(_, h uint32) []float32 {
	var out []float32
	for i := range uint32(9) {
		out = append(out, float32(h+i))
	}
	return out
}

func meshTriangles(uint32, uint32) []uint32 {
	return []uint32{
		0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4,
		3, 4, 7, 3, 7, 6, 4, 5, 8, 4, 8, 7,
	}
}

func meshCulled(p, _ uint32) []uint32 {
	out := make([]uint32, 8)
	for i := range out {
		if (p+uint32(i))%4 == 0 {
			out[i] = 1
		}
	}
	return out
}

func meshTints(p, _ uint32) []uint32 {
	var out []uint32
	for i := range uint32(8) {
		out = append(out, p, i)
	}
	return out
}

// workGraph adds up the work that each of the host's records starts, twice over.
func workGraph(initial) any {
	out := make([]uint32, 64)
	walk := func(key, value uint32) {
		for left := range uint32(4) {
			out[16+key] += left + 1
			out[24+key] += value + left
		}
	}
	for range 2 {
		for _, r := range []struct{ groups, base, scale uint32 }{{2, 0, 3}, {1, 5, 2}, {2, 2, 1}, {2, 2, 1}, {2, 2, 1}} {
			for range r.groups {
				for i := range uint32(16) {
					out[(r.base+i)%8] += i*r.scale + 16
				}
				for i := range uint32(4) {
					walk(i, 1)
				}
				out[32+r.base%4] += 2 * (1 + 2 + 3 + 4)
				out[40]++
			}
		}
		walk(6, 100)
		walk(7, 200)
	}
	return out
}

// snowflake is the ends of all edges of a Koch snowflake, level after level.
func snowflake(depth int) func(initial) any {
	type point [2]float32
	return func(initial) any {
		edges := [][2]point{{{0, 0}, {1, 0}}, {{1, 0}, {0.5, 0.8660254}}, {{0.5, 0.8660254}, {0, 0}}}
		for range depth {
			var finer [][2]point
			for _, e := range edges {
				x, y := float32((e[1][0]-e[0][0])*0.33333334), float32((e[1][1]-e[0][1])*0.33333334)
				one, two := point{e[0][0] + x, e[0][1] + y}, point{e[1][0] - x, e[1][1] - y}
				tip := point{one[0] + (float32(x*0.5) - float32(y*-0.8660254)), one[1] + (float32(x*-0.8660254) + float32(y*0.5))}
				finer = append(finer, [2]point{e[0], one}, [2]point{one, tip}, [2]point{tip, two}, [2]point{two, e[1]})
			}
			edges = finer
		}
		var out []float32
		for _, e := range edges {
			out = append(out, e[0][0], e[0][1], e[1][0], e[1][1])
		}
		return out
	}
}

package experiments

import (
	"encoding/binary"
	"math"
	"math/cmplx"
	"slices"
)

// reference computes the expected content of a job's buffer from the initial buffers, in plain Go.
type reference struct {
	job, buffer string
	want        func(in initial) any // []uint32, []int32 or []float32
	tolerance   float64              // allowed |got-want| <= tolerance * max(1, |want|); 0: the same bits
}

// Jobs whose sums are not exact in 32 bits are compared with a float64 computation. Everything else must agree to the bit.
var references = []reference{
	{"reduce", "output", sumOfInput, 0},
	{"saxpy", "y", saxpy, 0},
	{"vectoradd", "a", vectorAdd, 0},
	{"matmul", "c", matrixProduct, 1e-4},
	{"transpose-plain", "target", transposed, 0},
	{"transpose-padded", "target", transposed, 0},
	{"transpose-swizzled", "target", transposed, 0},
	{"scan", "target", prefixSums, 0},
	{"bitonic", "keys", sortedBlocks(1024), 0},
	{"histogram", "bins", byteCounts, 0},
	{"nbody", "new_bodies", movedBodies, 1e-5},
	{"nbody", "new_velocities", pulledVelocities, 1e-5},
	{"nbody-global", "new_bodies", movedBodies, 1e-5},
	{"nbody-global", "new_velocities", pulledVelocities, 1e-5},
	{"stencil2d", "target", stencil(250, 200), 0},
	{"fft", "target", fourier(1024), 2e-4},
	{"mandelbrot", "steps", escapeTimes(128, 128), 0},
	{"spmv", "y", sparseProduct, 0},
	{"qdot8", "y", quantised8, 0},
	{"koch-queues", "vertices", snowflake(4), 0},
	{"qdot16", "y", quantised16, 0},
	{"gemm", "c", halfProduct(1024), 1e-4},
	{"flash-attention", "o", attention(2), 1e-3}, // weights of 16 bits
	{"peer-fir", "output", filtered, 5e-5},
	{"peer-matmul", "c", matrixProduct, 1e-4},
	{"peer-bitonic", "keys", sortedBlocks(16384), 0},
	{"peer-convolution", "target", convolved(512, 512, 3), 0},
	{"peer-transpose", "target", transposed, 0},
	{"peer-atax", "tmp", ataxRows, 1e-4},
	{"peer-atax", "y", ataxColumns, 1e-4},
}

// initial holds a job's buffers before it runs.
type initial map[string][]byte

func (in initial) u32(name string) []uint32 {
	out := make([]uint32, len(in[name])/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(in[name][4*i:])
	}
	return out
}

func (in initial) f32(name string) []float32 { return floats(in.u32(name)) }

func (in initial) f64(name string) []float64 {
	var out []float64
	for _, v := range in.f32(name) {
		out = append(out, float64(v))
	}
	return out
}

func floats(words []uint32) []float32 {
	out := make([]float32, len(words))
	for i, w := range words {
		out[i] = math.Float32frombits(w)
	}
	return out
}

func narrow(wide []float64) []float32 {
	out := make([]float32, len(wide))
	for i, v := range wide {
		out[i] = float32(v)
	}
	return out
}

// side is the number of rows of a square matrix of that many elements.
func side(elements int) int { return int(math.Sqrt(float64(elements))) }

func sumOfInput(in initial) any {
	sum := 0.0
	for _, v := range in.f64("input") {
		sum += v
	}
	return []float32{float32(sum)}
}

func saxpy(in initial) any {
	x, y := in.f32("x"), in.f32("y")
	for i := range y {
		y[i] += 2 * x[i] // 2x is exact, so it does not matter whether the shader fuses the two
	}
	return y
}

func vectorAdd(in initial) any {
	b, c := in.f32("b"), in.f32("c")
	for i := range b {
		b[i] += c[i]
	}
	return b
}

func matrixProduct(in initial) any {
	a, b := in.f64("a"), in.f64("b")
	n := side(len(a))
	c := make([]float64, n*n)
	for row := range n {
		for k := range n {
			for column := range n {
				c[row*n+column] += a[row*n+k] * b[k*n+column]
			}
		}
	}
	return narrow(c)
}

func transposed(in initial) any {
	source := in.f32("source")
	n := side(len(source))
	target := make([]float32, n*n)
	for row := range n {
		for column := range n {
			target[column*n+row] = source[row*n+column]
		}
	}
	return target
}

func prefixSums(in initial) any {
	source := in.u32("source")
	for i := 1; i < len(source); i++ {
		source[i] += source[i-1]
	}
	return source
}

func sortedBlocks(size int) func(initial) any {
	return func(in initial) any {
		keys := in.u32("keys")
		for block := range slices.Chunk(keys, size) {
			slices.Sort(block)
		}
		return keys
	}
}

func byteCounts(in initial) any {
	bins := make([]uint32, 256)
	for _, b := range in["words"] {
		bins[b]++
	}
	return bins
}

const timeStep, softening = 0.001, 0.01 // as the nbody jobs push them

// pulls are the accelerations of all bodies.
func pulls(bodies []float64) []float64 {
	out := make([]float64, len(bodies))
	for i := 0; i < len(bodies); i += 4 {
		for j := 0; j < len(bodies); j += 4 {
			x, y, z := bodies[j]-bodies[i], bodies[j+1]-bodies[i+1], bodies[j+2]-bodies[i+2]
			f := bodies[j+3] / math.Pow(x*x+y*y+z*z+softening, 1.5)
			out[i] += f * x
			out[i+1] += f * y
			out[i+2] += f * z
		}
	}
	return out
}

func movedBodies(in initial) any {
	bodies, velocities := in.f64("bodies"), in.f64("velocities")
	pull := pulls(bodies)
	for i := range bodies {
		if i%4 != 3 { // the fourth is the mass
			bodies[i] += velocities[i]*timeStep + pull[i]*timeStep*timeStep/2
		}
	}
	return narrow(bodies)
}

func pulledVelocities(in initial) any {
	velocities := in.f64("velocities")
	for i, pull := range pulls(in.f64("bodies")) {
		velocities[i] += pull * timeStep
	}
	return narrow(velocities)
}

func stencil(width, height int) func(initial) any {
	return func(in initial) any {
		source := in.f64("source")
		at := func(x, y int) float64 {
			return source[min(max(y, 0), height-1)*width+min(max(x, 0), width-1)]
		}
		target := make([]float64, width*height)
		for i := range target {
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					weight := 0.25 / float64(int(1)<<(dx*dx+dy*dy))
					target[i] += weight * at(i%width+dx, i/width+dy)
				}
			}
		}
		return narrow(target)
	}
}

// fourier computes each transform's sums by definition.
func fourier(points int) func(initial) any {
	return func(in initial) any {
		roots := make([]complex128, points)
		for i := range roots {
			roots[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(points))
		}
		var out []float32
		for source := range slices.Chunk(in.f64("source"), 2*points) {
			for k := range points {
				var sum complex128
				for i := range points {
					sum += complex(source[2*i], source[2*i+1]) * roots[i*k%points]
				}
				out = append(out, float32(real(sum)), float32(imag(sum)))
			}
		}
		return out
	}
}

// escapeTimes rounds after each operation, as the shader's precise arithmetic does.
func escapeTimes(size, limit int) func(initial) any {
	return func(initial) any {
		pitch := float32(2.5) / float32(size)
		steps := make([]uint32, size*size)
		for i := range steps {
			cx := float32(-2) + float32(float32(i%size)*pitch)
			cy := float32(-1.25) + float32(float32(i/size)*pitch)
			var x, y float32
			for steps[i] < uint32(limit) {
				xx, yy := float32(x*x), float32(y*y)
				if float32(xx+yy) > 4 {
					break
				}
				xy := float32(x * y)
				x, y = float32(float32(xx-yy)+cx), float32(float32(xy+xy)+cy)
				steps[i]++
			}
		}
		return steps
	}
}

func sparseProduct(in initial) any {
	starts, columns, values, x := in.u32("starts"), in.u32("columns"), in.f32("values"), in.f32("x")
	y := make([]float32, len(starts)-1)
	for row := range y {
		for i := starts[row]; i < starts[row+1]; i++ {
			y[row] += values[i] * x[columns[i]] // whole numbers below 2^24: exact
		}
	}
	return y
}

// half converts the few normal halves that the scales are.
func half(b []byte) float32 {
	bits := binary.LittleEndian.Uint16(b)
	return float32(math.Ldexp(1+float64(bits&0x3ff)/1024, int(bits>>10&31)-15))
}

func quantised8(in initial) any {
	w, ws, x, xs := in["weights"], in["weight_scales"], in["x"], in["x_scales"]
	blocks := len(xs) / 2
	y := make([]float32, len(ws)/len(xs))
	for i := range ws[:len(ws)/2] {
		dot := 0
		for j := range 32 {
			dot += int(int8(w[32*i+j])) * int(int8(x[32*(i%blocks)+j]))
		}
		y[i/blocks] += half(ws[2*i:]) * half(xs[2*(i%blocks):]) * float32(dot) // quarters below 2^22: exact
	}
	return y
}

func quantised16(in initial) any {
	w, x := in["weights"], in["x"]
	y := make([]int32, len(w)/len(x))
	for i := 0; i < len(w); i += 2 {
		a := int32(int16(binary.LittleEndian.Uint16(w[i:])))
		b := int32(int16(binary.LittleEndian.Uint16(x[i%len(x):])))
		y[i/len(x)] += a * b >> 8
	}
	return y
}

func filtered(in initial) any {
	coefficients := in.f64("coefficients")
	samples := append(in.f64("history"), in.f64("input")...)
	out := make([]float64, len(in["input"])/4)
	for i := range out {
		for t, c := range coefficients {
			out[i] += c * samples[len(coefficients)+i-t]
		}
	}
	return narrow(out)
}

func convolved(width, height, mask int) func(initial) any {
	return func(in initial) any {
		source, weights := in.u32("source"), in.f32("mask")
		pitch := width + mask - 1
		out := make([]int32, width*height)
		for i := range out {
			sum := float32(0) // halves below 2^23: exact
			for j, weight := range weights {
				sum += weight * float32(source[(i/width+j/mask)*pitch+i%width+j%mask])
			}
			out[i] = int32(sum)
		}
		return out
	}
}

func ataxRows(in initial) any { return narrow(rowSums(in)) }

func rowSums(in initial) []float64 {
	a, x := in.f64("a"), in.f64("x")
	tmp := make([]float64, len(x))
	for i, v := range a {
		tmp[i/len(x)] += v * x[i%len(x)]
	}
	return tmp
}

func ataxColumns(in initial) any {
	tmp := rowSums(in)
	y := make([]float64, len(tmp))
	for i, v := range in.f64("a") {
		y[i%len(tmp)] += v * tmp[i/len(tmp)]
	}
	return narrow(y)
}

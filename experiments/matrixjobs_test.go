package experiments

import (
	"encoding/binary"
	"math"
	"testing"

	"spvsim/gpu"
	"spvsim/isa"
)

// f16 is a buffer of 16-bit floats.
func (in initial) f16(name string) []float64 {
	out := make([]float64, len(in[name])/2)
	for i := range out {
		out[i] = isa.HalfToFloat64(uint64(binary.LittleEndian.Uint16(in[name][2*i:])))
	}
	return out
}

// dot is the product of a row and a column, or of two rows.
func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// halfProduct multiplies A, by rows of k, and B, by columns of k.
func halfProduct(k int) func(initial) any {
	return func(in initial) any {
		a, b := in.f16("a"), in.f16("b")
		m, n := len(a)/k, len(b)/k
		c := make([]float64, 0, m*n)
		for i := range m {
			for j := range n {
				c = append(c, dot(a[i*k:][:k], b[j*k:][:k]))
			}
		}
		return narrow(c)
	}
}

// attention is softmax(Q K^T / 8) V, head by head, the softmax of a whole row.
func attention(heads int) func(initial) any {
	const width = 64
	return func(in initial) any {
		q, k, v := in.f16("q"), in.f16("k"), in.f16("v")
		size := len(q) / heads
		o := make([]float64, len(q))
		for at := 0; at < len(q); at += width {
			head := at / size * size
			weights, total := make([]float64, size/width), 0.0
			for i := range weights {
				weights[i] = math.Exp(dot(q[at:at+width], k[head+i*width:][:width]) / 8)
				total += weights[i]
			}
			for i, w := range weights {
				for d := range width {
					o[at+d] += w / total * v[head+i*width+d]
				}
			}
		}
		return narrow(o)
	}
}

// The results of the matrix jobs do not depend on the unit, its layout of matrices, or the wave size; other sizes, with
// different sides, agree with the references as well.
func TestMatrixJobsOnEveryUnitAndWave(t *testing.T) {
	machines := [][]string{
		{"cdna3-mi300a"}, {"rdna3-rx7900xtx", "wave_size=32"}, {"rdna3-rx7900xtx", "wave_size=64"},
		{"rdna4-like", "wave_size=32"}, {"rdna4-like", "wave_size=64"},
	}
	cases := []struct {
		job, buffer string
		parameters  []string
		want        func(initial) any
		tolerance   float64
	}{
		{"gemm", "c", []string{"m=128", "n=256", "k=32"}, halfProduct(32), 1e-5},
		{"gemm", "c", []string{"m=256", "n=128", "k=96"}, halfProduct(96), 1e-5},
		{"flash-attention", "o", []string{"heads=3", "length=64"}, attention(3), 1e-3},
		{"flash-attention", "o", []string{"heads=1", "length=192"}, attention(1), 1e-3},
	}
	for i, c := range cases {
		for k, on := range machines {
			if testing.Short() && (i+k)%3 != 0 {
				continue
			}
			job, m := settled(t, c.job, on[0], on[1:], c.parameters...)
			r, err := gpu.Run(t.Context(), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e8})
			if r == nil {
				t.Fatalf("%s %v on %v: %v", c.job, c.parameters, on, err)
			}
			for _, b := range r.Buffers {
				if b.Name == c.buffer {
					compare(t, b.Bytes, c.want(contents(t, job)), c.tolerance)
				}
			}
		}
	}
}

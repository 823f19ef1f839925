package energyfit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The method of active sets has the least sum of all choices of which numbers are at which bound, each solved by the normal equations.
func TestBoundedHasTheLeastSum(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(4)
		m := n + r.IntN(4)
		a := mat.NewDense(m, n, nil)
		b, low, high := make([]float64, m), make([]float64, n), make([]float64, n)
		for i := range m {
			b[i] = r.NormFloat64()
			for j := range n {
				a.Set(i, j, r.NormFloat64()*math.Pow(10, float64(r.IntN(5)-2)))
			}
		}
		for j := range n {
			low[j] = r.NormFloat64() - 0.5
			high[j] = low[j] + r.ExpFloat64()
		}
		x := bounded(a, b, low, high)
		for j := range x {
			if x[j] < low[j] || x[j] > high[j] {
				t.Fatalf("seed %d: %g is not in %g..%g", seed, x[j], low[j], high[j])
			}
		}
		if got, want := sumAt(a, b, x), leastSum(a, b, low, high); got > want*(1+1e-9)+1e-15 {
			t.Errorf("seed %d: the sum is %g, the least is %g", seed, got, want)
		}
	}
}

func sumAt(a *mat.Dense, b, x []float64) float64 {
	return sumOfSquares(remainder(a, b, x, make([]bool, len(x))))
}

// leastSum tries each number at its low bound, at its high bound and free.
func leastSum(a *mat.Dense, b, low, high []float64) float64 {
	n := len(low)
	least := math.Inf(1)
	for choice := range int(math.Pow(3, float64(n))) {
		x, free := make([]float64, n), make([]bool, n)
		var set []int
		for j := range n {
			switch choice % 3 {
			case 0:
				x[j] = low[j]
			case 1:
				x[j] = high[j]
			case 2:
				free[j], set = true, append(set, j)
			}
			choice /= 3
		}
		if set != nil {
			some := columns(a, set)
			var normal, right, z mat.Dense
			normal.Mul(some.T(), some)
			right.Mul(some.T(), mat.NewDense(len(b), 1, remainder(a, b, x, free)))
			if z.Solve(&normal, &right) != nil {
				continue
			}
			for k, j := range set {
				x[j] = z.At(k, 0)
			}
		}
		if !slices.ContainsFunc(set, func(j int) bool { return x[j] < low[j] || x[j] > high[j] }) {
			least = min(least, sumAt(a, b, x))
		}
	}
	return least
}

// A product of two numbers is not linear in them: the search finds both, whose product and sum are given.
func TestSolveOfAProduct(t *testing.T) {
	p := &problem{
		residuals: func(x []float64) []float64 { return []float64{x[0]*x[1] - 12, x[0] + 2*x[1] - 10, x[0] - 2*x[1] - 2} },
		low:       []float64{0, 0}, high: []float64{100, 100},
	}
	if x := p.solve([]float64{1, 1}); math.Abs(x[0]-6) > 1e-6 || math.Abs(x[1]-2) > 1e-6 {
		t.Errorf("found %v, want 6 and 2", x)
	}
}

package energyfit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"spvsim/internal/lists"
)

// A problem is the search of the least sum of squares of residuals, with bounds.
type problem struct {
	residuals func(x []float64) []float64
	low, high []float64
}

// Limits of the search.
const (
	maxSteps   = 100
	maxHalved  = 40    // of a step
	stepShare  = 1e-3  // of a number: the distance of the points of a difference quotient
	costShare  = 1e-12 // of the sum: a smaller gain ends the search
	rankShare  = 1e-9  // of the largest singular value: a smaller one is rounding
	boundShare = 1e-9  // of the range: a number that is nearer to an end is there
)

// solve begins at x and returns the numbers with the least sum: by Gauss and Newton's method, whose linear problems have the bounds too. A
// step that raises the sum is halved.
func (p *problem) solve(x []float64) []float64 {
	x = slices.Clone(x)
	r := p.residuals(x)
	for range maxSteps {
		a := p.jacobian(x)
		// The step d has the least |A d + r|, with x + d between the bounds.
		b := make([]float64, len(r))
		low, high := make([]float64, len(x)), make([]float64, len(x))
		for i := range r {
			b[i] = -r[i]
		}
		for j := range x {
			low[j], high[j] = p.low[j]-x[j], p.high[j]-x[j]
		}
		d := bounded(a, b, low, high)
		next, nextR, found := p.shorten(x, d, sumOfSquares(r))
		if !found {
			break
		}
		gain := sumOfSquares(r) - sumOfSquares(nextR)
		x, r = next, nextR
		if gain <= costShare*sumOfSquares(r) {
			break
		}
	}
	return x
}

// shorten halves a step until it lowers the sum.
func (p *problem) shorten(x, d []float64, sum float64) (next, r []float64, found bool) {
	share := 1.0
	for range maxHalved {
		next = make([]float64, len(x))
		for j := range x {
			next[j] = min(max(x[j]+share*d[j], p.low[j]), p.high[j])
		}
		if r = p.residuals(next); sumOfSquares(r) < sum {
			return next, r, true
		}
		share /= 2
	}
	return nil, nil, false
}

// jacobian returns the derivatives of the residuals, as difference quotients within the bounds: exact up to rounding for numbers that the
// residuals are linear in.
func (p *problem) jacobian(x []float64) *mat.Dense {
	var a *mat.Dense
	at := slices.Clone(x)
	for j := range x {
		h := stepShare * math.Abs(x[j])
		if h == 0 {
			h = stepShare * min(1, p.high[j]-p.low[j])
		}
		from, to := max(x[j]-h, p.low[j]), min(x[j]+h, p.high[j])
		at[j] = to
		column := p.residuals(at)
		at[j] = from
		for i, before := range p.residuals(at) {
			column[i] = (column[i] - before) / (to - from)
		}
		at[j] = x[j]
		if a == nil {
			a = mat.NewDense(len(column), len(x), nil)
		}
		a.SetCol(j, column)
	}
	return a
}

func sumOfSquares(list []float64) (s float64) {
	return lists.Sum(list, func(x float64) float64 { return x * x })
}

// bounded returns the x between low and high with the least |A x - b|, by the active set method of Stark and Parker (Bounded-variable least
// squares, Computational Statistics 10, 1995), which is that of Lawson and Hanson with two bounds: numbers at a bound are released one at a
// time, the one with the steepest descent first, and return to the bound that a solution without bounds would cross.
func bounded(a *mat.Dense, b, low, high []float64) []float64 {
	_, n := a.Dims()
	x, free := make([]float64, n), make([]bool, n)
	for j := range x {
		x[j] = min(max(0, low[j]), high[j])
		free[j] = x[j] > low[j] && x[j] < high[j]
	}
	blocked := make([]bool, n) // released, and returned at once: the descent was rounding
	for range 10 * (n + 1) {   // more than any run of the method needs; bounds hold whenever it ends
		for stepToFree(a, b, low, high, x, free) {
		}
		j := steepest(a, b, low, high, x, free, blocked)
		if j < 0 {
			break
		}
		before := x[j]
		free[j] = true
		for stepToFree(a, b, low, high, x, free) {
		}
		if blocked[j] = !free[j] && x[j] == before; !blocked[j] {
			clear(blocked)
		}
	}
	return x
}

// stepToFree moves the free numbers to the solution without bounds, or until the first of them reaches a bound, where it stays: then it
// returns true.
func stepToFree(a *mat.Dense, b, low, high, x []float64, free []bool) bool {
	var set []int
	for j := range free {
		if free[j] {
			set = append(set, j)
		}
	}
	if set == nil {
		return false
	}
	z := minimum(columns(a, set), remainder(a, b, x, free))
	share, first, end := 1.0, -1, 0.0
	for k, j := range set {
		to := min(max(z[k], low[j]), high[j])
		if to == z[k] {
			continue
		}
		if s := (to - x[j]) / (z[k] - x[j]); first < 0 || s < share {
			share, first, end = max(s, 0), j, to
		}
	}
	for k, j := range set {
		x[j] = min(max(x[j]+share*(z[k]-x[j]), low[j]), high[j])
	}
	if first >= 0 {
		x[first], free[first] = end, false
	}
	return first >= 0
}

// remainder is b without the columns of numbers that are not free.
func remainder(a *mat.Dense, b, x []float64, free []bool) []float64 {
	out := slices.Clone(b)
	for i := range out {
		for j := range x {
			if !free[j] {
				out[i] -= a.At(i, j) * x[j]
			}
		}
	}
	return out
}

// steepest is the number at a bound whose release lowers the sum most steeply, in units of its column's length; -1: none does.
func steepest(a *mat.Dense, b, low, high, x []float64, free, blocked []bool) int {
	r := remainder(a, b, x, make([]bool, len(x)))
	length := math.Sqrt(sumOfSquares(r))
	best, most := -1, 0.0
	for j := range x {
		column := mat.Col(nil, j, a)
		norm := math.Sqrt(sumOfSquares(column))
		if free[j] || blocked[j] || norm == 0 || low[j] == high[j] {
			continue
		}
		descent := 0.0
		for i := range r {
			descent += column[i] * r[i] / norm
		}
		if x[j] >= high[j] {
			descent = -descent
		}
		if descent > max(most, rankShare*length) {
			best, most = j, descent
		}
	}
	return best
}

// columns is a matrix of some of another's columns.
func columns(a *mat.Dense, set []int) *mat.Dense {
	m, _ := a.Dims()
	out := mat.NewDense(m, len(set), nil)
	for k, j := range set {
		out.SetCol(k, mat.Col(nil, j, a))
	}
	return out
}

// A decomposition is a matrix with columns of length 1 as U S V^T, with as many singular values as it has columns.
type decomposition struct {
	svd     mat.SVD
	values  []float64 // descending
	v       mat.Dense
	lengths []float64 // of the columns
}

// decompose divides each column by a length, and decomposes the result; nil lengths: their own.
func decompose(a *mat.Dense, lengths []float64) *decomposition {
	m, n := a.Dims()
	d := &decomposition{lengths: lengths}
	if lengths == nil {
		d.lengths = make([]float64, n)
		for j := range n {
			if d.lengths[j] = math.Sqrt(sumOfSquares(mat.Col(nil, j, a))); d.lengths[j] == 0 {
				d.lengths[j] = 1
			}
		}
	}
	scaled := mat.NewDense(max(m, n), n, nil) // rows of zeros give V all of its columns
	for i := range m {
		for j := range n {
			scaled.Set(i, j, a.At(i, j)/d.lengths[j])
		}
	}
	if !d.svd.Factorize(scaled, mat.SVDThin) {
		panic("energyfit: a singular value decomposition does not converge") // of finite numbers, it does
	}
	d.values = d.svd.Values(nil)
	d.svd.VTo(&d.v)
	return d
}

// minimum returns the x with the least |A x - b|, and of these the shortest.
func minimum(a *mat.Dense, b []float64) []float64 {
	d := decompose(a, nil)
	rank := 0
	for rank < len(d.values) && d.values[rank] > rankShare*d.values[0] {
		rank++
	}
	out := make([]float64, len(d.values))
	if rank == 0 {
		return out
	}
	right := mat.NewDense(max(len(b), len(out)), 1, nil)
	for i := range b {
		right.Set(i, 0, b[i])
	}
	var x mat.Dense
	d.svd.SolveTo(&x, right, rank)
	for j := range out {
		out[j] = x.At(j, 0) / d.lengths[j]
	}
	return out
}

// variances returns the diagonal of the inverse of A^T A: the variances of the solution for residuals of variance 1. A has full rank.
func variances(a *mat.Dense) []float64 {
	d := decompose(a, nil)
	out := make([]float64, len(d.values))
	for j := range out {
		for k, s := range d.values {
			x := d.v.At(j, k) / (s * d.lengths[j])
			out[j] += x * x
		}
	}
	return out
}

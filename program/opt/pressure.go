package opt

import "math/bits"

// A pressure holds the live registers along a list of values in its own order, and how many of these were issued.
type pressure struct {
	first int     // before any of them
	rows  []int   // after each
	peaks [][]int // by k: the maximum over 2^k values, starting at each
	came  []bool
	next  int // the first that was not issued
}

func (p *pressure) begin(n, first int) {
	*p = pressure{first: first, rows: make([]int, n), came: make([]bool, n), peaks: p.peaks[:0]}
}

func (p *pressure) set(i, rows int) { p.rows[i] = rows }

// build prepares most: the maximum over n values is that of two halves.
func (p *pressure) build() {
	p.peaks = append(p.peaks, p.rows)
	for n := 2; n <= len(p.rows); n *= 2 {
		half := p.peaks[len(p.peaks)-1]
		list := make([]int, len(p.rows)-n+1)
		for i := range list {
			list[i] = max(half[i], half[i+n/2])
		}
		p.peaks = append(p.peaks, list)
	}
}

// before returns the registers that are live before the i-th value.
func (p *pressure) before(i int) int {
	if i == 0 {
		return p.first
	}
	return p.rows[i-1]
}

// most returns the maximum over values i to j-1.
func (p *pressure) most(i, j int) int {
	k := bits.Len(uint(j-i)) - 1
	return max(p.peaks[k][i], p.peaks[k][j-1<<k])
}

// come notes that the i-th has come.
func (p *pressure) come(i int) {
	if i >= len(p.came) {
		return
	}
	p.came[i] = true
	for p.next < len(p.came) && p.came[p.next] {
		p.next++
	}
}

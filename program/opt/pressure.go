package opt

import "math/bits"

// A pressure is the registers of a list of values in its own order, and how far that has come.
type pressure struct {
	first int     // before any of them
	rows  []int   // after each
	peaks [][]int // by k: the most of 2^k of them, from each on
	came  []bool
	next  int // the first that has not come
}

func (p *pressure) begin(n, first int) {
	*p = pressure{first: first, rows: make([]int, n), came: make([]bool, n), peaks: p.peaks[:0]}
}

func (p *pressure) set(i, rows int) { p.rows[i] = rows }

// build prepares most: the peaks of twice as many are those of two halves.
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

// before is how many there are before the i-th.
func (p *pressure) before(i int) int {
	if i == 0 {
		return p.first
	}
	return p.rows[i-1]
}

// most is the largest of values i up to j.
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

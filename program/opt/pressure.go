package opt

import "math/bits"

// A pressure holds the live registers along a list of values in its own order, and how many of these were issued.
type pressure struct {
	first  int     // before any of them
	rows   []int   // after each
	peaks  [][]int // by k: the maximum over 2^k values, starting at each
	issued []bool
	next   int // the first that was not issued
}

func (p *pressure) reset(n, first int) {
	*p = pressure{first: first, rows: make([]int, n), issued: make([]bool, n), peaks: p.peaks[:0]}
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

// liveBefore returns the registers that are live before the i-th value.
func (p *pressure) liveBefore(i int) int {
	if i == 0 {
		return p.first
	}
	return p.rows[i-1]
}

// maxBetween returns the maximum over values i to j-1.
func (p *pressure) maxBetween(i, j int) int {
	k := bits.Len(uint(j-i)) - 1
	return max(p.peaks[k][i], p.peaks[k][j-1<<k])
}

// issue notes that the i-th has come.
func (p *pressure) issue(i int) {
	if i >= len(p.issued) {
		return
	}
	p.issued[i] = true
	for p.next < len(p.issued) && p.issued[p.next] {
		p.next++
	}
}

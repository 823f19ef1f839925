package simd

// Recent is how many instructions the SIMDs of a unit issued in each of the last cycles. Units go ahead of the engine, and who asks what was
// issued before a cycle leaves out what came from that cycle on.
type Recent struct {
	issued []uint16 // by cycle modulo their number, a power of two
	last   uint64   // the latest cycle
}

// NewRecent keeps at least so many cycles.
func NewRecent(cycles int) *Recent {
	n := 1
	for n < cycles {
		n *= 2
	}
	return &Recent{issued: make([]uint16, n)}
}

func (r *Recent) at(cycle uint64) *uint16 { return &r.issued[cycle&uint64(len(r.issued)-1)] }

// add counts an instruction. SIMDs take turns that they put off after later ones of others; what is too long ago for the list is not asked about.
func (r *Recent) add(cycle uint64) {
	n := uint64(len(r.issued))
	if cycle > r.last {
		for c := max(r.last+1, cycle-min(cycle, n-1)); c <= cycle; c++ {
			*r.at(c) = 0
		}
		r.last = cycle
	}
	if cycle+n > r.last {
		*r.at(cycle)++
	}
}

// From is how many were issued from a cycle on, which is one of the last.
func (r *Recent) From(cycle uint64) (sum uint64) {
	for ; cycle <= r.last; cycle++ {
		sum += uint64(*r.at(cycle))
	}
	return sum
}

// Recent issues: needed because units go ahead of the engine (host_visibility.go). A sampler that asks in cycle c for what was issued
// before c takes off what units have already issued from c on.
//
// Law: From(c) is what a list of all issues has from c on, for the last cycles.
//
// Test: TestRecent.

package simd

import "spvsim/isa"

// Recent counts the instructions of each class that the SIMDs of a unit issued in each of the last cycles.
type Recent struct {
	issued [][isa.NumClasses]uint16 // by cycle modulo their number, a power of two
	last   uint64                   // the latest cycle
}

// NewRecent makes one for at least so many cycles.
func NewRecent(cycles int) *Recent {
	n := 1
	for n < cycles {
		n *= 2
	}
	return &Recent{issued: make([][isa.NumClasses]uint16, n)}
}

func (r *Recent) countsOf(cycle uint64) *[isa.NumClasses]uint16 {
	return &r.issued[cycle&uint64(len(r.issued)-1)]
}

// add counts an instruction. SIMDs run postponed issue cycles after later ones of others; what is too long ago is not asked for.
func (r *Recent) add(cycle uint64, class isa.Class) {
	n := uint64(len(r.issued))
	if cycle > r.last {
		for c := max(r.last+1, cycle-min(cycle, n-1)); c <= cycle; c++ {
			*r.countsOf(c) = [isa.NumClasses]uint16{}
		}
		r.last = cycle
	}
	if cycle+n > r.last {
		r.countsOf(cycle)[class]++
	}
}

// IssuedFrom returns how many of each class were issued from a cycle on, one of the last.
func (r *Recent) IssuedFrom(cycle uint64) (sum [isa.NumClasses]uint64) {
	for ; cycle <= r.last; cycle++ {
		for class, n := range r.countsOf(cycle) {
			sum[class] += uint64(n)
		}
	}
	return sum
}

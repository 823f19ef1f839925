package isa

import "math"

// sinF32 and cosF32 round the results of package math for doubles once, and are equal to them in every bit. If an angle
// is 2^29 or more, or not a number, they write nothing and return false.
//
//go:noescape
func sinF32(d, a *uint32, lanes int) (done bool)

//go:noescape
func cosF32(d, a *uint32, lanes int) (done bool)

var trigRows = map[loopKey]struct {
	wide func(d, a *uint32, lanes int) bool
	lane func(float64) float64
}{
	{Sin, F32, Void}: {sinF32, math.Sin}, {Cos, F32, Void}: {cosF32, math.Cos},
}

// resolveTrig is resolveRows for sines and cosines.
func resolveTrig(key loopKey) func(*State, *Inst) {
	f, ok := trigRows[key]
	if !ok {
		return nil
	}
	return func(st *State, in *Inst) {
		d, a := st.target(in), st.row(in.Src[0], 0)
		if !f.wide(&d[0], &a[0], len(d)) {
			for l, x := range a[:len(d)] {
				d[l] = word32(float32(f.lane(float64(float(x)))))
			}
		}
		st.merge(in, d)
	}
}

package hierarchy

import "spvsim/mem/fixed"

// latencyFIFOs keep the loads of compute units, hits and misses alike, from the lookup in the vector cache to the
// return of their data, in the order of issue. A load returns after those before it. While all entries are held, the
// address path stalls.
type latencyFIFOs struct {
	entries uint64 // of a compute unit: a load holds one for each cycle that it takes the address path
	units   []latencyFIFO
	delays  []uint64 // of the lines of the current request
}

// A latencyFIFO holds the loads of one compute unit.
type latencyFIFO struct {
	loads    []heldLoad // the oldest first
	returned int        // of them, those that have returned
	held     uint64     // entries of the others
	last     uint64     // cycle in which the youngest returns
}

type heldLoad struct{ entries, until uint64 }

// newLatencyFIFOs returns nil where loads have no limit.
func newLatencyFIFOs(entries, units int) *latencyFIFOs {
	if entries == 0 {
		return nil
	}
	return &latencyFIFOs{entries: uint64(entries), units: make([]latencyFIFO, units)}
}

// holds reports whether a request takes entries.
func (x *latencyFIFOs) holds(r *Request) bool {
	return x != nil && r.Kind == Read && !r.Scalar && len(r.Lines) > 0
}

// takes returns the entries of a load: one for each cycle of the address path, at most the whole FIFO.
func (x *latencyFIFOs) takes(r *Request) uint64 { return min(max(1, r.Busy), x.entries) }

// wait returns the cycles that each line of a load waits for its entries and its translation (translated; nil: none).
// The first line comes at a fixed-point time, each other one a step later. full is what entries add to translations,
// stall the cycle until which the load stalls its address path.
func (x *latencyFIFOs) wait(r *Request, at, step uint64, translated []uint64) (delays []uint64, full, stall uint64) {
	u, n, lines := &x.units[r.CU], x.takes(r), uint64(len(r.Lines))
	x.delays = x.delays[:0]
	for i := range lines {
		cycle, delay, waited := at>>fixed.Shift, uint64(0), uint64(0)
		if translated != nil {
			delay = translated[i]
		}
		if free := u.free(max(cycle, stall), x.entries-(n*(i+1)+lines-1)/lines); free > cycle {
			waited, stall = free-cycle, free
		}
		full += max(waited, delay) - delay
		x.delays = append(x.delays, max(waited, delay))
		at += step
	}
	return x.delays, full, stall
}

// free returns the first cycle, from one on, in which at most a number of entries are held.
func (u *latencyFIFO) free(cycle, most uint64) uint64 {
	for u.returned < len(u.loads) && (u.held > most || u.loads[u.returned].until <= cycle) {
		oldest := u.loads[u.returned]
		cycle = max(cycle, oldest.until)
		u.held -= oldest.entries
		u.returned++
	}
	if 2*u.returned > len(u.loads) {
		u.loads, u.returned = u.loads[:copy(u.loads, u.loads[u.returned:])], 0
	}
	return cycle
}

// push holds the entries of a load whose lines are there in a cycle, and returns the cycle in which the load returns:
// not before the load before it.
func (x *latencyFIFOs) push(r *Request, ready uint64) uint64 {
	u, n := &x.units[r.CU], x.takes(r)
	u.last = max(u.last, ready)
	u.loads = append(u.loads, heldLoad{n, u.last})
	u.held += n
	return u.last
}

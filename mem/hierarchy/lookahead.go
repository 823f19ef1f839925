package hierarchy

// HitLatency is that of the cache that a load meets first.
func (f *Analytic) HitLatency(scalar bool) uint64 {
	if scalar {
		return f.levels[1].latency
	}
	return f.levels[0].latency
}

// FreeMSHRs is how many lines of a compute unit may miss in its vector cache from cycle now on before one has to wait for a free miss
// entry: none where they may have to wait for a free walker, which other units' lines take as well, or for an entry of the latency FIFO,
// of which lines say nothing.
func (f *Analytic) FreeMSHRs(cu int, now uint64) int {
	if f.l2TLB.limitsWalkers() || f.fifos != nil {
		return 0
	}
	return f.front(&Request{CU: cu}).freeMSHRs(now)
}

// anyNumber is more lines than all units have under way.
const anyNumber = 1 << 30

// FreeMSHRs is how many misses find free entries from cycle now on, whichever slice they go to: none where other units' do as well.
func (c *cache) freeMSHRs(now uint64) int {
	switch {
	case c.Misses == 0 && c.Requests == 0:
		return anyNumber
	case c.SharedBy != 1:
		return 0
	}
	free := anyNumber
	for i := range c.slices {
		free = c.slices[i].misses.FreeEntries(now, c.slices[i].requests.FreeEntries(now, free))
	}
	return free
}

package hierarchy

import (
	"testing"

	"spvsim/mem/contention"
)

// A read of n lines through a path with k lines in flight takes the path's latency once for each k lines, those of parts of
// lines at both ends included. Without a limit it takes the latency once.
func TestFetchPath(t *testing.T) {
	const cycles, line = 100, 64
	for _, c := range []struct{ inFlight, addr, bytes, lines int }{
		{1, 0, 64, 1}, {1, 0, 65, 2}, {1, 60, 8, 2}, {2, 0, 64 * 5, 5}, {4, 32, 64 * 4, 5}, {8, 0, 64 * 64, 64}, {3, 64, 0, 1},
	} {
		p := &FetchPath{cycles: cycles, line: line}
		p.inFlight = contention.NewQueue(c.inFlight, &p.now)
		turns := uint64((c.lines + c.inFlight - 1) / c.inFlight)
		if got := p.Read(1000, uint64(c.addr), uint64(c.bytes), false); got != 1000+turns*cycles {
			t.Errorf("%d bytes at %d, %d lines in flight: come in cycle %d, want %d", c.bytes, c.addr, c.inFlight, got, 1000+turns*cycles)
		}
		free := &FetchPath{cycles: cycles, line: line}
		if got := free.Read(1000, uint64(c.addr), uint64(c.bytes), false); got != 1000+cycles {
			t.Errorf("%d bytes at %d without a limit: come in cycle %d, want %d", c.bytes, c.addr, got, 1000+cycles)
		}
	}
}

// A machine without latency of such a path has none.
func TestNoFetchPath(t *testing.T) {
	if p := NewFetchPath(&FetchSpec{FetchBytes: 64}, nil); p != nil {
		t.Errorf("found %+v", p)
	}
}

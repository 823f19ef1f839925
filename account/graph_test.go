package account

import "testing"

func TestWaitsAreSummed(t *testing.T) {
	for _, c := range []struct {
		waits []uint32
		want  WaitSummary
	}{
		{nil, WaitSummary{}},
		{[]uint32{7}, WaitSummary{7, 7, 7, 7}},
		{[]uint32{4, 2, 0}, WaitSummary{2, 2, 4, 4}},
		{ramp(100), WaitSummary{49.5, 49, 94, 99}},
		{ramp(20), WaitSummary{9.5, 9, 18, 19}},
	} {
		n := NodeCounts{Waits: c.waits}
		if got := n.Wait(); got != c.want {
			t.Errorf("%v: %v, want %v", c.waits, got, c.want)
		}
	}
}

// ramp is n-1 down to 0.
func ramp(n int) (list []uint32) {
	for i := range n {
		list = append(list, uint32(n-1-i))
	}
	return list
}

package hierarchy

import (
	"math"
	"math/bits"
	"math/rand"
	"testing"

	"spvsim/mem/fixed"
)

func rdnaBanks() BankSpec {
	return BankSpec{Banks: 32, BankBytes: 4, BankCycles: 2, GroupBytes: 64, TagsPerCycle: 2}
}

// slowBanks is what gather says, counted with maps and a group at a time.
func slowBanks(s *BankSpec, addr *[64]uint64, mask, size uint64, line uint64) (cycles float64) {
	n := 1
	for size*uint64(2*n) <= uint64(s.GroupBytes) && 2*n <= s.GroupBytes/4 {
		n *= 2
	}
	pair := 0.0
	for first := 0; first < 64; first += n {
		words, lines, blocks := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
		for l := first; l < first+n; l++ {
			for at := addr[l]; mask>>l&1 != 0 && at < addr[l]+size; at++ {
				words[at/uint64(s.BankBytes)], lines[at/line], blocks[at/uint64(s.GroupBytes)] = true, true, true
			}
		}
		var inBank [64]int
		most := 0
		for w := range words {
			inBank[w%uint64(s.Banks)]++
			most = max(most, inBank[w%uint64(s.Banks)])
		}
		var side [2]int
		for l := range lines {
			side[bits.OnesCount64(l&uint64(s.TagParity))%2]++
		}
		lookups := float64(max(side[0], side[1])) / s.TagsPerCycle
		if s.TagParity != 0 {
			lookups *= 2
		}
		switch {
		case len(words) == 0:
		case len(blocks) == 1 && size != 8:
			pair++
		default:
			pair += max(float64(most)*s.BankCycles, lookups)
		}
		if first/n%2 == 0 && n < 64 {
			continue
		}
		low, high := uint64(math.MaxUint64), uint64(0)
		for l := max(0, first-n); l < first+n; l++ {
			if mask>>l&1 != 0 {
				low, high = min(low, addr[l]), max(high, addr[l]+size)
			}
		}
		row := uint64(s.Banks * s.BankBytes)
		if size < 8 && high > low && high-low <= row {
			pair = min(pair, float64(row/uint64(s.GroupBytes)))
		}
		cycles, pair = cycles+pair, 0
	}
	return cycles
}

func TestBanksAreCounted(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var c BankCounts
	for range 3000 {
		s := rdnaBanks()
		s.Banks, s.GroupBytes, s.TagParity = 16<<r.Intn(3), 64>>r.Intn(2), []int{0, 1, 51}[r.Intn(3)]
		b, size, shift := NewDataBanks(&s), uint64(1)<<r.Intn(6), uint(6+r.Intn(2))
		addr, mask := randomLanes(r, size)
		if got, want := b.GatherTime(&c, addr, mask, size, shift), slowBanks(&s, addr, mask, size, 1<<shift); float64(got) != want*(1<<fixed.Shift) {
			t.Fatalf("%+v, %d bytes a lane at %v, lanes %#x: %g cycles, want %g", s, size, *addr, mask, float64(got)/(1<<fixed.Shift), want)
		}
		if less := mask & r.Uint64(); b.GatherTime(&c, addr, less, size, shift) > b.GatherTime(&c, addr, mask, size, shift) {
			t.Fatalf("%+v, %d bytes a lane at %v: lanes %#x take longer than %#x", s, size, *addr, less, mask)
		}
	}
}

// randomLanes are 64 lanes a stride apart, or anywhere in a table, some of them active.
func randomLanes(r *rand.Rand, size uint64) (addr *[64]uint64, mask uint64) {
	addr, mask = new([64]uint64), 1<<64-1
	start, stride, table := uint64(r.Intn(1024))*min(size, 4), size*uint64(r.Intn(40)), r.Intn(3) == 0
	for l := range addr {
		addr[l] = start + uint64(l)*stride
		if table {
			addr[l] = start + uint64(r.Intn(512))*size
		}
	}
	if r.Intn(2) == 0 {
		mask = r.Uint64()
	}
	return addr, mask
}

// Lanes in a row take as long as the same lanes one by one.
func TestBanksOfLanesInARow(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	var c BankCounts
	for range 1000 {
		s := rdnaBanks()
		s.TagParity = []int{0, 51}[r.Intn(2)]
		b, size := NewDataBanks(&s), uint64(4*(1+r.Intn(4)))
		start, n := uint64(4*r.Intn(512)), 32<<r.Intn(2)
		var addr [64]uint64
		for l := range addr {
			addr[l] = start + uint64(l)*size
		}
		got, want := b.SpanTime(start, uint64(n)*size, size, 7), b.GatherTime(&c, &addr, 1<<n-1, size, 7)
		if got != want {
			t.Fatalf("%d lanes of %d bytes from %d on: %d in a row, %d one by one", n, size, start, got, want)
		}
	}
}

func TestTooFewBanks(t *testing.T) {
	s := rdnaBanks()
	if s.Banks = 8; len(s.Check()) != 1 {
		t.Errorf("8 banks of 4 bytes for groups of 64 bytes: %v, want one problem", s.Check())
	}
	if s.Banks = 0; s.Check() != nil {
		t.Errorf("no banks: %v, want no problem", s.Check())
	}
}

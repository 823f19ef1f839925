package dram

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// mapOf is a standard's address map.
func mapOf(t *testing.T, s *Standard, hash bool) *addressMap {
	t.Helper()
	m, err := newAddressMap(s, s.AddressMap, hash)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return m
}

// The bits of a channel's addresses as Linux has them: of CDNA 3 in umc_v12_0.c (from an error's address to a normalised one: columns
// at 5, 6, 8, 9 and 14, banks 0 to 3 at 12, 13, 10 and 11, rows from 15 on, the pseudo-channel at 7, the stack ID at 29), of CDNA 2 in
// umc_v6_7.h (columns 2 to 4 at bits 17 to 19 of an address of 32 channels, bits 12 to 14 of a channel's, row 14 at 34, 29 of a channel's).
func TestAddressMapsOfLinux(t *testing.T) {
	col, pc, row, sid := place{}, place{pseudoChannel: 1}, func(n uint64) place { return place{row: 1 << n} }, place{bank: 16}
	bank := func(n uint64) place { return place{bank: 1 << n, group: 1 << n >> 2} }
	for name, want := range map[string]map[uint]place{
		"HBM3":  {5: col, 6: col, 7: pc, 8: col, 9: col, 10: bank(2), 11: bank(3), 12: bank(0), 13: bank(1), 14: col, 15: row(0), 16: row(1), 28: row(13), 29: sid},
		"HBM2e": {12: col, 13: col, 14: col, 29: row(14)},
	} {
		s, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		m := mapOf(t, s, false)
		for bit, p := range want {
			if got := m.locate(1 << bit); got != p {
				t.Errorf("%s: bit %d is of %+v, want %+v", name, bit, got, p)
			}
		}
	}
}

// Linux' masks of the bank hash (umc_v12_0.h: 0x11111, 0x22222, 0x4444 and 0x8888 of the row for banks 0 to 3).
func TestBankHashOfLinux(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		plain, hashed := mapOf(t, c.Standard, false), mapOf(t, c.Standard, true)
		r := rand.New(rand.NewPCG(5, 5))
		for range 1000 {
			addr := r.Uint64() & (1<<31 - 1)
			p, h, flip := plain.locate(addr), hashed.locate(addr), uint64(0)
			for i, mask := range []uint64{0x11111, 0x22222, 0x4444, 0x8888} {
				flip |= uint64(bits.OnesCount64(p.row&mask)&1) << i
			}
			if h.bank != p.bank^flip || h.row != p.row || h.group != h.bank&15>>2 {
				t.Fatalf("%x: from %+v to %+v, want another bank by %x", addr, p, h, flip)
			}
		}
	})
}

// Each row of each bank has as many bursts as it has columns: no two addresses are in one place.
func TestAddressMapsAreBijective(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		for _, hash := range []bool{false, true} {
			m, rows := mapOf(t, c.Standard, hash), map[place]int{}
			const bytes = 4 << 20
			for _, base := range []uint64{0, 5 << 24, 3 << 27} {
				for a := uint64(0); a < bytes; a += uint64(c.Standard.BurstBytes) {
					rows[m.locate(base+a)]++
				}
			}
			for p, n := range rows {
				if n != c.Standard.RowBytes/c.Standard.BurstBytes || p.bank >= uint64(c.Standard.Groups*c.Standard.Banks) {
					t.Fatalf("hash %t: %+v has %d bursts", hash, p, n)
				}
			}
			if want := 3 * bytes / c.Standard.RowBytes; len(rows) != want {
				t.Errorf("hash %t: %d rows, want %d", hash, len(rows), want)
			}
		}
	})
}

// Of a line of 128 bytes, at least three of four bursts go to a row that is open, however many streams of lines there are.
func TestStreamsHitRows(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		for _, streams := range []int{1, 7, 64, 1000} {
			m := New(c)
			stream(c, m, 20000, never, func(i int) uint64 { return uint64(i%streams)*(9<<16+1<<13) + uint64(i/streams)*128 })
			least := 0.75
			if streams == 1 {
				least = 0.96
			}
			if n := m.Counts(); float64(n.Hits) < least*float64(n.Bytes)/32 {
				t.Errorf("%d streams: %d of %d bursts hit", streams, n.Hits, n.Bytes/32)
			}
		}
	})
}

// Activations of banks of one group are RRDL apart, those of others RRDS.
func TestActivationsOfGroups(t *testing.T) {
	forAll(t, func(t *testing.T, c *Config) {
		x := &c.Standard.Timings
		for _, same := range []bool{false, true} {
			ch := &New(c).channels[0]
			var at [2]uint64
			for i := range at {
				g := &ch.activated[0]
				if !same {
					g = &ch.activated[i]
				}
				b := &ch.banks[i]
				ch.change(1, b, g, 0)
				at[i] = b.bankTiming[Precharge] - units(x.RAS, perNs)
			}
			least := x.RRDS
			if same {
				least = x.RRDL
			}
			if apart := at[1] - at[0]; apart < units(least, perNs) || apart > units(max(least, x.FAW/4)+x.activations(), perNs) {
				t.Errorf("in one group %t: %d apart, want %g ns", same, apart, least)
			}
		}
	})
}

// A map names each bit of a bank's number and of a column once.
func TestAddressMapsThatAreRefused(t *testing.T) {
	s, err := Find("HBM3")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"col", "col0-pc1", "col5-pc1-bg2-ba2-row14", "col5-pc1-bg2-ba3", "col4-pc1-bg2-ba3-row14", "col5-bg2-ba3-row14", "col5-pc1-bg3-ba2-row14", "col5-pc1-xy2-ba3-row14"} {
		if CheckMap(s, text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if err := CheckMap(s, "col3-bg2-pc1-ba3-col2-row14"); err != nil {
		t.Error(err)
	}
}

package dram

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A field is a part of an address within a channel.
type field struct {
	shift, to uint // lowest bit in the address, and in the number that the field is a part of
	mask      uint64
}

// A number is made of fields.
type number []field

func (n number) of(addr uint64) (v uint64) {
	for i := range n {
		v |= addr >> (n[i].shift & anyShift) & n[i].mask << (n[i].to & anyShift)
	}
	return v
}

// An addressMap says which bits of an address within a channel choose the pseudo-channel, the bank group, the bank, the
// stack ID and the row; the rest are columns.
type addressMap struct {
	pseudoChannel, group, bank, stackID, row number
	bankBits                                 uint   // of a bank group and a stack ID
	groupMask, bankMask                      uint64 // of the group's number, and of group and bank together
	pseudoMask                               uint64
	inRow                                    uint64 // mask of consecutive bytes in one row
	hash                                     bool
}

// CheckMap says what is wrong with an address map of a standard.
func CheckMap(s *Standard, text string) error {
	_, err := newAddressMap(s, text, false)
	return err
}

// newAddressMap reads an address map: names of fields with their bits and dashes between, from the lowest bit above a burst on. Where the row is last,
// all bits beyond are its own.
func newAddressMap(s *Standard, text string, hash bool) (*addressMap, error) {
	m := &addressMap{hash: hash, groupMask: uint64(s.Groups - 1), pseudoMask: uint64(s.PseudoChannels - 1)}
	numbers := map[string]*number{"pc": &m.pseudoChannel, "bg": &m.group, "ba": &m.bank, "sid": &m.stackID, "row": &m.row, "col": nil}
	width, shift := map[string]uint{}, log2(s.BurstBytes)
	m.inRow = 1<<shift - 1
	for _, word := range strings.Split(text, "-") {
		name := strings.TrimRight(word, "0123456789")
		n, known := numbers[name]
		count, err := strconv.ParseUint(word[len(name):], 10, 5)
		if !known || err != nil || count == 0 {
			return nil, fmt.Errorf("found %q: want col, pc, bg, ba, sid or row with a number of bits", word)
		}
		if n != nil {
			*n = append(*n, field{shift, width[name], 1<<count - 1})
		} else if shift == uint(bits.Len64(m.inRow)) {
			m.inRow = 1<<(shift+uint(count)) - 1
		}
		width[name] += uint(count)
		shift += uint(count)
	}
	if n := len(m.row); n > 0 && m.row[n-1].shift+uint(bits.Len64(m.row[n-1].mask)) == shift {
		m.row[n-1].mask = ^uint64(0)
	}
	m.bankBits = width["ba"]
	m.bankMask = 1<<(log2(s.Groups)+m.bankBits) - 1
	for _, c := range []struct {
		name       string
		have, want uint
	}{{"col", width["col"], log2(s.RowBytes / s.BurstBytes)}, {"pc", width["pc"], log2(s.PseudoChannels)}, {"bg", width["bg"], log2(s.Groups)},
		{"ba and sid together", width["ba"] + width["sid"], log2(s.Banks)}} {
		if c.have != c.want {
			return nil, fmt.Errorf("found %d bits of %s: %s has %d", c.have, c.name, s.Name, c.want)
		}
	}
	if width["row"] == 0 {
		return nil, fmt.Errorf("found no bits of row")
	}
	return m, nil
}

// A place is where a burst lies: numbers of the pseudo-channel, of the bank group in it, of the bank among all of its banks,
// and of the row.
type place struct {
	pseudoChannel, group, bank, row uint64
}

// locate finds the place of an address. A hash adds bits of the row to those of the bank, bit i to bit i modulo their number, and
// the parity of both to the pseudo-channel, so that strides of a power of two come to all of them.
func (m *addressMap) locate(addr uint64) (p place) {
	p.row = m.row.of(addr)
	b := m.group.of(addr)<<(m.bankBits&anyShift) | m.bank.of(addr)
	p.pseudoChannel = m.pseudoChannel.of(addr)
	if m.hash {
		n := uint(bits.Len64(m.bankMask))
		for row := p.row; row != 0; row >>= n & anyShift {
			b ^= row & m.bankMask
		}
		p.pseudoChannel ^= uint64(bits.OnesCount64(b)) & m.pseudoMask
	}
	p.group = b >> (m.bankBits & anyShift)
	p.bank = m.stackID.of(addr)<<(uint(bits.Len64(m.bankMask))&anyShift) | b
	return p
}

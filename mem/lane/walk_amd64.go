package lane

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// wide says that the processor has the instructions of walk_amd64.s.
var wide = cpu.X86.HasAVX2

// walkAVX is Walk.slow for a multiple of eight lanes: a tenth of its time.
// differ is not 0 where the offsets do not follow each other by the stride.
//
//go:noescape
func walkAVX(off, index *uint32, lanes int, s *AddressParams) (last, bits, differ uint32, starts uint64)

// walkBytesAVX is walkAVX without lines.
//
//go:noescape
func walkBytesAVX(off, index *uint32, lanes int, s *AddressParams) (last, differ uint32)

// gatherAVX, and gather2AVX and gather4AVX for two and four words of a lane, are
// Walk.gatherSlow for a multiple of eight lanes and offsets below 2^31: lanes of
// which the words follow each other together, and those of several words
// by turning four of them over at a time.
//
//go:noescape
func gatherAVX(row *uint32, b *byte, off *uint32, lanes int, exec uint64)

//go:noescape
func gather2AVX(b *byte, x, y, off *uint32, lanes int, exec uint64)

//go:noescape
func gather4AVX(b *byte, x, y, z, w, off *uint32, lanes int, exec uint64)

// scatterAVX, scatter2AVX and scatter4AVX are Walk.scatterSlow in the same way.
//
//go:noescape
func scatterAVX(b *byte, row, off *uint32, lanes int, exec uint64)

//go:noescape
func scatter2AVX(b *byte, x, y, off *uint32, lanes int, exec uint64)

//go:noescape
func scatter4AVX(b *byte, x, y, z, w, off *uint32, lanes int, exec uint64)

// fillAVX gives all lanes of each row a word: the first, the one after it, and so on.
//
//go:noescape
func fillAVX(rows *uint32, b *byte, count, lanes int)

// FillRows gives all lanes of rows, which lie one after the other, a word of b: the first, the one after it, and so on.
func FillRows(rows []uint32, b []byte, lanes int) {
	count := len(rows) / lanes
	if !wide || lanes%8 != 0 {
		fillSlow(rows, b, lanes)
		return
	}
	_ = b[4*count-1]
	fillAVX(&rows[0], &b[0], count, lanes)
}

// sameAVX returns bits that are set where words of a row of a multiple of eight lanes differ.
//
//go:noescape
func sameAVX(row *uint32, lanes int) (differ uint32)

// findAny is Find without a check of bounds.
//
//go:noescape
func findAny(list *uint32, n int, word uint32) (place int)

// Find is the first place of a word among so many of a list from one on, one at least, counted from there, or -1.
func Find(list []uint32, first, n int, word uint32) int {
	_ = list[first+n-1]
	return findAny(&list[first], n, word)
}

// aboveAVX is aboveSlow, of the list that ends before a word.
//
//go:noescape
func aboveAVX(end *uint32, word uint32) (count int)

// CountAbove is how many words of a list in order, which begins with Lead words of 0 and ends before a place in it, are greater than a word.
func CountAbove(list []uint32, end int, word uint32) int {
	if !wide {
		return aboveSlow(list, end, word)
	}
	return aboveAVX(&list[end], word)
}

// insertAVX is insertSlow for two lists that end before a word.
//
//go:noescape
func insertAVX(x, y *uint32, wordX, wordY uint32)

// Insert puts a word each into their places in two such lists. After the lists' end comes a word with all bits set, which they take.
func Insert(x, y []uint32, end int, wordX, wordY uint32) {
	if !wide {
		insertSlow(x, end, wordX)
		insertSlow(y, end, wordY)
		return
	}
	insertAVX(&x[end], &y[end], wordX, wordY)
}

// insertAllAVX is insertAVX for the times of n spans.
//
//go:noescape
func insertAllAVX(x, y, spans *uint32, n int)

// InsertAll is Insert for the times of spans. After the lists' ends come as many words with all bits set.
func InsertAll(x, y []uint32, end int, spans []Span) {
	if len(spans) == 0 {
		return
	}
	if !wide {
		insertAllSlow(x, y, end, spans)
		return
	}
	_, _ = x[end+len(spans)-1], y[end+len(spans)-1]
	insertAllAVX(&x[end], &y[end], &spans[0].From, len(spans))
}

// prefetchFrom asks for the lines of the host's cache from that of one byte on, up to that of another one.
//
//go:noescape
func prefetchFrom(first, last *byte)

// PrefetchList has the host fetch a list into its caches: much of it is looked at soon.
func PrefetchList[T any](list []T) {
	if n := len(list); n > 0 {
		prefetchFrom((*byte)(unsafe.Pointer(&list[0])), (*byte)(unsafe.Pointer(&list[n-1])))
	}
}

// prefetchSet asks for the lines of the host's cache that the words are in: x to the end of its line, y up to 128 bytes.
//
//go:noescape
func prefetchSet(x *uint32, y *uint64, n int)

// Prefetch has the host fetch so many words of two lists from one on into its caches, up to 16: they are looked at soon.
func Prefetch[T ~uint64](x []uint32, y []T, first, n int) {
	prefetchSet(&x[first], (*uint64)(unsafe.Pointer(&y[first])), n)
}

// gatherWide is Walk.gatherSlow for up to four rows, if it says so.
func (w *Addresses) gatherWide(rows [][]uint32, b []byte, exec uint64) bool {
	lanes := len(rows[0])
	if !wide || lanes%8 != 0 || w.Last >= 1<<31 {
		return false
	}
	_ = b[int(w.Last)+4*len(rows)-1]
	switch len(rows) {
	case 1:
		gatherAVX(&rows[0][0], &b[0], &w.Offsets[0], lanes, exec)
	case 2:
		gather2AVX(&b[0], &rows[0][0], &rows[1][:lanes][0], &w.Offsets[0], lanes, exec)
	case 3:
		for k, row := range rows {
			gatherAVX(&row[:lanes][0], &b[4*k], &w.Offsets[0], lanes, exec)
		}
	case 4:
		gather4AVX(&b[0], &rows[0][0], &rows[1][:lanes][0], &rows[2][:lanes][0], &rows[3][:lanes][0], &w.Offsets[0], lanes, exec)
	}
	return true
}

// scatterWide is Walk.scatterSlow, if it says so. Not of three
// words: row by row, a lower lane could win.
func (w *Addresses) scatterWide(b []byte, rows [][]uint32, exec uint64) bool {
	lanes := len(rows[0])
	if !wide || lanes%8 != 0 || w.Last >= 1<<31 {
		return false
	}
	_ = b[int(w.Last)+4*len(rows)-1]
	switch len(rows) {
	case 1:
		scatterAVX(&b[0], &rows[0][0], &w.Offsets[0], lanes, exec)
	case 2:
		scatter2AVX(&b[0], &rows[0][0], &rows[1][:lanes][0], &w.Offsets[0], lanes, exec)
	case 4:
		scatter4AVX(&b[0], &rows[0][0], &rows[1][:lanes][0], &rows[2][:lanes][0], &rows[3][:lanes][0], &w.Offsets[0], lanes, exec)
	default:
		return false
	}
	return true
}

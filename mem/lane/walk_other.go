//go:build !amd64

package lane

import "slices"

const wide = false

func walkAVX(*uint32, *uint32, int, *AddressParams) (last, bits, differ uint32, starts uint64) {
	panic("lane: no wide instructions")
}

func walkBytesAVX(*uint32, *uint32, int, *AddressParams) (last, differ uint32) {
	panic("lane: no wide instructions")
}

func sameAVX(*uint32, int) uint32 { panic("lane: no wide instructions") }

func (w *Addresses) gatherWide([][]uint32, []byte, uint64) bool { return false }

func (w *Addresses) scatterWide([]byte, [][]uint32, uint64) bool { return false }

// FillRows gives all lanes of rows, which lie one after the other, a word of b: the first, the one after it, and so on.
func FillRows(rows []uint32, b []byte, lanes int) { fillSlow(rows, b, lanes) }

// InsertAll is Insert for the times of spans. After the lists' ends come as many words with all bits set.
func InsertAll(x, y []uint32, end int, spans []Span) { insertAllSlow(x, y, end, spans) }

// PrefetchList leaves it to the first look.
func PrefetchList[T any](list []T) {}

// Prefetch leaves it to the first look.
func Prefetch[T ~uint64](x []uint32, y []T, first, n int) {}

// Find is the first place of a word among so many of a list from one on, one at least, counted from there, or -1.
func Find(list []uint32, first, n int, word uint32) int {
	return slices.Index(list[first:first+n], word)
}

// CountAbove is how many words of a list in order, which begins with Lead words of 0 and ends before a place in it, are greater than a word.
func CountAbove(list []uint32, end int, word uint32) int { return aboveSlow(list, end, word) }

// Insert puts a word each into their places in two such lists. After the lists' end comes a word with all bits set, which they take.
func Insert(x, y []uint32, end int, wordX, wordY uint32) {
	insertSlow(x, end, wordX)
	insertSlow(y, end, wordY)
}

//go:build !amd64

package lane

const wide = false

func walkAVX(*uint32, *uint32, int, *Step) (last, bits, differ uint32, starts uint64) {
	panic("lane: no wide instructions")
}

func walkBytesAVX(*uint32, *uint32, int, *Step) (last, differ uint32) {
	panic("lane: no wide instructions")
}

func (w *Walk) gatherWide([][]uint32, []byte, uint64) bool { return false }

func (w *Walk) scatterWide([]byte, [][]uint32, uint64) bool { return false }

// FillRows gives all lanes of rows, which lie one after the other, a word of b: the first, the one after it, and so on.
func FillRows(rows []uint32, b []byte, lanes int) { fillSlow(rows, b, lanes) }

// Find is the first place of a word in a list, or -1.
func Find(list []uint32, word uint32) int { return findSlow(list, word) }

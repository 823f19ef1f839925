package sampled

import "bytes"

// A memoryCopy is a copy of ranges of memory. All-zero pages are not copied, because fresh output buffers consist of
// them.
type memoryCopy struct {
	pages []byte // contents of the other pages, concatenated
	zero  []bool // by page
}

const pageBytes = 4096

var zeros [pageBytes]byte

// eachPage calls do with each page of the ranges; the last page of a range may be shorter.
func eachPage(memory [][]byte, do func(page []byte)) {
	for _, b := range memory {
		for len(b) > 0 {
			n := min(pageBytes, len(b))
			do(b[:n])
			b = b[n:]
		}
	}
}

func isZero(page []byte) bool { return bytes.Equal(page, zeros[:len(page)]) }

// save copies the ranges, in place of the last copy.
func (k *memoryCopy) save(memory [][]byte) {
	k.pages, k.zero = k.pages[:0], k.zero[:0]
	eachPage(memory, func(page []byte) {
		zero := isZero(page)
		if k.zero = append(k.zero, zero); !zero {
			k.pages = append(k.pages, page...)
		}
	})
}

// restore writes the copy back to the same ranges.
func (k *memoryCopy) restore(memory [][]byte) {
	i, at := 0, 0
	eachPage(memory, func(page []byte) {
		switch {
		case !k.zero[i]:
			at += copy(page, k.pages[at:])
		case !isZero(page):
			clear(page)
		}
		i++
	})
}

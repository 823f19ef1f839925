package sampled

import "bytes"

// A keeper keeps what memory holds until it is put back. Pages of zeros, which memory that results go to is full of, are not copied.
type memoryCopy struct {
	pages []byte // that are not zero, one after the other
	zero  []bool // by page
}

const pageBytes = 4096

var zeros [pageBytes]byte

// eachPage calls do with the pages of some pieces of memory; the last one of each may be shorter.
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

// keep takes down what memory holds.
func (k *memoryCopy) save(memory [][]byte) {
	k.pages, k.zero = k.pages[:0], k.zero[:0]
	eachPage(memory, func(page []byte) {
		zero := isZero(page)
		if k.zero = append(k.zero, zero); !zero {
			k.pages = append(k.pages, page...)
		}
	})
}

// putBack puts it back, to the same memory.
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

package hierarchy

import "math/bits"

// storedWords are masks of a line's words that a store writes, from the first of its bytes on: whole has the words
// written whole, some has these and the words written in part.
type storedWords struct{ whole, some uint64 }

func (w storedWords) up(words uint64) storedWords {
	return storedWords{w.whole << words, w.some << words}
}
func (w storedWords) down(words uint64) storedWords {
	return storedWords{w.whole >> words, w.some >> words}
}

// storedBy returns the words that the lanes of a store write. If they write parts of words, any word may be among them.
func (g *geometry) storedBy(l *Line) storedWords {
	if uint32(bits.OnesCount64(l.Words))<<g.word == l.Bytes {
		return storedWords{l.Words, l.Words}
	}
	return storedWords{l.Words, max(g.whole, 1)}
}

// pieces returns the pieces of a line in which words lie.
func (g *geometry) pieces(words uint64) (pieces line) {
	if g.allPieces == 1 || words&g.whole == g.whole {
		return g.allPieces
	}
	each := uint64(1) << (g.piece - g.word)
	for at := range uint64(bits.Len64(uint64(g.allPieces))) {
		if words&WordMask(at*each, (at+1)*each) != 0 {
			pieces |= 1 << at
		}
	}
	return pieces
}

// eachPiece calls do for each run of neighbouring pieces, with its offset in the line and its bytes.
func (g *geometry) eachPiece(pieces line, do func(from uint64, bytes uint32)) {
	for left := uint64(pieces); left != 0; {
		first := uint(bits.TrailingZeros64(left))
		n := uint(bits.TrailingZeros64(^(left >> first)))
		left &^= (1<<n - 1) << first
		do(uint64(first)<<g.piece, uint32(n)<<g.piece)
	}
}

// writeToNext reads the dirty pieces of a line and sends them to the next level. It returns the cycle of the
// acknowledgement, and the cycle in which the last byte is taken.
func (s *slice) writeToNext(c *cache, at, delay, addr uint64, pieces line, words uint64) (ready, taken uint64) {
	c.eachPiece(pieces, func(from uint64, bytes uint32) {
		r, t := c.writeToNext(at, s.readOut(c, at, delay, bytes), addr+from, bytes, c.writtenBy(words, from, bytes))
		ready, taken = max(ready, r), max(taken, t)
	})
	return ready, taken
}

// writtenBy returns the words that a write-back of bytes of a line writes, of which words are valid.
func (g *geometry) writtenBy(words, from uint64, bytes uint32) storedWords {
	all := WordMask(0, max(1, uint64(bytes)>>g.word))
	return storedWords{words >> (from >> g.word) & all, all}
}

// readOut books the slice for bytes that it sends on: data have one port, which requests use too.
func (s *slice) readOut(c *cache, at, delay uint64, bytes uint32) (waited uint64) {
	return s.Reserve(at, delay, uint64(bytes)*c.cost, c.Requests > 0)
}

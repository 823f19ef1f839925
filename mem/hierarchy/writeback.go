package hierarchy

import "math/bits"

// A storedWords says which words of a line a store writes, from the first of its bytes on: all bytes of those in whole, some of the
// others in some, which has those of whole as well.
type storedWords struct{ whole, some uint64 }

func (w storedWords) up(words uint64) storedWords {
	return storedWords{w.whole << words, w.some << words}
}
func (w storedWords) down(words uint64) storedWords {
	return storedWords{w.whole >> words, w.some >> words}
}

// storedBy are the words that a store of lanes writes: any of a line of which it does not write whole words alone.
func (g *geometry) storedBy(l *Line) storedWords {
	if uint32(bits.OnesCount64(l.Words))<<g.word == l.Bytes {
		return storedWords{l.Words, l.Words}
	}
	return storedWords{l.Words, max(g.whole, 1)}
}

// pieces are the parts of a line, as wide as go to the next level by themselves, that words lie in.
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

// eachPiece hands on where pieces of a line begin and how many bytes they have: those that follow each other are one.
func (g *geometry) eachPiece(pieces line, do func(from uint64, bytes uint32)) {
	for left := uint64(pieces); left != 0; {
		first := uint(bits.TrailingZeros64(left))
		n := uint(bits.TrailingZeros64(^(left >> first)))
		left &^= (1<<n - 1) << first
		do(uint64(first)<<g.piece, uint32(n)<<g.piece)
	}
}

// writeToNext reads what is dirty of a line out and sends it to the next level. It returns when that has acknowledged and when it has taken the last of it.
func (s *slice) writeToNext(c *cache, at, delay, addr uint64, pieces line, words uint64) (ready, taken uint64) {
	c.eachPiece(pieces, func(from uint64, bytes uint32) {
		r, t := c.writeToNext(at, s.readOut(c, at, delay, bytes), addr+from, bytes, c.writtenBy(words, from, bytes))
		ready, taken = max(ready, r), max(taken, t)
	})
	return ready, taken
}

// writtenBy is what is written by bytes of a line, of which words are valid.
func (g *geometry) writtenBy(words, from uint64, bytes uint32) storedWords {
	all := WordMask(0, max(1, uint64(bytes)>>g.word))
	return storedWords{words >> (from >> g.word) & all, all}
}

// readOut books the slice for bytes that it sends on: its data have one port, which what is asked of the slice takes as well.
func (s *slice) readOut(c *cache, at, delay uint64, bytes uint32) (waited uint64) {
	return s.Reserve(at, delay, uint64(bytes)*c.cost, c.Requests > 0)
}

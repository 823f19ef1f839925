package lds

// A pattern is an access of which the passes have been counted: its lanes' offsets from the first one's say how many it takes. Loops
// and workgroups repeat few of them.
type pattern struct {
	kind        Kind
	bytes       uint32
	firstOffset uint32 // of the first lane: within its word, or where the mapping is not the plain one, in the LDS
	mask        uint64
	from        [64]uint32 // offset of each lane from the first one's
	passes      int
	phases      int
	used        bool
}

// numPatterns are kept: by what spreads those of one kernel, the latest of those that share a place.
const numPatterns = 32

// patterns are those that are kept, and that of the access at hand.
type patterns struct {
	cache   [numPatterns]pattern
	current pattern
}

// hash is where a pattern is kept.
func (p *pattern) hash() uint32 {
	h := p.from[1]*0x9E3779B1 ^ p.from[31]*0x85EBCA77 ^ p.from[63]*0xC2B2AE3D ^ uint32(p.mask) ^ uint32(p.mask>>32) ^ p.firstOffset ^ uint32(p.kind)<<8
	return h * 0x9E3779B1 >> 16 % numPatterns
}

// counted is what passes counts for the lanes' offsets, all of which are inside: as it was for the same pattern, or anew.
func (d *LDS) counted(k Kind, mask uint64, base, bytes uint32) (passes, phases int) {
	if d.patterns == nil {
		d.patterns = new(patterns)
	}
	c, p, first := d.count, &d.patterns.current, d.Offsets[0]
	p.kind, p.bytes, p.mask, p.firstOffset, p.used = k, bytes, mask, base+first, true
	if c.modulo {
		p.firstOffset &= 1<<c.word - 1 // as moving all words by some turns the banks
	}
	for l, at := range &d.Offsets {
		p.from[l] = at - first
	}
	known := &d.patterns.cache[p.hash()]
	if p.passes, p.phases = known.passes, known.phases; *p != *known {
		p.passes, p.phases = c.passes(d.phases[k], mask, &d.Offsets, base, bytes, k >= AtomicB32)
		*known = *p
	}
	return p.passes, p.phases
}

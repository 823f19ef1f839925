package lds

// A pattern is an access whose passes have been counted: they depend on the lanes' offsets from the first one's alone. Loops
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

// numPatterns is the size of the cache. Of the patterns of one entry the latest stays.
const numPatterns = 32

// patterns hold the cache, and the pattern of the current access.
type patterns struct {
	cache   [numPatterns]pattern
	current pattern
}

// hash returns the pattern's entry in the cache.
func (p *pattern) hash() uint32 {
	h := p.from[1]*0x9E3779B1 ^ p.from[31]*0x85EBCA77 ^ p.from[63]*0xC2B2AE3D ^ uint32(p.mask) ^ uint32(p.mask>>32) ^ p.firstOffset ^ uint32(p.kind)<<8
	return h * 0x9E3779B1 >> 16 % numPatterns
}

// counted returns the passes and phases of an access within bounds: those of the same pattern in the cache, or counted anew.
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

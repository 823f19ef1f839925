package frontend

import (
	"math/bits"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// newLocal adds a local of words.
func (b *values) newLocal(name string) *ir.Local {
	l := &ir.Local{ID: len(b.f.Locals), Name: name, SlotWords: 1}
	b.f.Locals = append(b.f.Locals, l)
	return l
}

// localBytes makes a Function variable of a kernel: words, which accesses of any type share.
func (b *pointers) localBytes(in *spirv.Instruction, t *validate.Type) pointer {
	size, align := b.placeOf(t)
	l := b.kernels.shared
	if l == nil {
		l = b.newLocal(b.m.Name(in.Result))
	}
	at := roundUp(uint32(len(l.Slots))*4, min(align, baseAlign))
	end := (at + size + 3) / 4
	b.limitLeaves(int(end))
	for uint32(len(l.Slots)) < end {
		l.Slots = append(l.Slots, isa.I32)
	}
	return pointer{typ: t, space: isa.SpaceScratch, layout: openCLLayout, local: l, object: l.ID, offset: at, low: at / 4, high: end}
}

// addBytes adds index x stride to an address of scratch. Its dynamic part counts words as long as all strides are
// multiples of a word.
func (b *pointers) addBytes(p pointer, index *ir.Value, stride uint32) pointer {
	words := stride%4 == 0 && (p.index == nil || p.words)
	if words {
		stride /= 4
	} else if p.words {
		p.index, p.words = b.op(isa.Shl, isa.I32, p.index, b.i32(2)), false
		p.align = max(p.align, 4)
	}
	if stride != 1 {
		index = b.op(isa.IMul, isa.I32, index, b.i32(stride))
	}
	align := uint32(1) << min(bits.TrailingZeros32(stride), 4)
	if p.index != nil {
		index, align = b.op(isa.IAdd, isa.I32, p.index, index), min(align, p.align)
	}
	p.index, p.align, p.words = index, align, words
	return p
}

// A scratchWord is a word of scratch and the bits of it that an access of less than a word begins at.
type scratchWord struct {
	offset uint32    // of the word
	index  *ir.Value // words; nil if none
	shift  *ir.Value // bits
}

// placeIn returns the place at off bytes from a pointer.
func (b *pointers) placeIn(p pointer, off uint32) scratchWord {
	at := p.offset + off
	fixed := scratchWord{offset: at / 4, shift: b.i32(at % 4 * 8)}
	switch {
	case p.index == nil:
		return fixed
	case p.words:
		fixed.index = p.index
		return fixed
	}
	byteAt := p.index
	if p.align%4 != 0 || at%4 != 0 {
		if at != 0 {
			byteAt = b.op(isa.IAdd, isa.I32, byteAt, b.i32(at))
		}
		shift := b.op(isa.Shl, isa.I32, b.op(isa.And, isa.I32, byteAt, b.i32(3)), b.i32(3))
		return scratchWord{index: b.op(isa.Shr, isa.I32, byteAt, b.i32(2)), shift: shift}
	}
	fixed.index = b.op(isa.Shr, isa.I32, byteAt, b.i32(2))
	return fixed
}

// aligned reports that the access of n bytes at off bytes from a pointer starts at a multiple of n, or of a word.
func (p *pointer) aligned(off, n uint32) bool {
	n = min(n, 4)
	return (p.offset+off)%n == 0 && (p.index == nil || p.words || p.align%n == 0)
}

func (b *pointers) wordMem(p pointer, at scratchWord) (*ir.Mem, []*ir.Value) {
	m := &ir.Mem{
		Access: isa.Access{Space: isa.SpaceScratch, Offset: at.offset, Elem: isa.I32, Count: 1},
		Object: p.local.ID, Volatile: p.volatile, Align: 4, Local: p.local,
	}
	if at.index == nil {
		return m, nil
	}
	m.HasIndex, m.Low, m.High = true, p.low, p.high
	return m, []*ir.Value{at.index}
}

func (b *pointers) loadWord(p pointer, at scratchWord) *ir.Value {
	m, args := b.wordMem(p, at)
	v := b.emit(isa.Load, isa.I32, isa.I32, args...)
	v.Mem = m
	return v
}

func (b *pointers) storeWord(p pointer, at scratchWord, v *ir.Value) {
	m, args := b.wordMem(p, at)
	b.emit(isa.Store, isa.I32, isa.Void, append(args, v)...).Mem = m
}

// loadBytes reads a run of scalars from scratch.
func (b *pointers) loadBytes(p pointer, c chunk) []*ir.Value {
	out := make([]*ir.Value, c.n)
	n := memBytes(c.t)
	for i := range out {
		integer := b.loadInteger(p, c.off+uint32(i)*n, n)
		out[i] = b.unword(b.retype(integer, memType(c.t)), c.t)
		b.readWrittenBytes(p, c.off+uint32(i)*n, n, out[i])
	}
	return out
}

// loadInteger reads n bytes.
func (b *pointers) loadInteger(p pointer, off, n uint32) *ir.Value {
	switch {
	case !p.aligned(off, n):
		parts := make([]*ir.Value, n)
		for i := range parts {
			parts[i] = b.loadInteger(p, off+uint32(i), 1)
		}
		return b.packInteger(parts)
	case n == 8:
		return b.packInteger([]*ir.Value{b.loadInteger(p, off, 4), b.loadInteger(p, off+4, 4)})
	}
	at := b.placeIn(p, off)
	word := b.loadWord(p, at)
	if n == 4 {
		return word
	}
	return b.widen(b.op(isa.Shr, isa.I32, word, at.shift), isa.IntType(uint(8*n)))
}

// storeBytes writes a run of scalars to scratch.
func (b *pointers) storeBytes(p pointer, c chunk, leaves []*ir.Value) {
	n := memBytes(c.t)
	for i, v := range leaves {
		from, leaf := len(b.blk.Code), v
		v = b.word(b.coerce(v, c.t))
		b.storeInteger(p, c.off+uint32(i)*n, n, b.retype(v, isa.IntType(v.R.Bits())))
		b.storeWrittenBytes(p, c.off+uint32(i)*n, n, leaf, from)
	}
}

// storeInteger writes n bytes: those of less than a word into the word around them.
func (b *pointers) storeInteger(p pointer, off, n uint32, v *ir.Value) {
	switch {
	case n > 1 && !p.aligned(off, n):
		for i := range n {
			b.storeInteger(p, off+i, 1, b.cut(v, int(i), 8))
		}
		return
	case n == 8:
		b.storeInteger(p, off, 4, b.cut(v, 0, 32))
		b.storeInteger(p, off+4, 4, b.cut(v, 1, 32))
		return
	}
	at := b.placeIn(p, off)
	if n < 4 {
		v = b.op(isa.BitFieldInsert, isa.I32, b.loadWord(p, at), b.widen(v, isa.I32), at.shift, b.i32(8*n))
	}
	b.storeWord(p, at, v)
}

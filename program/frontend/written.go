package frontend

import (
	"cmp"
	"fmt"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// What is here finds reads of variables that nothing wrote, in programs that are checked. Each Function and Private
// variable has a second one with a word for each scalar: 1 once it is written. A copy copies the word as well, as
// whole structures are copied though only some members are used; any other use of a value leaves a CheckWritten. Where the
// variable becomes values, so do the words, and where they are constants nothing is left of them. Variables of kernels are words that
// accesses of any type share: one of these counts as written once a byte of it is.

// A writtenState holds the second variables.
type writtenState struct {
	of    map[*ir.Local]*ir.Local
	words map[*ir.Value]writtenWord // by value that was read from a variable
	moves map[*ir.Value]bool        // values that a store makes of the one that it is given
}

// A writtenWord says whether a value that was read from a variable had been written.
type writtenWord struct {
	word     *ir.Value
	variable int // in ir.Func.CheckedVariables
	isa.Origin
}

// maxChecked bounds the scalars of a variable that is checked: the words are set to 0 one by one where its function
// begins.
const maxChecked = 1 << 10

// checkVariable adds the second variable of one that begins to exist.
func (b *pointers) checkVariable(in *spirv.Instruction, p pointer) {
	if !b.opt.CheckVariables || p.local == b.kernels.shared || len(p.local.Slots) > maxChecked {
		return
	}
	l := *p.local
	l.ID, l.Slots = len(b.f.Locals), make([]isa.Type, len(p.local.Slots))
	for i := range l.Slots {
		l.Slots[i] = isa.I32
	}
	b.f.Locals = append(b.f.Locals, &l)
	if b.written.of == nil {
		b.written = writtenState{map[*ir.Local]*ir.Local{}, map[*ir.Value]writtenWord{}, map[*ir.Value]bool{}}
	}
	b.written.of[p.local] = &l
	b.f.CheckedVariables = append(b.f.CheckedVariables, cmp.Or(l.Name, fmt.Sprintf("%%%d", in.Result)))
	l.Variable = len(b.f.CheckedVariables) - 1
	whole := pointer{typ: p.typ, space: p.space, local: p.local, object: p.object}
	for i := range l.Slots {
		b.setWritten(whole, i, b.i32(0))
	}
}

// writtenSlot describes the access to the word of the i-th scalar from a pointer; nil: its variable is not checked.
func (b *pointers) writtenSlot(p pointer, i int) (*ir.Mem, []*ir.Value) {
	l := b.written.of[p.local]
	if l == nil {
		return nil, nil
	}
	p.local = l
	m, args := b.slot(p, isa.I32, i)
	m.Speculative = true // the access to the variable itself is reported
	return m, args
}

func (b *pointers) setWritten(p pointer, i int, word *ir.Value) {
	if m, args := b.writtenSlot(p, i); m != nil {
		b.emit(isa.Store, isa.I32, isa.Void, append(args, word)...).Mem = m
	}
}

// readWritten notes that leaf is the i-th scalar from a pointer.
func (b *pointers) readWritten(p pointer, i int, leaf *ir.Value) {
	m, args := b.writtenSlot(p, i)
	if m == nil {
		return
	}
	v := b.emit(isa.Load, isa.I32, isa.I32, args...)
	v.Mem = m
	b.written.words[leaf] = writtenWord{v, m.Local.Variable, v.Origin}
}

// storeWritten notes that a leaf is stored to the i-th scalar from a pointer, as what the block has from place from on.
func (b *pointers) storeWritten(p pointer, i int, leaf *ir.Value, from int) {
	if b.written.of[p.local] == nil {
		return
	}
	for _, v := range b.blk.Code[from:] {
		b.written.moves[v] = true
	}
	word := b.i32(1)
	if w, ok := b.written.words[leaf]; ok {
		word = w.word
	}
	b.setWritten(p, i, word)
}

// writtenBytes describes a kernel's variable that says what of another one is written; false: it is not checked.
func (b *pointers) writtenBytes(p pointer) (pointer, bool) {
	l := b.written.of[p.local]
	p.local = l
	return p, l != nil
}

// readWrittenBytes notes that a value is the n bytes at off bytes from a pointer. Of bytes that are not aligned, nothing is known.
func (b *pointers) readWrittenBytes(p pointer, off, n uint32, v *ir.Value) {
	variable := p.local
	p, ok := b.writtenBytes(p)
	if !ok || !p.aligned(off, n) {
		return
	}
	word := b.loadWord(p, b.placeIn(p, off))
	word.Mem.Speculative = true
	if n > 4 {
		second := b.loadWord(p, b.placeIn(p, off+4))
		second.Mem.Speculative = true
		word = b.op(isa.And, isa.I32, word, second)
	}
	b.written.words[v] = writtenWord{word, b.written.of[variable].Variable, v.Origin}
}

// storeWrittenBytes notes that a leaf is stored to the n bytes at off bytes from a pointer, as what the block has from place from on.
func (b *pointers) storeWrittenBytes(p pointer, off, n uint32, leaf *ir.Value, from int) {
	p, ok := b.writtenBytes(p)
	if !ok {
		return
	}
	for _, v := range b.blk.Code[from:] {
		b.written.moves[v] = true
	}
	word := b.i32(1)
	if w, ok := b.written.words[leaf]; ok && n >= 4 && p.aligned(off, n) { // else other bytes of the word may be written
		word = w.word
	}
	for at := uint32(0); at < n; at += 4 {
		b.storeWrittenWord(p, off+at, word)
	}
	if !p.aligned(off, n) {
		b.storeWrittenWord(p, off+n-1, word)
	}
}

func (b *pointers) storeWrittenWord(p pointer, off uint32, word *ir.Value) {
	m, args := b.wordMem(p, b.placeIn(p, off))
	m.Speculative = true
	b.emit(isa.Store, isa.I32, isa.Void, append(args, word)...).Mem = m
}

// checkWritten puts checks in front of the uses of values that were read from variables: one in each block for each.
func (b *pointers) checkWritten() {
	if len(b.written.words) == 0 {
		return
	}
	for _, blk := range b.f.Blocks {
		done := map[*ir.Value]bool{}
		code := make([]*ir.Value, 0, len(blk.Code))
		check := func(a *ir.Value) {
			w, ok := b.written.words[a]
			if !ok || done[a] {
				return
			}
			done[a] = true
			v := b.f.NewValue(isa.CheckWritten, isa.I32, isa.Void, w.word)
			v.Imm, v.Origin, v.Block = uint64(w.variable), w.Origin, blk
			code = append(code, v)
		}
		for _, v := range blk.Code {
			if !b.written.moves[v] {
				for _, a := range v.Args {
					check(a)
				}
			}
			code = append(code, v)
		}
		if blk.Cond != nil {
			check(blk.Cond)
		}
		blk.Code = code
	}
}

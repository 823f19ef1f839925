package opt

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"spvsim/isa"
	"spvsim/program/ir"
)

// smallTable is the most slots of a table that is replaced by selections. Mesa's nir_opt_large_constants does so too
// for up to 16 bytes.
const smallTable = 4

// tables moves variables whose slots each hold one constant, whenever it is written, out of scratch memory: an indexed
// access reads the program's constant data, as drivers put such arrays into read-only memory behind the code, or
// selects among a few constants.
func tables(f *ir.Func, _ Options) bool {
	found := findTables(f)
	if len(found) == 0 {
		return false
	}
	w := &tableWriter{f: f, pool: newPool(f), names: newRenaming(f), object: newObject(f)}
	for _, b := range f.Blocks {
		w.block(b, found)
	}
	w.names.apply(f)
	w.pool.flush()
	return true
}

// A table is a variable with constant contents.
type table struct {
	local   *ir.Local
	written []bool // by slot: it is written; other slots have no value
	bits    []uint64
	width   uint // of all written slots in bits; 0 while none is, mixed where they differ
	reads   bool // an access needs it

	base, bytesPerWord uint32 // its position in the constant data, once placed
	emitted            bool
}

const mixed = 1

// findTables lists the variables that are tables, by number; nil for others.
func findTables(f *ir.Func) map[*ir.Local]*table {
	found := map[*ir.Local]*table{}
	not := map[*ir.Local]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Code {
			if v.Mem == nil || v.Mem.Space != isa.SpaceScratch || v.Mem.Local == nil || not[v.Mem.Local] {
				continue
			}
			l := v.Mem.Local
			t := found[l]
			if t == nil {
				t = &table{local: l, written: make([]bool, len(l.Slots)), bits: make([]uint64, len(l.Slots))}
				found[l] = t
			}
			if !t.accepts(v) {
				not[l] = true
				delete(found, l)
			}
		}
	}
	for l, t := range found {
		if !t.reads || !t.sameWidths() {
			delete(found, l)
		}
	}
	return found
}

// accepts reports that the variable may be a table still, with this access.
func (t *table) accepts(v *ir.Value) bool {
	m := v.Mem
	if m.Volatile || m.Count != 1 || m.HasBase || m.HasBindex {
		return false
	}
	switch v.Op {
	case isa.Load:
		t.reads = true
		return t.widen(v.R)
	case isa.Store:
		return !m.HasIndex && t.write(m, v.Args[0])
	}
	return false
}

func (t *table) write(m *ir.Mem, v *ir.Value) bool {
	slot := int(m.Offset / t.local.SlotWords)
	if m.Offset%t.local.SlotWords != 0 || slot >= len(t.bits) || !t.widen(m.Elem) {
		return false
	}
	if v.Op == isa.Undef {
		return true
	}
	if v.Op != isa.Const || t.written[slot] && t.bits[slot] != v.Imm {
		return false
	}
	t.written[slot], t.bits[slot] = true, v.Imm
	return true
}

func (t *table) widen(e isa.Type) bool {
	switch w := uint(e.Bits()); {
	case w < 8:
		return false
	case t.width == 0:
		t.width = w
	case t.width != w:
		t.width = mixed
	}
	return true
}

// sameWidths reports that accesses are all of one width: then the table is packed.
func (t *table) sameWidths() bool {
	return t.width != mixed && (t.width == 64) == (t.local.SlotWords == 2)
}

// newObject returns a number that no access to a buffer has.
func newObject(f *ir.Func) int {
	n := 0
	eachValue(f, func(v *ir.Value) {
		if v.Mem != nil && v.Mem.Space == isa.SpaceBuffer {
			n = max(n, v.Mem.Object+1)
		}
	})
	return n
}

// A tableWriter replaces the accesses to tables.
type tableWriter struct {
	f      *ir.Func
	pool   *pool
	names  *renaming
	object int
	out    []*ir.Value
}

func (w *tableWriter) block(b *ir.Block, found map[*ir.Local]*table) {
	w.out = make([]*ir.Value, 0, len(b.Code))
	for _, v := range b.Code {
		var t *table
		if v.Mem != nil {
			t = found[v.Mem.Local]
		}
		switch {
		case t == nil:
			w.out = append(w.out, v)
		case v.Op == isa.Load:
			w.load(t, v)
		}
	}
	b.Code = w.out
}

func (w *tableWriter) load(t *table, v *ir.Value) {
	n := len(t.bits)
	switch {
	case !v.Mem.HasIndex:
		w.names.set(v, w.slot(t, v.R, int(v.Mem.Offset/t.local.SlotWords)))
	case n <= smallTable && t.local.SlotWords == 1:
		w.names.set(v, w.choose(t, v))
	default:
		w.read(t, v)
		w.out = append(w.out, v)
	}
}

func (w *tableWriter) slot(t *table, r isa.Type, slot int) *ir.Value {
	if slot >= len(t.bits) || !t.written[slot] {
		return w.pool.undef(r)
	}
	return w.pool.constant(r, t.bits[slot])
}

// choose selects by the index; the last slot needs no test.
func (w *tableWriter) choose(t *table, v *ir.Value) *ir.Value {
	index := v.Args[0]
	chosen := w.slot(t, v.R, len(t.bits)-1)
	for slot := len(t.bits) - 2; slot >= 0; slot-- {
		is := w.add(v, w.f.NewValue(isa.IEq, isa.I32, isa.Bool, index, w.pool.constant(isa.I32, uint64(uint32(slot)-v.Mem.Offset))))
		chosen = w.add(v, w.f.NewValue(isa.Select, v.R, v.R, is, w.slot(t, v.R, slot), chosen))
	}
	return chosen
}

func (w *tableWriter) add(like, v *ir.Value) *ir.Value {
	v.Block, v.SPIRV, v.Line = like.Block, like.SPIRV, like.Line
	w.out = append(w.out, v)
	return v
}

// read turns the access into one of the constant data, whose binding follows those of the entry point.
func (w *tableWriter) read(t *table, v *ir.Value) {
	if !t.emitted {
		w.emitTable(t)
	}
	index := v.Args[0]
	if shift := bits.TrailingZeros32(t.bytesPerWord); shift > 0 {
		index = w.add(v, w.f.NewValue(isa.Shl, isa.I32, isa.I32, index, w.pool.constant(isa.I32, uint64(shift))))
	}
	m := v.Mem
	v.Args[0] = index
	v.Mem = &ir.Mem{
		Access: isa.Access{Space: isa.SpaceBuffer, Binding: len(w.f.Bindings), Offset: t.base + m.Offset*t.bytesPerWord, Elem: m.Elem, Count: 1},
		Object: w.object, ReadOnly: true, HasIndex: true, Align: uint32(t.width / 8),
	}
}

// tableAlign is the alignment of tables in bytes, so that one access can read their first elements.
const tableAlign = 16

// emitTable puts the table into the constant data, once for equal ones.
func (w *tableWriter) emitTable(t *table) {
	size := int(t.width / 8)
	data := make([]byte, 0, len(t.bits)*size)
	for _, x := range t.bits {
		data = binary.LittleEndian.AppendUint64(data, x)[:len(data)+size]
	}
	t.emitted, t.bytesPerWord = true, uint32(size)/t.local.SlotWords
	for at := 0; at+len(data) <= len(w.f.Constants); at += tableAlign {
		if bytes.Equal(w.f.Constants[at:at+len(data)], data) {
			t.base = uint32(at)
			return
		}
	}
	for len(w.f.Constants)%tableAlign != 0 {
		w.f.Constants = append(w.f.Constants, 0)
	}
	t.base = uint32(len(w.f.Constants))
	w.f.Constants = append(w.f.Constants, data...)
}

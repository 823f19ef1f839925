package program

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"spvsim/isa"
	"spvsim/spirv"
)

// A saved program is the fields of a Program in order: numbers as varints; texts and lists after their lengths;
// structures as a mask of the nonzero fields, then those fields. Functions, which follow from the instructions, and
// positions in a text are left out. The form has no version: only the build that wrote it reads it.

// Save writes the program as bytes that Restore reads.
func (p *Program) Save() []byte { return appendValue(nil, reflect.ValueOf(p).Elem()) }

// ErrSaved reports data that are no saved program of this build.
var ErrSaved = errors.New("program: not a saved program of this build")

// Restore reads a program that Save wrote.
func Restore(data []byte) (p *Program, err error) {
	defer func() { // the data index tables
		if fault := recover(); fault != nil {
			p, err = nil, fmt.Errorf("%w: %v", ErrSaved, fault)
		}
	}()
	r := &reader{data: data}
	p = &Program{}
	r.value(reflect.ValueOf(p).Elem())
	if r.failed || len(r.data) > 0 {
		return nil, ErrSaved
	}
	for _, list := range [][]isa.Inst{p.Prologue, p.Insts} {
		for i := range list {
			if int(list[i].Op) >= len(isa.Table) {
				return nil, fmt.Errorf("%w: operation %d", ErrSaved, list[i].Op)
			}
			isa.Resolve(&list[i])
		}
	}
	return p, nil
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendValue(append(b, 1), v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		return appendItems(b, v)
	case reflect.Array:
		return appendItems(b, v)
	case reflect.Struct:
		return appendFields(b, v)
	}
	panic("program: " + v.Type().String() + " can't be saved") // a broken invariant: a test saves programs with every field
}

func appendItems(b []byte, v reflect.Value) []byte {
	for i := range v.Len() {
		b = appendValue(b, v.Index(i))
	}
	return b
}

// saved reports whether a field is saved: all are, except functions and positions in a text. Modules that are kept
// between runs are binary, so positions are offsets of words.
func saved(f reflect.Value) bool {
	return f.Kind() != reflect.Func && f.Type() != reflect.TypeFor[*spirv.TextPosition]()
}

// appendFields writes a mask of the nonzero fields, then those fields.
func appendFields(b []byte, v reflect.Value) []byte {
	mask := uint64(0)
	for i := range v.NumField() {
		if f := v.Field(i); saved(f) && !f.IsZero() {
			mask |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, mask)
	for i := range v.NumField() {
		if mask>>i&1 != 0 {
			b = appendValue(b, v.Field(i))
		}
	}
	return b
}

// A reader reads values until something does not fit.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[size:]
	return n
}

// length reads the number of items of a list. Each item takes at least a byte.
func (r *reader) length() int {
	n := r.number()
	if n > uint64(len(r.data)) {
		r.failed = true
		return 0
	}
	return int(n)
}

func (r *reader) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.number() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := r.number()
		v.SetInt(int64(n>>1) ^ -int64(n&1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.number())
	case reflect.String:
		n := r.length()
		v.SetString(string(r.data[:n]))
		r.data = r.data[n:]
	case reflect.Pointer:
		if r.number() != 0 && !r.failed {
			v.Set(reflect.New(v.Type().Elem()))
			r.value(v.Elem())
		}
	case reflect.Slice:
		r.slice(v)
	case reflect.Array:
		r.items(v)
	case reflect.Struct:
		mask := r.number()
		for i := range v.NumField() {
			if f := v.Field(i); mask>>i&1 != 0 && f.CanSet() && saved(f) && !r.failed {
				r.value(f)
			}
		}
	}
}

func (r *reader) slice(v reflect.Value) {
	n := r.number()
	if n == 0 || r.failed {
		return
	}
	if n-1 > uint64(len(r.data)) {
		r.failed = true
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n-1), int(n-1)))
	r.items(v)
}

func (r *reader) items(v reflect.Value) {
	for i := 0; i < v.Len() && !r.failed; i++ {
		r.value(v.Index(i))
	}
}

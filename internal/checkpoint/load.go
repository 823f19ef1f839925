package checkpoint

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// ErrDamaged reports a state that does not fit the objects.
var ErrDamaged = errors.New("the state is damaged, or is of other objects")

// maxText bounds the names of types and the strings of a state, in bytes, and maxValues the values of an object.
const (
	maxText   = 1 << 28
	maxValues = 1 << 36
)

// Load gives the objects the state that Save wrote. After an error they are in no state that makes sense.
func (g *Graph) Load(r io.Reader) (err error) {
	d := &decoder{g: g, r: bufio.NewReaderSize(r, 1<<16), objects: append([]object(nil), g.objects...)}
	born, all := d.uint(maxValues), d.uint(maxValues)
	if d.err == nil && (born != len(g.objects) || all < born) {
		return fmt.Errorf("%w: found %d objects: want %d", ErrDamaged, born, len(g.objects))
	}
	for i := born; i < all && d.err == nil; i++ {
		d.makeObjects(d.text(), d.uint(maxValues))
	}
	for i := range d.objects {
		if o := &d.objects[i]; !o.constant && d.err == nil {
			d.object(o)
		}
	}
	if _, err := d.r.ReadByte(); d.err == nil && err != io.EOF {
		d.fail("found more than the last object")
	}
	return d.err
}

// A decoder reads values. It keeps its first error.
type decoder struct {
	g       *Graph
	r       *bufio.Reader
	objects []object
	last    int // the object that the last pointer was into
	err     error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
	}
}

// uint reads a number up to a limit.
func (d *decoder) uint(limit uint64) int {
	n, err := binary.ReadUvarint(d.r)
	if err != nil || n > limit {
		d.fail("found the number %d (%v): want at most %d", n, err, limit)
		return 0
	}
	return int(n)
}

func (d *decoder) bytes(b []byte) {
	if _, err := io.ReadFull(d.r, b); err != nil {
		d.fail("%v", err)
	}
}

func (d *decoder) text() string {
	b := make([]byte, d.uint(maxText))
	d.bytes(b)
	return string(b)
}

func (d *decoder) makeObjects(name string, n int) {
	t := d.typeOf(name)
	switch {
	case d.err != nil:
	case n == 0 && t.Kind() == reflect.Map:
		d.objects = append(d.objects, object{at: reflect.MakeMap(t).UnsafePointer(), typ: t})
	case n == 0 || uint64(t.Size())*uint64(n) > maxValues:
		d.fail("found %d of %s", n, t)
	default:
		d.objects = append(d.objects, object{at: reflect.MakeSlice(reflect.SliceOf(t), n, n).UnsafePointer(), typ: t, n: n})
	}
}

func (d *decoder) typeOf(name string) reflect.Type {
	t := d.g.types[name]
	if t == nil {
		d.fail("found the type%s, which is not known", name)
	}
	return t
}

// object reads what an object contains.
func (d *decoder) object(o *object) {
	switch {
	case d.g.host[o.typ]:
	case o.isMap():
		d.entries(mapOf(o))
	case d.g.layoutOf(o.typ).raw:
		d.bytes(unsafe.Slice((*byte)(o.at), o.bytes()))
	default:
		for i := range o.n {
			d.value(o.element(i), o.typ)
		}
	}
}

func (d *decoder) entries(m reflect.Value) {
	m.Clear()
	key, value := m.Type().Key(), m.Type().Elem()
	for n := d.uint(maxValues); n > 0 && d.err == nil; n-- {
		k, v := reflect.New(key), reflect.New(value)
		d.value(k.UnsafePointer(), key)
		d.value(v.UnsafePointer(), value)
		m.SetMapIndex(k.Elem(), v.Elem())
	}
}

// value reads the value at an address.
func (d *decoder) value(at unsafe.Pointer, t reflect.Type) {
	switch {
	case d.err != nil || d.g.host[t]:
		return
	case d.g.layoutOf(t).raw:
		d.bytes(unsafe.Slice((*byte)(at), t.Size()))
		return
	}
	switch t.Kind() {
	case reflect.String:
		*(*string)(at) = d.text()
	case reflect.Pointer:
		*(*unsafe.Pointer)(at) = d.pointer(t.Elem(), 1)
	case reflect.Slice:
		d.slice((*sliceHeader)(at), t.Elem())
	case reflect.Map:
		d.mapReference((*unsafe.Pointer)(at), t)
	case reflect.Func:
		d.function((*unsafe.Pointer)(at))
	case reflect.Interface:
		d.dynamic(reflect.NewAt(t, at).Elem())
	case reflect.Array:
		for i := range t.Len() {
			d.value(unsafe.Add(at, uintptr(i)*t.Elem().Size()), t.Elem())
		}
	case reflect.Struct:
		if element := atomicElement(t); element != nil {
			*atomicPointer(at, t) = d.pointer(element, 1)
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			d.value(unsafe.Add(at, f.Offset), f.Type)
		}
	}
}

// pointer reads a pointer to n values of a type.
func (d *decoder) pointer(t reflect.Type, n int) unsafe.Pointer {
	number := d.uint(uint64(len(d.objects) + firstNumber - 1))
	switch {
	case number == nilPointer || d.err != nil:
		return nil
	case number == emptyTarget:
		return reflect.New(t).UnsafePointer()
	}
	d.last = number - firstNumber
	o := &d.objects[d.last]
	offset := d.uint(maxValues)
	if o.isMap() || uintptr(offset)+t.Size()*uintptr(n) > o.bytes() {
		d.fail("found a pointer to %d of %s at byte %d of %d of %s", n, t, offset, o.n, o.typ)
		return nil
	}
	return unsafe.Add(o.at, offset)
}

func (d *decoder) slice(h *sliceHeader, element reflect.Type) {
	var made sliceHeader
	if made.data = d.pointer(element, 0); made.data != nil {
		made.len, made.cap = d.uint(maxValues), d.uint(maxValues)
	}
	if made.len > made.cap || d.outsideObject(made.data, element, made.cap) {
		d.fail("found a slice of %d values with a capacity of %d", made.len, made.cap)
		made = sliceHeader{}
	}
	*h = made
}

// outsideObject reports whether some of n values from an address on lie outside of the object there.
func (d *decoder) outsideObject(at unsafe.Pointer, t reflect.Type, n int) bool {
	if t.Size() == 0 || n == 0 {
		return false
	}
	o := &d.objects[d.last]
	return uintptr(at)-uintptr(o.at)+t.Size()*uintptr(n) > o.bytes()
}

func (d *decoder) mapReference(at *unsafe.Pointer, t reflect.Type) {
	number := d.uint(uint64(len(d.objects) + firstNumber - 1))
	switch {
	case d.err != nil:
	case number < firstNumber:
		*at = nil
	case d.objects[number-firstNumber].typ != t:
		d.fail("found a map of %s: want %s", d.objects[number-firstNumber].typ, t)
	default:
		*at = d.objects[number-firstNumber].at
	}
}

func (d *decoder) function(at *unsafe.Pointer) {
	number := d.uint(uint64(len(d.g.functions) + firstNumber - 1))
	switch {
	case d.err != nil:
	case number < firstNumber:
		*at = nil
	default:
		*at = d.g.functions[number-firstNumber]
	}
}

// dynamic reads the value of an interface.
func (d *decoder) dynamic(to reflect.Value) {
	name := d.text()
	if name == "" {
		to.SetZero()
		return
	}
	t := d.typeOf(name)
	if d.err != nil {
		return
	}
	if !t.AssignableTo(to.Type()) {
		d.fail("found a value of %s: want %s", t, to.Type())
		return
	}
	v := reflect.New(t)
	d.value(v.UnsafePointer(), t)
	to.Set(v.Elem())
}

package checkpoint

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"reflect"
	"runtime"
	"unsafe"
)

// Kinds of a pointer in a saved state; others are numbers of objects.
const (
	nilPointer  = iota
	emptyTarget // of no size, but not nil
	firstNumber
)

// Save writes the state of the objects.
func (g *Graph) Save(w io.Writer) error {
	s := newScanner(g)
	for i := range g.objects {
		o := g.objects[i]
		s.seen[object{at: o.at, typ: o.typ, n: o.n}] = true
		s.first[o.at] = i
		s.found = append(s.found, o)
	}
	for _, f := range g.functions {
		s.function[f] = true
	}
	s.functions = append(s.functions, g.functions...)
	s.scanPointers(g.roots)
	now, err := s.indexObjects(len(g.objects))
	if err != nil {
		return err
	}
	e := &encoder{g: g, places: now, w: bufio.NewWriterSize(w, 1<<16)}
	e.uint(uint64(len(g.objects)))
	e.uint(uint64(len(now.objects)))
	for i := len(g.objects); i < len(now.objects); i++ {
		o := &now.objects[i]
		e.text(typeName(o.typ))
		e.uint(uint64(o.n))
	}
	for i := range now.objects {
		if o := &now.objects[i]; !o.constant {
			e.object(o)
		}
	}
	if e.err != nil {
		return e.err
	}
	return e.w.Flush()
}

// Digest is equal for equal objects, constant ones included: those that Scan found, as they are now.
func (g *Graph) Digest() ([]byte, error) {
	h := sha256.New()
	e := &encoder{g: g, places: g.places, w: bufio.NewWriterSize(h, 1<<16), digest: h}
	for i := range g.objects {
		e.object(&g.objects[i])
	}
	if e.err != nil {
		return nil, e.err
	}
	err := e.w.Flush()
	return h.Sum(nil), err
}

// An encoder writes values. It keeps its first error.
type encoder struct {
	g      *Graph
	places *objectIndex
	w      *bufio.Writer
	digest hash.Hash // the values are for a digest: functions are their names. nil: they are to be restored
	in     *object   // that is written
	buffer [binary.MaxVarintLen64]byte
	err    error
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("checkpoint: in %s: %s", e.in.typ, fmt.Sprintf(format, args...))
	}
}

func (e *encoder) uint(n uint64) { e.bytes(binary.AppendUvarint(e.buffer[:0], n)) }

func (e *encoder) bytes(b []byte) {
	if _, err := e.w.Write(b); e.err == nil && err != nil {
		e.err = err
	}
}

func (e *encoder) text(s string) {
	e.uint(uint64(len(s)))
	if _, err := e.w.WriteString(s); e.err == nil && err != nil {
		e.err = err
	}
}

// object writes what an object contains.
func (e *encoder) object(o *object) {
	e.in = o
	switch {
	case e.g.host[o.typ]:
	case o.isMap():
		e.entries(mapOf(o))
	case e.g.layoutOf(o.typ).raw:
		e.bytes(unsafe.Slice((*byte)(o.at), o.bytes()))
	default:
		for i := range o.n {
			e.value(o.element(i), o.typ)
		}
	}
}

// entries writes those of a map.
func (e *encoder) entries(m reflect.Value) {
	keys, err := sortedKeys(m, func(p unsafe.Pointer) (int, bool) {
		n, offset, ok := e.places.find(p)
		return n<<20 + int(offset), ok
	})
	if err != nil {
		e.fail("%v", err)
	}
	e.uint(uint64(len(keys)))
	for _, k := range keys {
		e.copied(k)
		e.copied(m.MapIndex(k))
	}
}

// copied writes a value that has no place of its own.
func (e *encoder) copied(v reflect.Value) {
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	e.value(c.UnsafePointer(), v.Type())
}

// value writes the value at an address.
func (e *encoder) value(at unsafe.Pointer, t reflect.Type) {
	switch {
	case e.g.host[t]:
		return
	case e.g.layoutOf(t).raw:
		e.bytes(unsafe.Slice((*byte)(at), t.Size()))
		return
	}
	switch t.Kind() {
	case reflect.String:
		e.text(*(*string)(at))
	case reflect.Pointer:
		e.pointer(*(*unsafe.Pointer)(at), t.Elem())
	case reflect.Slice:
		h := (*sliceHeader)(at)
		if e.pointer(h.data, t.Elem(), h.cap); h.data != nil {
			e.uint(uint64(h.len))
			e.uint(uint64(h.cap))
		}
	case reflect.Map:
		e.mapReference(reflect.NewAt(t, at).Elem())
	case reflect.Func:
		e.function(*(*unsafe.Pointer)(at))
	case reflect.Interface:
		e.dynamic(reflect.NewAt(t, at).Elem())
	case reflect.Array:
		for i := range t.Len() {
			e.value(unsafe.Add(at, uintptr(i)*t.Elem().Size()), t.Elem())
		}
	case reflect.Struct:
		if element := atomicElement(t); element != nil {
			e.pointer(*atomicPointer(at, t), element)
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			e.value(unsafe.Add(at, f.Offset), f.Type)
		}
	case reflect.UnsafePointer:
		if *(*unsafe.Pointer)(at) != nil {
			e.fail("found an unsafe.Pointer: its object is not known")
		}
	case reflect.Chan: // those that were made before Scan stay; the others are made again by who uses them
	}
}

// pointer writes a pointer to a value, or to the first of a slice's capacity.
func (e *encoder) pointer(p unsafe.Pointer, t reflect.Type, capacity ...int) {
	switch {
	case p == nil:
		e.uint(nilPointer)
		return
	case t.Size() == 0 || len(capacity) > 0 && capacity[0] == 0:
		e.uint(emptyTarget)
		return
	}
	n, offset, ok := e.places.find(p)
	if !ok {
		e.fail("the target of a pointer to %s is not known", t)
	}
	e.uint(uint64(n + firstNumber))
	e.uint(uint64(offset))
}

func (e *encoder) mapReference(m reflect.Value) {
	if m.IsNil() {
		e.uint(nilPointer)
		return
	}
	e.uint(uint64(e.places.maps[m.UnsafePointer()] + firstNumber))
}

func (e *encoder) function(p unsafe.Pointer) {
	if p == nil {
		e.uint(nilPointer)
		return
	}
	name := runtime.FuncForPC(*(*uintptr)(p)).Name()
	n, ok := e.places.function[p]
	switch {
	case e.digest != nil:
		e.text(name)
		return
	case !ok || n >= len(e.g.functions):
		e.fail("found the function %s, which was set during the run", name)
	}
	e.uint(uint64(n + firstNumber))
}

// dynamic writes the value of an interface, with its type.
func (e *encoder) dynamic(v reflect.Value) {
	if v.IsNil() {
		e.text("")
		return
	}
	e.text(typeName(v.Elem().Type()))
	e.copied(v.Elem())
}

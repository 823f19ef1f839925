// Package checkpoint saves the state of a program's objects, and restores it in another process that has built the same objects.
//
// Scan finds all objects that a root reaches when they have just been built, and numbers them: another process that builds them in the same
// way has the same numbers. Save writes what all of them contain later, with the objects that were made since. Load makes those objects, and
// gives all of them that content. No type says what of it is state: everything is, so that no field can be forgotten. What is not in the
// objects' memory can't be saved: a function that was set after Scan is an error, by its name.
//
// The package knows nothing of a simulator.
package checkpoint

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"spvsim/internal/lists"
)

// Rules say what of the objects is not state.
type Rules struct {
	// Constant are pointers to values that do not change after Scan, nor does what they reach. Load leaves them as they are.
	Constant []any
	// Host are types whose values belong to the process. Load leaves them as they are.
	Host []reflect.Type
	// LateTypes are types of values in interfaces that may be made after Scan, if no interface has them before.
	LateTypes []reflect.Type
}

// An object is memory with a type: n values, one after the other. A map is an object as well, with its header as address.
type object struct {
	at       unsafe.Pointer
	typ      reflect.Type
	n        int
	constant bool
}

func (o *object) bytes() uintptr { return o.typ.Size() * uintptr(o.n) }
func (o *object) isMap() bool    { return o.n == 0 }

// element returns the address of the i-th value.
func (o *object) element(i int) unsafe.Pointer { return unsafe.Add(o.at, uintptr(i)*o.typ.Size()) }

// A Graph is the objects that the roots reach.
type Graph struct {
	roots     []any
	host      map[reflect.Type]bool
	layouts   map[reflect.Type]layout
	types     map[string]reflect.Type
	objects   []object     // those of Scan; by number
	places    *objectIndex // of objects
	functions []unsafe.Pointer
}

// Scan numbers the objects that roots, which are pointers, reach.
func Scan(rules Rules, roots ...any) (*Graph, error) {
	g := &Graph{roots: roots, host: map[reflect.Type]bool{}, layouts: map[reflect.Type]layout{}, types: map[string]reflect.Type{}}
	for _, t := range slices.Concat(rules.Host, []reflect.Type{reflect.TypeOf(reflect.TypeFor[int]()).Elem()}) { // a reflect.Type is constant data of the program
		g.host[t] = true
	}
	for _, t := range rules.LateTypes {
		g.addType(t)
	}
	s := newScanner(g)
	s.constant = true
	s.scanPointers(rules.Constant)
	s.constant = false
	s.scanPointers(roots)
	var err error
	if g.places, err = s.indexObjects(0); err != nil {
		return nil, err
	}
	g.objects, g.functions = g.places.objects, s.functions
	return g, nil
}

// addType registers a type, and those that its values have static places for.
func (g *Graph) addType(t reflect.Type) {
	name := typeName(t)
	if known, ok := g.types[name]; ok {
		if known != t {
			g.types[name] = nil // two types have the name: none can be found by it
		}
		return
	}
	g.types[name] = t
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		g.addType(t.Elem())
	case reflect.Map:
		g.addType(t.Key())
		g.addType(t.Elem())
	case reflect.Struct:
		if e := atomicElement(t); e != nil {
			g.addType(e)
		}
		for i := range t.NumField() {
			g.addType(t.Field(i).Type)
		}
	}
}

// typeName returns the name of a type with the package that defines it.
func typeName(t reflect.Type) string { return t.PkgPath() + " " + t.String() }

// atomicElement returns what an atomic.Pointer points to; nil: it is no such type.
func atomicElement(t reflect.Type) reflect.Type {
	if t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer[") {
		return t.Field(0).Type.Elem().Elem() // [0]*T
	}
	return nil
}

// A layout says how values of a type are written.
type layout struct {
	pointerFree bool // they hold no pointers
	raw         bool // nor bytes between their fields: they are written as they lie in memory
}

func (g *Graph) layoutOf(t reflect.Type) layout {
	if l, ok := g.layouts[t]; ok {
		return l
	}
	l := layout{}
	switch t.Kind() {
	case reflect.Array:
		l = g.layoutOf(t.Elem())
	case reflect.Struct:
		l = layout{pointerFree: true, raw: true}
		size := uintptr(0)
		for i := range t.NumField() {
			f := t.Field(i).Type
			of := g.layoutOf(f)
			l.pointerFree, l.raw = l.pointerFree && of.pointerFree, l.raw && of.raw
			size += f.Size()
		}
		l.raw = l.raw && size == t.Size()
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.String, reflect.UnsafePointer:
	default:
		l = layout{pointerFree: true, raw: true}
	}
	g.layouts[t] = l
	return l
}

// A scanner finds objects.
type scanner struct {
	g         *Graph
	seen      map[object]bool
	first     map[unsafe.Pointer]int // the first object found at an address
	found     []object
	scanned   int // objects that have been looked into
	constant  bool
	functions []unsafe.Pointer
	function  map[unsafe.Pointer]bool
	err       error
}

func newScanner(g *Graph) *scanner {
	return &scanner{g: g, seen: map[object]bool{}, first: map[unsafe.Pointer]int{}, function: map[unsafe.Pointer]bool{}}
}

// scanPointers finds what pointers scanPointers.
func (s *scanner) scanPointers(pointers []any) {
	for _, p := range pointers {
		if p != nil {
			s.value(reflect.ValueOf(p))
		}
	}
	var later []object // maps whose keys are pointers to what has not been found yet
	for s.scanned < len(s.found) || len(later) > 0 {
		if s.scanned == len(s.found) {
			if later = s.scanMapsAgain(later); s.err != nil {
				return
			}
			continue
		}
		o := s.found[s.scanned]
		s.scanned++
		switch {
		case s.g.host[o.typ]:
		case o.isMap():
			if s.entries(&o) != nil {
				later = append(later, o)
			}
		case !s.g.layoutOf(o.typ).pointerFree:
			for i := range o.n {
				s.scanValue(o.element(i), o.typ)
			}
		}
	}
}

// add adds an object.
func (s *scanner) add(at unsafe.Pointer, t reflect.Type, n int) {
	if t.Size() == 0 {
		return
	}
	o := object{at: at, typ: t, n: n}
	if s.seen[o] {
		return
	}
	s.seen[o] = true
	if _, ok := s.first[at]; !ok {
		s.first[at] = len(s.found)
	}
	o.constant = s.constant
	s.found = append(s.found, o)
	s.g.addType(t)
}

// value finds what a value refers to that has no place of its own.
func (s *scanner) value(v reflect.Value) {
	s.g.addType(v.Type())
	if s.g.layoutOf(v.Type()).pointerFree {
		return
	}
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	s.scanValue(c.UnsafePointer(), v.Type())
}

// scanValue finds what the value at an address refers to.
func (s *scanner) scanValue(at unsafe.Pointer, t reflect.Type) {
	if s.g.host[t] || s.g.layoutOf(t).pointerFree {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		if p := *(*unsafe.Pointer)(at); p != nil {
			s.add(p, t.Elem(), 1)
		}
	case reflect.Slice:
		if h := (*sliceHeader)(at); h.cap > 0 {
			s.add(h.data, t.Elem(), h.cap)
		}
	case reflect.Map:
		if v := reflect.NewAt(t, at).Elem(); !v.IsNil() {
			s.add(v.UnsafePointer(), t, 0)
		}
	case reflect.Func:
		if p := *(*unsafe.Pointer)(at); p != nil && !s.function[p] {
			s.function[p] = true
			s.functions = append(s.functions, p)
		}
	case reflect.Interface:
		if v := reflect.NewAt(t, at).Elem(); !v.IsNil() {
			s.value(v.Elem())
		}
	case reflect.Array:
		for i := range t.Len() {
			s.scanValue(unsafe.Add(at, uintptr(i)*t.Elem().Size()), t.Elem())
		}
	case reflect.Struct:
		if e := atomicElement(t); e != nil {
			if p := atomicPointer(at, t); *p != nil {
				s.add(*p, e, 1)
			}
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			s.scanValue(unsafe.Add(at, f.Offset), f.Type)
		}
	}
}

// sliceHeader is a slice in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// atomicPointer returns the address of the pointer in an atomic.Pointer.
func atomicPointer(at unsafe.Pointer, t reflect.Type) *unsafe.Pointer {
	f, _ := t.FieldByName("v")
	return (*unsafe.Pointer)(unsafe.Add(at, f.Offset))
}

func mapOf(o *object) reflect.Value {
	at := o.at
	return reflect.NewAt(o.typ, unsafe.Pointer(&at)).Elem()
}

// scanMapsAgain looks into maps again when all else has been found. It returns those whose keys are still not known: fewer, or there is an error.
func (s *scanner) scanMapsAgain(list []object) (left []object) {
	var err error
	for i := range list {
		if e := s.entries(&list[i]); e != nil {
			left, err = append(left, list[i]), e
		}
	}
	if len(left) == len(list) {
		s.err = err
	}
	return left
}

// entries finds what a map refers to.
func (s *scanner) entries(o *object) error {
	m := mapOf(o)
	keys, err := sortedKeys(m, func(p unsafe.Pointer) (int, bool) { n, ok := s.first[p]; return n, ok })
	for _, k := range keys {
		s.value(k)
		s.value(m.MapIndex(k))
	}
	return err
}

// sortedKeys returns the keys of a map in an order that does not depend on addresses; number numbers the objects.
func sortedKeys(m reflect.Value, number func(unsafe.Pointer) (int, bool)) ([]reflect.Value, error) {
	type sorted struct {
		key  reflect.Value
		text string
	}
	var list []sorted
	for _, k := range m.MapKeys() {
		text, known := keyText(k, number)
		if !known && m.Len() > 1 {
			return nil, fmt.Errorf("checkpoint: a map of %s: the order of its keys is not known", m.Type())
		}
		list = append(list, sorted{k, text})
	}
	slices.SortFunc(list, func(a, b sorted) int { return cmp.Compare(a.text, b.text) })
	keys := lists.Map(list, func(s sorted) reflect.Value { return s.key })
	return keys, nil
}

// keyText returns a text that distinguishes a key from others of its map; pointers are the numbers of their objects.
func keyText(k reflect.Value, number func(unsafe.Pointer) (int, bool)) (text string, known bool) {
	switch k.Kind() {
	case reflect.Pointer:
		n, ok := number(k.UnsafePointer())
		return fmt.Sprintf("%020d", n), ok || k.IsNil()
	case reflect.Interface:
		if k.IsNil() {
			return "", true
		}
		text, known = keyText(k.Elem(), number)
		return k.Elem().Type().String() + text, known
	case reflect.Struct, reflect.Array:
		known = true
		for i := range countOf(k) {
			part, ok := keyText(partOf(k, i), number)
			text, known = text+part+"\x00", known && ok
		}
		return text, known
	case reflect.String:
		return k.String(), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("%020d", uint64(k.Int())), true
	case reflect.Bool:
		return fmt.Sprint(k.Bool()), true
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint(k.Float()), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprintf("%020d", k.Uint()), true
	}
	return "", false
}

func countOf(v reflect.Value) int {
	if v.Kind() == reflect.Array {
		return v.Len()
	}
	return v.NumField()
}

func partOf(v reflect.Value, i int) reflect.Value {
	if v.Kind() == reflect.Array {
		return v.Index(i)
	}
	return v.Field(i)
}

// objectIndex has the objects that are part of no other, by number and by address.
type objectIndex struct {
	objects  []object
	byPlace  []int // numbers, by address
	maps     map[unsafe.Pointer]int
	function map[unsafe.Pointer]int
}

// indexObjects joins the objects that were found: those within others are parts of them. The first ones must stay what they are.
func (s *scanner) indexObjects(born int) (*objectIndex, error) {
	if s.err != nil {
		return nil, s.err
	}
	order := make([]int, 0, len(s.found))
	p := &objectIndex{maps: map[unsafe.Pointer]int{}, function: map[unsafe.Pointer]int{}}
	for i := range s.found {
		if !s.found[i].isMap() {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &s.found[i], &s.found[j]
		return cmp.Or(cmp.Compare(uintptr(a.at), uintptr(b.at)), cmp.Compare(b.bytes(), a.bytes()), cmp.Compare(i, j))
	})
	whole := make([]bool, len(s.found))
	last := -1
	for _, i := range order {
		o := &s.found[i]
		if last >= 0 {
			l := &s.found[last]
			offset := uintptr(o.at) - uintptr(l.at)
			switch end := offset + o.bytes(); {
			case end <= l.bytes():
				l.constant = l.constant || o.constant && o.bytes() == l.bytes()
				continue
			case offset < l.bytes() && (last < born || o.typ != l.typ || offset%o.typ.Size() != 0):
				return nil, fmt.Errorf("checkpoint: %d of %s and %d of %s overlap", l.n, l.typ, o.n, o.typ)
			case offset < l.bytes():
				l.n = int(end / o.typ.Size())
				continue
			}
		}
		whole[i], last = true, i
	}
	for i := range s.found {
		o := &s.found[i]
		switch {
		case o.isMap():
			p.maps[o.at] = len(p.objects)
		case !whole[i] && i < born:
			return nil, fmt.Errorf("checkpoint: %d of %s have become part of another object", o.n, o.typ)
		case !whole[i]:
			continue
		}
		p.objects = append(p.objects, *o)
	}
	for i := range p.objects {
		if !p.objects[i].isMap() {
			p.byPlace = append(p.byPlace, i)
		}
	}
	slices.SortFunc(p.byPlace, func(i, j int) int { return cmp.Compare(uintptr(p.objects[i].at), uintptr(p.objects[j].at)) })
	for i, f := range s.functions {
		p.function[f] = i
	}
	return p, nil
}

// find returns the object that an address lies in, and the distance from its begin.
func (p *objectIndex) find(at unsafe.Pointer) (number int, offset uintptr, ok bool) {
	i, exact := slices.BinarySearchFunc(p.byPlace, at, func(n int, at unsafe.Pointer) int { return cmp.Compare(uintptr(p.objects[n].at), uintptr(at)) })
	if !exact {
		i--
	}
	if i < 0 {
		return 0, 0, false
	}
	o := &p.objects[p.byPlace[i]]
	offset = uintptr(at) - uintptr(o.at)
	return p.byPlace[i], offset, offset < o.bytes()
}

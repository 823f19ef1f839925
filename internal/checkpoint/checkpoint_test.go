package checkpoint_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"spvsim/internal/checkpoint"
	"spvsim/internal/suite"
)

// A part refers to others in each way that a field can.
type part struct {
	name     string
	small    int8
	wide     uint64 // after a gap
	next     *part
	into     *uint64 // a field of a part
	list     []*part
	row      []uint64 // of an array that parts share
	byName   map[string]*part
	byPart   map[*part]int
	any      any
	current  atomic.Pointer[part]
	pair     [2]struct{ p *part }
	do       func() int
	wake     chan int
	empty    []uint64
	_        struct{}
	constant *settings
	host     *host
}

type settings struct {
	rate  float64
	first *part // which is constant with it
}

// A host is of a process.
type host struct{ files int }

// A label is a value that only interfaces hold.
type label struct{ text string }

type world struct {
	parts []*part
	row   []uint64
	rules checkpoint.Rules
}

// build makes a world, the same each time.
func build() *world {
	w := &world{row: make([]uint64, 64)}
	shared := &settings{rate: 2, first: &part{name: "constant"}}
	for i := range 4 {
		p := &part{name: fmt.Sprint(i), byName: map[string]*part{}, byPart: map[*part]int{}, constant: shared, host: &host{i}, wake: make(chan int)}
		p.do = func() int { return i }
		w.parts = append(w.parts, p)
	}
	w.rules = checkpoint.Rules{Constant: []any{shared}, Host: []reflect.Type{reflect.TypeFor[host]()}, LateTypes: []reflect.Type{reflect.TypeFor[label](), reflect.TypeFor[*[2]struct{ p *part }](), reflect.TypeFor[uint16]()}}
	return w
}

// run changes a world at random, and makes parts.
func (w *world) run(draw *rand.Rand, steps int) {
	one := func() *part { return w.parts[draw.IntN(len(w.parts))] }
	for range steps {
		p, q := one(), one()
		switch draw.IntN(15) {
		case 0:
			w.parts = append(w.parts, &part{name: fmt.Sprint("made ", draw.IntN(99)), next: q, constant: q.constant, do: q.do, host: q.host})
		case 1:
			p.next, p.into = q, &q.wide
		case 2:
			p.list = append(p.list, q, nil)
		case 3:
			if len(p.list) > 0 {
				p.list = p.list[1:]
			}
		case 4:
			at := draw.IntN(60)
			p.row = w.row[at : at+draw.IntN(4)]
		case 5:
			if p.byName == nil {
				p.byName = one().byName
			} else {
				p.byName[fmt.Sprint(draw.IntN(5))] = q
			}
		case 6:
			if p.byPart != nil {
				p.byPart[q] += draw.IntN(7)
			}
		case 7:
			p.any = []any{q, label{fmt.Sprint(draw.IntN(9))}, p.byName, nil, uint16(draw.IntN(9)), &q.pair}[draw.IntN(6)]
		case 8:
			p.current.Store(q)
		case 9:
			p.pair[draw.IntN(2)].p = q
		case 10:
			if p.into != nil {
				*p.into += draw.Uint64N(1 << 40)
			}
			if len(p.row) > 0 {
				p.row[0]++
			}
		case 11:
			p.small, p.wide = int8(draw.IntN(256)-128), draw.Uint64()
		case 12:
			p.do, q.do = q.do, p.do
		case 13:
			p.empty = [][]uint64{nil, {}}[draw.IntN(2)]
		case 14:
			if list := p.list; cap(list) > len(list) {
				p.list = list[:len(list)+1]
			}
		}
	}
}

// text describes a world by what can be observed of it: each object with the number of its first mention.
func (w *world) text() string {
	var b strings.Builder
	numbers := map[any]int{}
	var show func(v reflect.Value)
	reference := func(key any, inside func()) {
		if n, ok := numbers[key]; ok {
			fmt.Fprintf(&b, "#%d ", n)
			return
		}
		numbers[key] = len(numbers)
		fmt.Fprintf(&b, "#%d=", len(numbers)-1)
		inside()
	}
	show = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() || v.Type().Elem() == reflect.TypeFor[host]() {
				b.WriteString("nil ")
				return
			}
			reference(v.UnsafePointer(), func() { show(v.Elem()) })
		case reflect.Map:
			if v.IsNil() {
				b.WriteString("nil ")
				return
			}
			reference(v.UnsafePointer(), func() {
				for _, p := range w.parts { // in an order that both worlds have
					for _, k := range v.MapKeys() {
						if k.Kind() == reflect.String && k.String() == p.name || k.Kind() == reflect.Pointer && k.UnsafePointer() == reflect.ValueOf(p).UnsafePointer() {
							show(v.MapIndex(k))
						}
					}
				}
				fmt.Fprintf(&b, "len %d ", v.Len())
			})
		case reflect.Slice:
			fmt.Fprintf(&b, "[%v %d %d: ", v.IsNil(), v.Len(), v.Cap())
			for i := range v.Len() {
				show(v.Index(i))
			}
			b.WriteString("] ")
		case reflect.Interface:
			if !v.IsNil() {
				b.WriteString(v.Elem().Type().String() + " ")
				show(v.Elem())
			}
		case reflect.Struct, reflect.Array:
			n := 0
			if v.Kind() == reflect.Struct {
				n = v.NumField()
			}
			for i := range n {
				show(v.Field(i))
			}
			for i := 0; v.Kind() == reflect.Array && i < v.Len(); i++ {
				show(v.Index(i))
			}
		case reflect.UnsafePointer:
			if p := v.UnsafePointer(); p != nil {
				reference(p, func() { show(reflect.NewAt(reflect.TypeFor[part](), p).Elem()) })
			}
		case reflect.Func, reflect.Chan:
			fmt.Fprintf(&b, "%v ", v.IsNil())
		default:
			fmt.Fprintf(&b, "%v ", v)
		}
	}
	show(reflect.ValueOf(w.parts))
	show(reflect.ValueOf(w.row))
	for _, p := range w.parts {
		fmt.Fprint(&b, p.do(), " ")
	}
	return b.String()
}

// A world that loads the state of another one is like it, and goes on like it: whatever refers to whatever.
func TestLoadedWorldsGoOnAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		a, b := build(), build()
		images := [2]*checkpoint.Graph{}
		for i, w := range []*world{a, b} {
			g, err := checkpoint.Scan(w.rules, w)
			if err != nil {
				t.Fatal(err)
			}
			images[i] = g
		}
		first, err1 := images[0].Digest()
		second, err2 := images[1].Digest()
		if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Fatalf("equal worlds: digests %x, %x; %v, %v", first, second, err1, err2)
		}
		a.run(rand.New(rand.NewPCG(seed, 1)), rapid.IntRange(0, 200).Draw(t, "steps"))
		var state bytes.Buffer
		if err := images[0].Save(&state); err != nil {
			t.Fatal(err)
		}
		before := a.text()
		if err := images[1].Load(bytes.NewReader(state.Bytes())); err != nil {
			t.Fatal(err)
		}
		if got := b.text(); got != before {
			t.Fatalf("loaded:\n%s\nsaved:\n%s", got, before)
		}
		a.run(rand.New(rand.NewPCG(seed, 2)), 50)
		b.run(rand.New(rand.NewPCG(seed, 2)), 50)
		if a.text() != b.text() {
			t.Fatal("they go on differently")
		}
		if p := b.parts[0]; p.host.files != 0 || p.constant.first.name != "constant" {
			t.Fatal("a value of the process or a constant has changed")
		}
	})
}

// What can't be restored is an error that names it.
func TestWhatIsNotMemoryIsRefused(t *testing.T) {
	for want, change := range map[string]func(*world){
		"found the function spvsim/internal/checkpoint_test.": func(w *world) { w.parts[2].do = func() int { return len(w.parts) } },
	} {
		w := build()
		g := suite.Must(checkpoint.Scan(w.rules, w))(t)
		change(w)
		if err := g.Save(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	w, other := build(), build()
	g := suite.Must(checkpoint.Scan(w.rules, w))(t)
	w.parts[0].any = fmt.Errorf("of a type that no interface had")
	var state bytes.Buffer
	suite.OK(t, g.Save(&state))
	if err := suite.Must(checkpoint.Scan(other.rules, other))(t).Load(&state); err == nil || !strings.Contains(err.Error(), "which is not known") {
		t.Errorf("a value of an unknown type: %v", err)
	}
}

// Damaged states are errors.
func TestDamagedStates(t *testing.T) {
	w := build()
	g := suite.Must(checkpoint.Scan(w.rules, w))(t)
	w.run(rand.New(rand.NewPCG(1, 1)), 100)
	var state bytes.Buffer
	suite.OK(t, g.Save(&state))
	for n := range state.Len() {
		into := build()
		if err := suite.Must(checkpoint.Scan(into.rules, into))(t).Load(bytes.NewReader(state.Bytes()[:n])); err == nil {
			t.Fatalf("cut off after %d of %d bytes: no error", n, state.Len())
		}
	}
	into := build()
	if err := suite.Must(checkpoint.Scan(into.rules, into))(t).Load(bytes.NewReader(append(state.Bytes(), 0))); err == nil {
		t.Error("with a byte too many: no error")
	}
}

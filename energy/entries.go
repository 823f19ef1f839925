package energy

import (
	"reflect"
	"slices"
	"sync"

	"spvsim/internal/spec"
)

// An Entry is a number of the table.
type Entry struct {
	Path      string // in a machine: energy.memory.read_pj
	Unit      string
	Low, High float64 // its range
	index     []int
}

// Entries returns the numbers of a table, in its order.
var Entries = sync.OnceValue(func() []Entry { return entriesOf(reflect.TypeFor[Table](), "energy", nil) })

func entriesOf(t reflect.Type, path string, index []int) (list []Entry) {
	for _, f := range spec.Fields(t) {
		at, index := spec.Join(path, f.Name), slices.Concat(index, f.Index)
		switch f.Type.Kind() {
		case reflect.Struct:
			list = append(list, entriesOf(f.Type, at, index)...)
		case reflect.Float64:
			list = append(list, Entry{at, f.Unit, f.Low, f.High, index})
		}
	}
	return list
}

// In returns the place of the entry's number in a table.
func (e *Entry) In(t *Table) *float64 {
	return reflect.ValueOf(t).Elem().FieldByIndex(e.index).Addr().Interface().(*float64)
}

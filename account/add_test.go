package account

import (
	"reflect"
	"testing"
)

// fill sets every number in v to n, and every list to one element.
func fill(v reflect.Value, n uint64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Uint64, reflect.Uint32:
		v.SetUint(n)
	case reflect.Float64:
		v.SetFloat(float64(n))
	}
}

// notAdded are the members of a sum that are a maximum, beside those whose tag says so.
var notAdded = map[string]uint64{"Counts.Estimate.Degrees": 5}

// sums compares every number in v with the sum of two counts' numbers.
func sums(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	want := uint64(3 + 5)
	if n, ok := notAdded[path]; ok {
		want = n
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get("sum") != "max" {
				sums(t, path+"."+f.Name, v.Field(i))
			} else if n := v.Field(i).Uint(); n != 5 {
				t.Errorf("%s.%s is %d, want 5, the larger one", path, f.Name, n)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			sums(t, path, v.Index(i))
		}
	case reflect.Slice:
		if path == "Counts.Estimate.Units" {
			if v.Len() != 2 || v.Index(0).Field(2).Uint() != 3 || v.Index(1).Field(2).Uint() != 5 {
				t.Errorf("%s is %v, want those of both", path, v)
			}
			return
		}
		if path == "Counts.Graph.Nodes.Waits" || path == "Counts.Graph.Nodes.Starts" { // of each payload
			if v.Len() != 2 || v.Index(0).Uint() != 3 || v.Index(1).Uint() != 5 {
				t.Errorf("%s is %v, want those of both", path, v)
			}
			return
		}
		for i := range v.Len() {
			sums(t, path, v.Index(i))
		}
	case reflect.Pointer:
		sums(t, path, v.Elem())
	case reflect.Uint64, reflect.Uint32:
		if v.Uint() != want {
			t.Errorf("%s is %d, want %d: missing in Add", path, v.Uint(), want)
		}
	case reflect.Float64:
		if v.Float() != float64(want) {
			t.Errorf("%s is %g, want %d", path, v.Float(), want)
		}
	}
}

// A sum of two launches has the sum of each of their counts, including ones that are added to the structures later.
func TestEveryCountIsAdded(t *testing.T) {
	var a, b Counts
	fill(reflect.ValueOf(&a).Elem(), 3)
	fill(reflect.ValueOf(&b).Elem(), 5)
	a.Add(&b)
	sums(t, "Counts", reflect.ValueOf(a))

	var one, other InstCount
	fill(reflect.ValueOf(&one).Elem(), 3)
	fill(reflect.ValueOf(&other).Elem(), 5)
	one.Add(&other)
	sums(t, "InstCount", reflect.ValueOf(one))
}

// Subtract subtracts every count of a level.
func TestEveryCountOfALevelIsSubtracted(t *testing.T) {
	var now, before LevelCounts
	fill(reflect.ValueOf(&now).Elem(), 13)
	fill(reflect.ValueOf(&before).Elem(), 5)
	now.Subtract(&before)
	sums(t, "Level", reflect.ValueOf(now)) // 8

	var l, o LDSCounts
	fill(reflect.ValueOf(&l).Elem(), 13)
	fill(reflect.ValueOf(&o).Elem(), 5)
	l.Subtract(&o)
	sums(t, "LDSCounts", reflect.ValueOf(l))
}

package opt

import (
	"reflect"
	"testing"

	"spvsim/isa"
	"spvsim/program/ir"
)

// changedFields are accesses that differ from one of zeros in one field each, by its name.
func changedFields() map[string]*ir.Mem {
	list := map[string]*ir.Mem{}
	var walk func(v reflect.Value, path []int)
	root := reflect.TypeFor[ir.Mem]()
	walk = func(v reflect.Value, path []int) {
		for i := range v.NumField() {
			at := append(append([]int(nil), path...), i)
			if f := v.Type().Field(i); f.Type.Kind() == reflect.Struct {
				walk(v.Field(i), at)
				continue
			}
			m := reflect.New(root)
			switch f := m.Elem().FieldByIndex(at); f.Kind() {
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int:
				f.SetInt(1)
			case reflect.Uint8, reflect.Uint32:
				f.SetUint(1)
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
			default:
				continue
			}
			list[v.Type().Field(i).Name] = m.Interface().(*ir.Mem)
		}
	}
	walk(reflect.New(root).Elem(), nil)
	return list
}

// Two accesses are the same where all is that says what is accessed and how; what is only known of it, or follows from the operation and its
// arguments, may differ.
func TestAccessesThatAreTheSame(t *testing.T) {
	known := map[string]bool{"Object": true, "ReadOnly": true, "Align": true, "Low": true, "High": true, "Coherent": true, "Payload": true, "Speculative": true,
		"Sampling": true, "Extra": true, "Compare": true, "SamplerIndexed": true, "Offsets": true}
	seen := 0
	for name, m := range changedFields() {
		seen++
		if got := sameMem(&ir.Mem{}, m); got != known[name] || sameMem(m, &ir.Mem{}) != got || !sameMem(m, m) {
			t.Errorf("accesses that differ in %s are the same: %t", name, got)
		}
	}
	if seen < 20 {
		t.Errorf("%d fields", seen)
	}
}

// What is selected instead of branched around is cheap: moves, whole-number and float arithmetic, comparisons and conversions; not divisions,
// roots, memory or what looks at other lanes. Of 64 bits it counts twice.
func TestCostsOfSelectedValues(t *testing.T) {
	for op, want := range map[isa.Op]int{
		isa.Const: 0, isa.Undef: 0, isa.Mov: 1, isa.Select: 1, isa.IAdd: 1, isa.IMul: 1, isa.UMulHi: 1, isa.UMin: 1, isa.IMad: 1, isa.FAdd: 1, isa.FSub: 1, isa.FMul: 1,
		isa.UDiv: never, isa.SDiv: never, isa.UMod: never, isa.SRem: never, isa.SMod: never, isa.DivSelect: 1, isa.FDiv: never, isa.FNeg: 1, isa.FRem: never, isa.FMod: never,
		isa.Fract: 1, isa.Fma: 1, isa.SToF: 1, isa.Sqrt: never, isa.Load: never, isa.Ballot: never, isa.Barrier: never,
	} {
		for r, factor := range map[isa.Type]int{isa.I32: 1, isa.I64: 2} {
			v := &ir.Value{Op: op, R: r}
			if op == isa.Load {
				v.Mem = &ir.Mem{}
			}
			cost := want * factor
			if want == never {
				cost = never
			}
			if got := selectedCost(v); got != cost {
				t.Errorf("%s of %v costs %d, want %d", isa.Table[op].Name, r, got, cost)
			}
		}
	}
}

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

// Two accesses are the same if all fields are equal that determine the accessed memory and the kind of access; known
// facts, and fields that follow from the operation and its arguments, may differ.
func TestAccessesThatAreTheSame(t *testing.T) {
	known := map[string]bool{"Object": true, "ReadOnly": true, "NonWritable": true, "Unclobbered": true, "Align": true, "Joined": true, "Argument": true, "Low": true, "High": true, "Coherent": true, "Payload": true, "Speculative": true,
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

// Only cheap values are selected instead of branched around: moves, integer and float arithmetic, comparisons and
// conversions; not divisions, roots, memory or operations across lanes. 64 bits count twice.
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

// Two values are alike, so that one may be computed of chosen operands for both, where the operation and its types are the same, and an access is to
// the same memory in the same form, from buffers, LDS or addresses.
func TestValuesThatAreAlike(t *testing.T) {
	s := &ifMerger{}
	plain := func() *ir.Value {
		return &ir.Value{Op: isa.IAdd, T: isa.I32, From: isa.I32, R: isa.I32, Args: make([]*ir.Value, 2)}
	}
	for name, edit := range map[string]func(v *ir.Value){
		"":     func(*ir.Value) {},
		"Op":   func(v *ir.Value) { v.Op = isa.ISub },
		"T":    func(v *ir.Value) { v.T = isa.I64 },
		"From": func(v *ir.Value) { v.From = isa.I64 },
		"R":    func(v *ir.Value) { v.R = isa.I64 },
		"Imm":  func(v *ir.Value) { v.Imm = 1 },
		"Args": func(v *ir.Value) { v.Args = v.Args[:1] },
		"Mem":  func(v *ir.Value) { v.Mem = &ir.Mem{} },
	} {
		v := plain()
		if edit(v); s.sameOperation(plain(), v) != (name == "") {
			t.Errorf("values that differ in %q are alike: %t", name, name != "")
		}
	}
	for _, op := range []isa.Op{isa.Const, isa.Undef, isa.Barrier, isa.Ballot, isa.Proj} {
		if v := (&ir.Value{Op: op}); s.sameOperation(v, v) && !v.Op.Has(isa.FlagPure) || s.sameOperation(v, v) && (op == isa.Const || op == isa.Undef || op == isa.Proj) {
			t.Errorf("%s is merged with itself", isa.Table[op].Name)
		}
	}
	free := map[string]bool{"Count": true, "Coherent": true, "Speculative": true, "Coords": true, "Object": true, "ReadOnly": true, "NonWritable": true, "Unclobbered": true, "Volatile": true, "Align": true, "Joined": true, "Argument": true, "Low": true, "High": true,
		"Sampling": true, "Extra": true, "Compare": true, "SamplerIndexed": true, "Offsets": true, "ImageFormat": true, "Dim": true, "Arrayed": true, "Multisampled": true, "Level": true, "Sample": true, "Sampler": true}
	load := func(m *ir.Mem) *ir.Value { return &ir.Value{Op: isa.Load, Mem: m} }
	for name, m := range changedFields() {
		if name == "Space" {
			continue
		}
		base := &ir.Mem{}
		m.Space, base.Space = isa.SpaceBuffer, isa.SpaceBuffer
		if got := s.sameOperation(load(base), load(m)); got != free[name] {
			t.Errorf("accesses that differ in %s are alike: %t", name, got)
		}
	}
	for space, want := range map[isa.Space]bool{isa.SpaceBuffer: true, isa.SpaceLDS: true, isa.SpaceFlat: true, isa.SpaceImage: false, isa.SpaceScratch: false} {
		a, b := load(&ir.Mem{}), load(&ir.Mem{})
		if a.Mem.Space, b.Mem.Space = space, space; s.sameOperation(a, b) != want {
			t.Errorf("accesses to space %d are alike: %t", space, !want)
		}
		if b.Mem.Space = isa.SpaceImage; s.sameOperation(a, b) {
			t.Errorf("accesses to spaces %d and %d are alike", space, isa.SpaceImage)
		}
	}
}

package program

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spvsim/internal/suite"
	"spvsim/isa"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// fillAll sets every field of a value to something that is not zero, functions left out; lists have two items.
func fillAll(v reflect.Value, next *uint64, depth int) {
	*next++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-int64(*next%100 + 1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(*next%100 + 1)
	case reflect.String:
		v.SetString(string(rune('a' + *next%26)))
	case reflect.Pointer:
		if depth < 12 { // a second instruction has no third
			v.Set(reflect.New(v.Type().Elem()))
			fillAll(v.Elem(), next, depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillItems(v, next, depth)
	case reflect.Array:
		fillItems(v, next, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Type == reflect.TypeFor[isa.Op]() {
				v.Field(i).SetUint(uint64(isa.FAdd))
			} else if saved(v.Field(i)) {
				fillAll(v.Field(i), next, depth+1)
			}
		}
	}
}

func fillItems(v reflect.Value, next *uint64, depth int) {
	for i := range v.Len() {
		fillAll(v.Index(i), next, depth+1)
	}
}

// sameProgram compares all but the functions, of which it compares whether they are there.
func sameProgram(a, b *Program) string {
	return cmp.Diff(a, b, cmp.Comparer(func(a, b func(*isa.State, *isa.Inst)) bool { return (a == nil) == (b == nil) }),
		cmpopts.EquateEmpty(), cmp.Comparer(func(a, b *spirv.TextPosition) bool { return true })) // places in a text are not saved
}

// Every field of a program is saved: one that is added can't be forgotten.
func TestEveryFieldIsSaved(t *testing.T) {
	p, next := &Program{}, uint64(0)
	fillAll(reflect.ValueOf(p).Elem(), &next, 7)
	for _, list := range [][]isa.Inst{p.Prologue, p.Insts} {
		for i := range list {
			list[i].Mod, list[i].Matrix, list[i].Op, list[i].T = isa.Modifiers{}, nil, isa.Nop, isa.I32 // resolved as instructions are
			if list[i].Second != nil {
				list[i].Second.Mod, list[i].Second.Matrix, list[i].Second.Op = isa.Modifiers{}, nil, isa.Nop
			}
			isa.Resolve(&list[i])
		}
	}
	got := suite.Must(Restore(p.Save()))(t)
	if diff := sameProgram(p, got); diff != "" {
		t.Errorf("(-saved +restored):\n%s", diff)
	}
}

// Programs as they are lowered come back as they were; damaged bytes are refused or give a program, and nothing panics.
func TestSavedPrograms(t *testing.T) {
	files, err := filepath.Glob("../vulkan/testdata/shaders/*.spvasm")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	more := suite.Must(filepath.Glob("../gpu/testdata/*.spvasm"))(t)
	saved, random := 0, rand.New(rand.NewPCG(1, 2))
	for _, file := range append(files, more...) {
		text := suite.Must(os.ReadFile(file))(t)
		raw, err := asm.Assemble(text, file)
		if err != nil {
			continue
		}
		m, err := validate.Check(raw)
		if err != nil {
			continue
		}
		for i := range m.EntryPoints {
			p, err := Lower(m, Options{Entry: m.EntryPoints[i].Name, Target: Target{WaveSize: 32}})
			if err != nil {
				continue
			}
			saved++
			data := p.Save()
			got, err := Restore(data)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if diff := sameProgram(p, got); diff != "" {
				t.Errorf("%s: (-saved +restored):\n%s", file, diff)
			}
			damage(t, data, random)
		}
	}
	if saved < 3 {
		t.Errorf("%d programs were saved", saved)
	}
}

func damage(t *testing.T, data []byte, random *rand.Rand) {
	t.Helper()
	if _, err := Restore(data[:len(data)-1]); !errors.Is(err, ErrSaved) {
		t.Errorf("cut off: %v", err)
	}
	for range 50 {
		bad := append([]byte(nil), data...)
		bad[random.IntN(len(bad))] ^= byte(1 + random.IntN(255))
		if _, err := Restore(bad); err != nil && !errors.Is(err, ErrSaved) {
			t.Errorf("damaged: %v", err)
		}
	}
}

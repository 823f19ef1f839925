package suite

import (
	"fmt"
	"math/rand/v2"
	"reflect"
)

// Fill sets all exported numbers, texts, lists and pointers within a value at random: a third of the numbers are 0, the others 1 to most, and a quarter of the
// pointers are nil. Other kinds, such as maps and functions, stay as they are.
func Fill(r *rand.Rand, v reflect.Value, most uint64) {
	number := func() uint64 {
		if r.IntN(3) == 0 {
			return 0
		}
		return 1 + r.Uint64N(most)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				Fill(r, v.Field(i), most)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			Fill(r, v.Index(i), most)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4))
		for i := range v.Len() {
			Fill(r, v.Index(i), most)
		}
	case reflect.Pointer:
		if r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			Fill(r, v.Elem(), most)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(number())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(number()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(number()) / 8)
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", r.Uint64N(1e9))) // all different
	}
}

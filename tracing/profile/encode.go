package profile

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// withRows are the structures that have counts over time.
var withRows = map[reflect.Type]bool{
	reflect.TypeFor[Profile](): true, reflect.TypeFor[Series](): true, reflect.TypeFor[NodeRow](): true,
	reflect.TypeFor[Maps](): true, reflect.TypeFor[UnitCounts](): true, reflect.TypeFor[LevelParts](): true, reflect.TypeFor[ProgramMap](): true,
}

// appendJSON appends what encoding/json writes. That takes some 200 host instructions for each count, and most of a profile are counts over
// time.
func appendJSON(b []byte, v reflect.Value) ([]byte, error) {
	switch t := v.Type(); {
	case t == reflect.TypeFor[[]uint64]() && !v.IsNil():
		return appendRow(b, v.Interface().([]uint64)), nil
	case t.Kind() == reflect.Pointer && !v.IsNil() && withRows[t.Elem()]:
		return appendJSON(b, v.Elem())
	case t.Kind() == reflect.Slice && !v.IsNil() && (withRows[t.Elem()] || t.Elem() == reflect.TypeFor[[]uint64]()):
		return appendList(b, v)
	case withRows[t]:
		return appendMembers(b, v)
	}
	text, err := json.Marshal(v.Interface())
	return append(b, text...), err
}

// appendRow appends counts, most of which have one digit.
func appendRow(b []byte, row []uint64) []byte {
	b = append(b, '[')
	for i, n := range row {
		if i > 0 {
			b = append(b, ',')
		}
		if n < 10 {
			b = append(b, '0'+byte(n))
		} else {
			b = strconv.AppendUint(b, n, 10)
		}
	}
	return append(b, ']')
}

func appendList(b []byte, v reflect.Value) (_ []byte, err error) {
	b = append(b, '[')
	for i := 0; i < v.Len() && err == nil; i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b, err = appendJSON(b, v.Index(i))
	}
	return append(b, ']'), err
}

// appendMembers appends a structure of which no member is embedded.
func appendMembers(b []byte, v reflect.Value) (_ []byte, err error) {
	b = append(b, '{')
	for i := 0; i < v.NumField() && err == nil; i++ {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		member := v.Field(i)
		if options == "omitempty" && (member.IsZero() || member.Kind() == reflect.Slice && member.Len() == 0) {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, name), ':')
		b, err = appendJSON(b, member)
	}
	return append(b, '}'), err
}

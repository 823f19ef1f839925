package account

import "reflect"

// A Count is one number of a structure of counts, described by its tags.
type Count struct {
	Name, Unit, Meaning string
	Value               uint64
}

// ListCounts lists the integers of a structure of counts in their order, by its tags, so that callers need no list of names.
func ListCounts(of any) (list []Count) {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if name := f.Tag.Get("json"); name != "" && name != "-" && f.Type.Kind() == reflect.Uint64 {
			list = append(list, Count{name, f.Tag.Get("unit"), f.Tag.Get("doc"), v.Field(i).Uint()})
		}
	}
	return list
}

// addTagged adds the integers of a structure of counts to those of another one. A field with the tag sum:"max" has the larger of both.
func addTagged[T any](sum, o *T) {
	s, other := reflect.ValueOf(sum).Elem(), reflect.ValueOf(o).Elem()
	for i := range s.NumField() {
		f, n := s.Field(i), other.Field(i).Uint()
		if s.Type().Field(i).Tag.Get("sum") == "max" {
			f.SetUint(max(f.Uint(), n))
		} else {
			f.SetUint(f.Uint() + n)
		}
	}
}

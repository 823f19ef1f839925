package config

import "reflect"

// assign copies a checked tree into a Go value. Missing values keep their zero.
func assign(dst reflect.Value, tree any) {
	if tree == nil {
		return
	}
	src := reflect.ValueOf(tree)
	if src.Type().AssignableTo(dst.Type()) && dst.Kind() != reflect.Map {
		dst.Set(src)
		return
	}
	switch t := tree.(type) {
	case map[string]any:
		assignMap(dst, t)
	case []any:
		s := reflect.MakeSlice(dst.Type(), len(t), len(t))
		for i, item := range t {
			assign(s.Index(i), item)
		}
		dst.Set(s)
	default:
		dst.Set(src.Convert(dst.Type()))
	}
}

func assignMap(dst reflect.Value, tree map[string]any) {
	switch dst.Kind() {
	case reflect.Pointer:
		p := reflect.New(dst.Type().Elem())
		assignMap(p.Elem(), tree)
		dst.Set(p)
	case reflect.Struct:
		for _, f := range fieldsOf(dst.Type()) {
			if item, ok := tree[f.Name]; ok || !f.HasDefault {
				assign(dst.FieldByIndex(f.Index), item)
			} else {
				f.SetDefault(dst.FieldByIndex(f.Index))
			}
		}
		if i, ok := typedIndex(dst.Type()); ok {
			assign(dst.Field(i), tree[typedKey])
		}
	case reflect.Map:
		m := reflect.MakeMapWithSize(dst.Type(), len(tree))
		for k, item := range tree {
			v := reflect.New(dst.Type().Elem()).Elem()
			assign(v, item)
			m.SetMapIndex(reflect.ValueOf(k), v)
		}
		dst.Set(m)
	}
}

package config

import (
	"reflect"
	"strings"
)

// Leaf is one field of a machine, or one parameter of a job, with its value as a file writes it.
type Leaf struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	By    string `json:"by,omitempty"` // origin of a value that overrides the preset's
}

// AllLeaves lists the machine's fields in the order of its description, the rows of its timing table one each.
func (m *Machine) AllLeaves() []Leaf {
	var list []Leaf
	leavesOf(reflect.ValueOf(m).Elem(), "", &list)
	return list
}

func leavesOf(v reflect.Value, path string, list *[]Leaf) {
	switch {
	case isRow(v):
		*list = append(*list, Leaf{Path: path, Value: rowText(v)})
	case v.Kind() == reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			if f.Name != "description" {
				leavesOf(v.FieldByIndex(f.Index), joinPath(path, f.Name), list)
			}
		}
	case v.Kind() == reflect.Map:
		for _, k := range rowOrder(v) {
			leavesOf(v.MapIndex(reflect.ValueOf(k)), joinPath(path, k), list)
		}
	default:
		*list = append(*list, Leaf{Path: path, Value: leafText(v)})
	}
}

// NumberAt returns the number at the path of a field, such as lds.banks or timing.classes.fma32.latency, and whether it is an integer. ok is
// false where there is none.
func (m *Machine) NumberAt(path string) (value float64, integer, ok bool) {
	v := reflect.ValueOf(m).Elem()
	for _, name := range strings.Split(path, ".") {
		switch v.Kind() {
		case reflect.Struct:
			f, ok := fieldNamed(fieldsOf(v.Type()), name)
			if !ok {
				return 0, false, false
			}
			v = v.FieldByIndex(f.Index)
		case reflect.Map:
			if v = v.MapIndex(reflect.ValueOf(name)); !v.IsValid() {
				return 0, false, false
			}
		default:
			return 0, false, false
		}
	}
	switch {
	case v.CanInt():
		return float64(v.Int()), true, true
	case v.CanUint():
		return float64(v.Uint()), true, true
	case v.CanFloat():
		return v.Float(), false, true
	}
	return 0, false, false
}

// Overrides lists the fields that a file, the job or the command line set on top of a preset.
func (m *Machine) Overrides() (list []Leaf) {
	for _, leaf := range m.AllLeaves() {
		for path, by := range m.set {
			if path == leaf.Path || strings.HasPrefix(path, leaf.Path+".") {
				leaf.By = by
			}
		}
		if leaf.By != "" {
			list = append(list, leaf)
		}
	}
	return list
}

// Parameter returns the value of a parameter, if the job has it.
func (j *Job) Parameter(name string) (value float64, ok bool) {
	n, ok := j.scope[name]
	return n.AsFloat(), ok
}

func (j *Job) ParameterLeaves() []Leaf {
	var list []Leaf
	for _, v := range j.Parameters {
		list = append(list, Leaf{Path: joinPath("parameters", v.Name), Value: string(v.Value)})
	}
	return list
}

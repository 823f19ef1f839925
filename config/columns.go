package config

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ColumnPath returns the path that the axis with that column sets: machine.lds.banks, parameters.n. It is empty for
// columns without an axis, and for the names of variants.
func (e *Experiment) ColumnPath(small bool, name string) string {
	for _, a := range e.axes(small) {
		for _, one := range append([]Axis{a}, a.Zip...) {
			if one.Name == name && one.Zip == nil && one.Variants == nil {
				return one.path()
			}
		}
	}
	return ""
}

// OfMachine reports whether a setting chooses the machine, or a field of it.
func OfMachine(path string) bool { return path == "machine" || strings.HasPrefix(path, machinePrefix) }

// PathUnit returns the unit of the machine's field at a setting's path, or "".
func PathUnit(path string) string {
	path, ok := strings.CutPrefix(path, machinePrefix)
	keys, err := splitPath(path)
	if !ok || err != nil {
		return ""
	}
	t := reflect.TypeFor[Machine]()
	unit := ""
	for _, key := range keys {
		if t.Kind() != reflect.Struct {
			return ""
		}
		found := false
		for _, f := range fieldsOf(t) {
			if f.Name == key {
				t, unit, found = f.Type, f.Unit, true
				break
			}
		}
		if !found {
			return ""
		}
	}
	return unit
}

// Units maps columns to the units at the axes of the experiment's figures.
func (e *Experiment) Units() map[string]string {
	units := map[string]string{}
	for i := range e.Figures {
		n := e.Figures[i].node
		if n == nil {
			if text, err := e.ReadFile(e.Figures[i].File); err == nil {
				n, _ = parseYAML(e.Figures[i].File, text) // its errors are reported when it is drawn
			}
		}
		if n != nil {
			axisUnits(n, units)
		}
	}
	return units
}

// axisUnits reads {column: c, unit: u} under x, y and value.
func axisUnits(n *yaml.Node, into map[string]string) {
	var axes map[string]yaml.Node
	if n.Decode(&axes) != nil {
		return
	}
	for _, key := range []string{"x", "y", "value"} {
		var axis struct {
			Column  string   `yaml:"column"`
			Columns []string `yaml:"columns"`
			Unit    string   `yaml:"unit"`
		}
		if node := axes[key]; node.Decode(&axis) != nil || axis.Unit == "" {
			continue
		}
		for _, column := range append(axis.Columns, axis.Column) {
			if column != "" {
				into[column] = axis.Unit
			}
		}
	}
}

package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// bufferNames are the keys whose text is the name of a buffer that work reaches without a binding of the buffer's own.
var bufferNames = []string{"address_of", "address", "part_of", "buffer", "from", "to", "infos", "count_info"}

// ReachedByName collects the buffers that the job's work names: those of addresses, parts, moves, graphs, colours, and
// bindings of steps. Expectations don't count: they only read a buffer.
func (j *Job) ReachedByName() map[string]bool {
	names := map[string]bool{}
	work := *j
	work.Expect = nil
	reachedByName(reflect.ValueOf(work), names)
	return names
}

func reachedByName(v reflect.Value, names map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			reachedByName(v.Elem(), names)
		}
	case reflect.Slice:
		for i := range v.Len() {
			reachedByName(v.Index(i), names)
		}
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			inner := v.FieldByIndex(f.Index)
			if f.Type == reflect.TypeFor[string]() && slices.Contains(bufferNames, f.Name) {
				names[inner.String()] = true
			}
			reachedByName(inner, names)
		}
	}
}

// Remark words something about a key of the job, with its place.
func (j *Job) Remark(path, format string, args ...any) string {
	at := lookupPosition(j.positions, path)
	e := &Error{File: at.file, Line: at.line, Path: path, Msg: fmt.Sprintf(format, args...)}
	return strings.TrimPrefix(e.Error(), "config: ")
}

// KeyOwner returns the path of the step or node, at a path or enclosing it, that sets a key; empty: the job does.
func (j *Job) KeyOwner(path, key string) string {
	for at := path; at != ""; at = parentPath(at) {
		if _, there := j.positions[sub(at, key)]; there {
			return at
		}
	}
	return ""
}

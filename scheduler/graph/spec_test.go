package graph

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"spvsim/internal/spec"
	"spvsim/scheduler"
)

// What the tags allow is what the tables have.
func TestSpecEnumsMatchTables(t *testing.T) {
	for name, c := range map[string]struct {
		of    reflect.Type
		words []string
	}{
		"kind":        {reflect.TypeFor[scheduler.SchedulerSpec](), slices.Sorted(maps.Keys(kinds))},
		"arbitration": {reflect.TypeFor[scheduler.QueueSpec](), slices.Sorted(maps.Keys(arbitration))},
	} {
		for _, f := range spec.Fields(c.of) {
			if f.Name == name && !slices.Equal(slices.Sorted(slices.Values(f.Enum)), c.words) {
				t.Errorf("%s: the tag says %v, the table has %v", name, f.Enum, c.words)
			}
		}
	}
}

package driver

import (
	"testing"

	"spvsim/program/ir"
	"spvsim/vulkan/vk"
)

// A program sees as many descriptors of a binding as its array has; a runtime array sees all of the set; a binding that
// the set lacks is empty.
func TestProgramsSeeTheirArray(t *testing.T) {
	l := &setLayout{bindings: []layoutBinding{{number: 3, kind: vk.DescriptorTypeStorageBuffer, count: 4}}}
	s := l.newSet(nil, -1)
	for _, c := range []struct {
		binding uint32
		count   int
		want    int
	}{{3, 2, 2}, {3, 4, 4}, {3, 6, 6}, {3, 0, 4}, {5, 2, 2}} {
		b := &ir.Binding{Kind: ir.StorageBuffer}
		b.Binding, b.Count = c.binding, uint32(c.count)
		if got := len(s.resolve(b, nil, nil)); got != c.want {
			t.Errorf("binding %d, array of %d: %d descriptors, want %d", c.binding, c.count, got, c.want)
		}
	}
}

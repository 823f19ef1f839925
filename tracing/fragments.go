package tracing

import (
	"fmt"
	"io"
)

// FragmentCounts is what draws shaded.
type FragmentCounts struct {
	Primitives  uint64 `json:"primitives"` // that cover a pixel
	Quads       uint64 `json:"quads"`      // shaded
	Covered     uint64 `json:"covered"`    // lanes of them at pixels that their primitive covers
	HelperLanes uint64 `json:"helper_lanes"`
	Rejected    uint64 `json:"rejected"` // pixels that the depth test dropped before shading
}

// Add adds the counts of another draw.
func (f *FragmentCounts) Add(o *FragmentCounts) {
	f.Primitives += o.Primitives
	f.Quads += o.Quads
	f.Covered += o.Covered
	f.HelperLanes += o.HelperLanes
	f.Rejected += o.Rejected
}

// HelperShare is the part of the lanes of quads that are helpers.
func (f *FragmentCounts) HelperShare() float64 {
	if f.Quads == 0 {
		return 0
	}
	return float64(f.HelperLanes) / float64(4*f.Quads)
}

func (f *FragmentCounts) members() object {
	return object{
		{"primitives", f.Primitives}, {"quads", f.Quads}, {"covered", f.Covered}, {"helper_lanes", f.HelperLanes},
		{"helper_share", f.HelperShare()}, {"rejected", f.Rejected},
	}
}

func writeFragments(w io.Writer, f *FragmentCounts) {
	if f == nil {
		return
	}
	fmt.Fprintf(w, "fragments\t%s, %s, %d lanes covered, %d helpers (%s)", plural(f.Primitives, "primitive", "primitives"),
		plural(f.Quads, "quad", "quads"), f.Covered, f.HelperLanes, percent(f.HelperShare()))
	if f.Rejected > 0 {
		fmt.Fprintf(w, ", %d rejected by depth", f.Rejected)
	}
	fmt.Fprintln(w)
}

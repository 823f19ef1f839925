package account

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

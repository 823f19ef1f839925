package account

// FragmentCounts holds the counts of draws.
type FragmentCounts struct {
	Primitives  uint64 `json:"primitives" unit:"primitives" doc:"primitives that cover a pixel"`
	Quads       uint64 `json:"quads" unit:"quads" doc:"quads of 2x2 pixels that were shaded"`
	Covered     uint64 `json:"covered" unit:"lanes" doc:"lanes of quads at pixels that the primitive covers"`
	HelperLanes uint64 `json:"helper_lanes" unit:"lanes" doc:"lanes of quads that are helpers"`
	Rejected    uint64 `json:"rejected" unit:"pixels" doc:"pixels that the depth test dropped before shading"`
}

// HelperShare is the part of the lanes of quads that are helpers.
func (f *FragmentCounts) HelperShare() float64 {
	if f.Quads == 0 {
		return 0
	}
	return float64(f.HelperLanes) / float64(4*f.Quads)
}

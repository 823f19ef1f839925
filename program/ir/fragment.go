package ir

// A Fragment is the interface of a fragment shader to a draw.
type Fragment struct {
	// Inputs lists the components that it interpolates. isa.InterpFlat, isa.InterpP1 and isa.InterpP2 number them in
	// this order.
	Inputs []Input
	// Discards: invocations may end or become helpers, so that the fragments drawn are known only after the shader.
	Discards bool
	// EarlyTests: the depth test comes before the shader nevertheless.
	EarlyTests bool
	// PerSample: the shader runs for each covered sample.
	PerSample bool
}

// An Input is one component of an input variable.
type Input struct {
	Location, Component uint32
	Float               bool // else an integer, which is never interpolated
	ByCorner            bool // each corner's value is read, without interpolation
}

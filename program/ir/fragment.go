package ir

// A Fragment is what a draw must know of a fragment shader.
type Fragment struct {
	// Inputs are the components that it interpolates. isa.InterpFlat, isa.InterpP1
	// and isa.InterpP2 number them in this order.
	Inputs []Input
	// Discards: invocations may end or become helpers, so that it is not known
	// before the shader has run which fragments are drawn.
	Discards bool
	// EarlyTests: the depth test comes before the shader all the same.
	EarlyTests bool
	// PerSample: each covered sample has an invocation of its own.
	PerSample bool
}

// An Input is one component of an input variable.
type Input struct {
	Location, Component uint32
	Float               bool // else an integer, which is never interpolated
	ByCorner            bool // read at each corner by itself
}

package energy

// A Part is a consumer of energy. Every joule belongs to exactly one.
type Part uint8

// Parts, in the order of the statistics: dynamic ones, then those that consume with time alone.
const (
	Fetch Part = iota
	Vector
	Matrix
	Scalar
	Registers
	LDS
	VectorL1
	ScalarL1
	ShaderArray
	L2
	MemorySide
	Links
	Memory
	Payloads
	Queue
	Dispatch
	Units
	Engines
	Chip
	Idle // memory without its traffic
	Board
	Supply
	NumParts
	firstConstant = Units
)

var parts = [NumParts]struct{ name, meaning string }{
	Fetch:       {"fetch", "fetching and issuing instructions"},
	Vector:      {"vector", "operations of lanes, with their addresses"},
	Matrix:      {"matrix", "products of the matrix unit"},
	Scalar:      {"scalar", "scalar operations, branches, messages"},
	Registers:   {"registers", "vector registers"},
	LDS:         {"lds", "local data shares"},
	VectorL1:    {"vector_l1", "vector data caches"},
	ScalarL1:    {"scalar_l1", "scalar data caches"},
	ShaderArray: {"shader_array", "caches between vector_l1 and l2"},
	L2:          {"l2", "second-level caches"},
	MemorySide:  {"memory_side", "cache in front of the memory channels"},
	Links:       {"links", "data moved between levels, by the distance"},
	Memory:      {"memory", "traffic of device memory"},
	Payloads:    {"payloads", "on-chip payload memory"},
	Queue:       {"queue", "entries of enqueue queues, and launches that they start"},
	Dispatch:    {"dispatch", "start of workgroups and waves"},
	Units:       {"compute_units", "clocks and leakage of compute units"},
	Engines:     {"shader_engines", "clocks and leakage of shader engines"},
	Chip:        {"chip", "clocks and leakage of everything else on the chips"},
	Idle:        {"memory_idle", "device memory without its traffic: refresh, interfaces"},
	Board:       {"board", "fan and everything else on the board"},
	Supply:      {"supply", "loss in voltage regulators"},
}

func (p Part) String() string { return parts[p].name }

// Meaning describes the joules of a part.
func (p Part) Meaning() string { return parts[p].meaning }

// An Energy is the energy of a run, or of a part of it, in joules by part.
type Energy struct {
	Joules [NumParts]float64
	Half   float64 // half the width of the interval of the sum, where a part of the run was estimated
}

// Add adds another energy.
func (e *Energy) Add(o *Energy) {
	for p, j := range o.Joules {
		e.Joules[p] += j
	}
	e.Half += o.Half
}

// Total is the sum over all parts.
func (e *Energy) Total() float64 { return Sum(e.Joules[:]) }

// Constant returns the energy that depends on time alone, including the losses of regulators.
func (e *Energy) Constant() float64 { return Sum(e.Joules[firstConstant:]) }

// Dynamic returns the energy of events.
func (e *Energy) Dynamic() float64 { return Sum(e.Joules[:firstConstant]) }

// Sum adds joules up.
func Sum(list []float64) (s float64) {
	for _, j := range list {
		s += j
	}
	return s
}

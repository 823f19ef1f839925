package energy

// A Part is a consumer of energy. Every joule belongs to exactly one.
type Part uint8

// Parts, in the order of the statistics: dynamic ones, those that consume with time alone, and the loss of regulators, which is a share of
// all.
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

// A PartGroup is a kind of parts, for pictures.
type PartGroup uint8

// Groups, in the order of their parts.
const (
	Instructions PartGroup = iota
	Caches
	Traffic
	Launches
	Time
	Losses
	NumGroups
)

var groups = [NumGroups]string{"instructions", "caches and links", "memory traffic", "launches", "clocks and leakage", "board and regulators"}

func (g PartGroup) String() string { return groups[g] }

var parts = [NumParts]struct {
	name, meaning string
	group         PartGroup
}{
	Fetch:       {"fetch", "fetching and issuing instructions", Instructions},
	Vector:      {"vector", "operations of lanes, with their addresses", Instructions},
	Matrix:      {"matrix", "products of the matrix unit", Instructions},
	Scalar:      {"scalar", "scalar operations, branches, messages", Instructions},
	Registers:   {"registers", "vector registers", Instructions},
	LDS:         {"lds", "local data shares", Instructions},
	VectorL1:    {"vector_l1", "vector data caches", Caches},
	ScalarL1:    {"scalar_l1", "scalar data caches", Caches},
	ShaderArray: {"shader_array", "caches between vector_l1 and l2", Caches},
	L2:          {"l2", "second-level caches", Caches},
	MemorySide:  {"memory_side", "cache in front of the memory channels", Caches},
	Links:       {"links", "data moved between levels, by the distance", Caches},
	Memory:      {"memory", "traffic of device memory", Traffic},
	Payloads:    {"payloads", "on-chip payload memory", Caches},
	Queue:       {"queue", "entries of enqueue queues, and launches that they start", Launches},
	Dispatch:    {"dispatch", "start of workgroups and waves", Launches},
	Units:       {"compute_units", "clocks and leakage of compute units", Time},
	Engines:     {"shader_engines", "clocks and leakage of shader engines", Time},
	Chip:        {"chip", "clocks and leakage of everything else on the chips", Time},
	Idle:        {"memory_idle", "device memory without its traffic: refresh, interfaces", Time},
	Board:       {"board", "fan and everything else on the board", Losses},
	Supply:      {"supply", "loss in voltage regulators", Losses},
}

func (p Part) String() string { return parts[p].name }

func (p Part) Group() PartGroup { return parts[p].group }

func PartOf(name string) (Part, bool) {
	for p := range NumParts {
		if parts[p].name == name {
			return p, true
		}
	}
	return 0, false
}

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

// Constant returns the energy that depends on time alone. The losses of regulators are apart, as they depend on all.
func (e *Energy) Constant() float64 { return Sum(e.Joules[firstConstant:Supply]) }

// Dynamic returns the energy of events.
func (e *Energy) Dynamic() float64 { return Sum(e.Joules[:firstConstant]) }

// Sum adds joules up.
func Sum(list []float64) (s float64) {
	for _, j := range list {
		s += j
	}
	return s
}

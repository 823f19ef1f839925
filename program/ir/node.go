package ir

import "spvsim/spirv"

// A LaunchKind says how many workgroups the payloads of a node start.
type LaunchKind uint8

// Launch kinds.
const (
	// Dynamic: as many for each payload as the payload or the dispatch says.
	Dynamic LaunchKind = iota
	// Static: Node.Workgroups for each payload.
	Static
	// Coalescing: one for up to PayloadType.MaxPayloads payloads together.
	Coalescing
)

var launchNames = [...]string{"dynamic", "static", "coalescing"}

func (k LaunchKind) String() string { return launchNames[k] }

// A NodeRef names a node of the graph.
type NodeRef struct {
	Name  string
	Index uint32
}

// A Node is what an entry point asks of the execution graph it is part of
// (SPV_AMDX_shader_enqueue).
type Node struct {
	Model  spirv.ExecutionModel // GLCompute or MeshEXT
	Launch LaunchKind
	// Workgroups is the count of Static nodes and the maximum of Dynamic ones,
	// whose zeros say that none is stated.
	Workgroups   [3]uint32
	MaxRecursion uint32 // times that the node may enqueue to itself in turn
	Recursive    bool   // MaxRecursion is stated: its code may enqueue to itself, however often that comes to run
	APIEntry     bool   // the host may dispatch it
	ShaderIndex  uint32
	// HasShaderIndex: ShaderIndexAMDX is stated.
	HasShaderIndex bool
	SharesInput    *NodeRef
	Input          *PayloadType // nil: no input variable
	// Outputs are in the order in which the module declares their types.
	Outputs []Output
	// Mesh is set for MeshEXT.
	Mesh *Mesh
}

// A PayloadType is the type of a node's input or of one of its outputs.
type PayloadType struct {
	Bytes uint32 // of one payload
	Align uint32 // its largest scalar, bytes
	// MaxPayloads bounds the payloads of one array; 0: not stated. Inputs that
	// are no arrays have 1.
	MaxPayloads uint32
	TrackFinish bool
	IsArray     bool // the input variable is an array (outputs always are)
	Indirect    *Indirect
}

// Indirect is where a payload says how many workgroups it starts. Components
// that are missing count as 1.
type Indirect struct {
	Offset     uint32 // bytes from the payload's start
	Components uint8  // 1 to 3
	Bits       uint8  // of a component: 8, 16 or 32
	Stride     uint32 // bytes from one to the next; 0: they follow each other
}

// At is the place of a component in the payload, bytes.
func (d *Indirect) At(i int) (first, end uint32) {
	size, stride := uint32(d.Bits/8), d.Stride
	if stride == 0 {
		stride = size
	}
	first = d.Offset + uint32(i)*stride
	return first, first + size
}

// An Output is a type of payload array that the node allocates.
type Output struct {
	PayloadType
	Node      string // name of the target
	BaseIndex uint32 // added to the index that the shader gives
	ArraySize uint32 // indexes, base included, stay below, where Sized
	Sized     bool   // the type has a PayloadNodeArraySizeAMDX, perhaps of 0, below which no index is
	Sparse    bool   // some indexes may have no node
	// SharesLimits is the index of the output whose limits count for both, or -1.
	SharesLimits int
	Workgroup    bool // allocated with Workgroup visibility somewhere
	Invocation   bool // allocated with Invocation visibility somewhere
	// SPIRV is the id of the payload array type.
	SPIRV uint32
}

// Single reports an output with neither an array size nor sparse nodes: it has one node, at BaseIndex.
func (o *Output) Single() bool { return !o.Sized && !o.Sparse }

// Takes reports whether payloads may be allocated for a node index, base included, as far as the type says.
func (o *Output) Takes(index uint32) bool {
	return index >= o.BaseIndex && (!o.Sized || index < o.ArraySize) && (!o.Single() || index == o.BaseIndex)
}

// Mesh is what a mesh node declares about its outputs.
type Mesh struct {
	Topology      spirv.ExecutionMode // OutputPoints, OutputLinesEXT or OutputTrianglesEXT
	MaxVertices   uint32
	MaxPrimitives uint32
}

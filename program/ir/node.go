package ir

import (
	"cmp"
	"spvsim/spirv"
)

// A LaunchKind determines how many workgroups the payloads of a node start.
type LaunchKind uint8

// Launch kinds.
const (
	// Dynamic: for each payload, the number given by the payload or the dispatch.
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

// A Node is the interface of an entry point to the execution graph (SPV_AMDX_shader_enqueue).
type Node struct {
	Model  spirv.ExecutionModel // GLCompute or MeshEXT
	Launch LaunchKind
	// Workgroups is the count of Static nodes and the maximum of Dynamic ones, where zeros mean that none is declared.
	Workgroups   [3]uint32
	MaxRecursion uint32 // length of a chain of enqueues of the node to itself
	Recursive    bool   // MaxRecursion is declared: the code may enqueue to its own node, even if the chain is never that long
	APIEntry     bool   // the host may dispatch it
	ShaderIndex  uint32
	// HasShaderIndex: ShaderIndexAMDX is declared.
	HasShaderIndex bool
	SharesInput    *NodeRef
	Input          *PayloadType // nil: no input variable
	// Outputs in the order in which the module declares their types.
	Outputs []Output
	// Mesh is set for MeshEXT.
	Mesh *Mesh
}

// A PayloadType is the type of a node's input or of one of its outputs.
type PayloadType struct {
	Bytes uint32 // of one payload
	Align uint32 // its largest scalar, bytes
	// MaxPayloads bounds the payloads of one array; 0: not declared. It is 1 for inputs that are no arrays.
	MaxPayloads uint32
	TrackFinish bool
	IsArray     bool // the input variable is an array (outputs always are)
	Indirect    *Indirect
}

// Indirect locates the number of workgroups that a payload starts. Missing components count as 1.
type Indirect struct {
	Offset     uint32 // bytes from the payload's start
	Components uint8  // 1 to 3
	Bits       uint8  // of a component: 8, 16 or 32
	Stride     uint32 // distance of components in bytes; 0: consecutive
}

// ComponentBytes returns the bytes [first, end) of a component in the payload.
func (d *Indirect) ComponentBytes(i int) (first, end uint32) {
	size, stride := uint32(d.Bits/8), d.Stride
	stride = cmp.Or(stride, size)
	first = d.Offset + uint32(i)*stride
	return first, first + size
}

// An Output is a type of payload array that the node allocates.
type Output struct {
	PayloadType
	Node      string // name of the target
	BaseIndex uint32 // added to the index that the shader gives
	ArraySize uint32 // indexes, base included, stay below, where Sized
	Sized     bool   // the type has a PayloadNodeArraySizeAMDX; a size of 0 allows no index
	Sparse    bool   // some indexes may have no node
	// SharesLimits is the index of the output whose limits both share, or -1.
	SharesLimits int
	Workgroup    bool // allocated with Workgroup visibility somewhere
	Invocation   bool // allocated with Invocation visibility somewhere
	// SPIRV is the id of the payload array type.
	SPIRV uint32
}

// Single reports an output with neither an array size nor sparse nodes: it has one node, at BaseIndex.
func (o *Output) Single() bool { return !o.Sized && !o.Sparse }

// AllowsIndex reports whether the type allows payloads for a node index, base included.
func (o *Output) AllowsIndex(index uint32) bool {
	return index >= o.BaseIndex && (!o.Sized || index < o.ArraySize) && (!o.Single() || index == o.BaseIndex)
}

// Mesh holds the declarations of a mesh node about its outputs.
type Mesh struct {
	Topology      spirv.ExecutionMode // OutputPoints, OutputLinesEXT or OutputTrianglesEXT
	MaxVertices   uint32
	MaxPrimitives uint32
}

package asm

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"spvsim/spirv"
)

// maxName is the longest name in bytes. Names of types contain those of their parts, so they could double from one
// instruction to the next.
const maxName = 1000

// A namer gives each id the name that spirv-dis gives it: that of OpName, otherwise one made from its definition,
// otherwise its number.
type namer struct {
	names map[spirv.ID]string
	used  map[string]int // names in use, with the number to try next for a repeated name
	c     *spirv.Context
	buf   []byte
}

func newNamer(m *spirv.Module) *namer {
	n := &namer{names: map[spirv.ID]string{}, used: map[string]int{}, c: newContext(m)}
	for i := range m.Instructions {
		in := &m.Instructions[i]
		if in.Op == spirv.OpName {
			n.debugName(in)
		} else if in.Op == spirv.OpDecorate {
			n.decoration(in)
		} else if in.Result != 0 {
			n.result(in)
		}
		n.c.Note(in)
	}
	return n
}

func newContext(m *spirv.Module) *spirv.Context {
	return spirv.NewContext(min(int(m.Bound), len(m.Instructions)+1))
}

// nameOf returns the name of an id. One that is defined nowhere gets its number.
func (n *namer) nameOf(id spirv.ID) string {
	if s, ok := n.names[id]; ok {
		return s
	}
	n.save(id, strconv.Itoa(int(id)))
	return n.names[id]
}

func (n *namer) save(id spirv.ID, name string) {
	if _, ok := n.names[id]; ok {
		return
	}
	if len(name) > maxName {
		name = strconv.Itoa(int(id))
	}
	name = n.unused(sanitize(name))
	n.used[name] = 0
	n.names[id] = name
}

// unused returns the name, with a number after it if the name is taken.
func (n *namer) unused(base string) string {
	i, taken := n.used[base]
	if !taken {
		return base
	}
	for ; ; i++ {
		name := base + "_" + strconv.Itoa(i)
		if _, taken := n.used[name]; !taken {
			n.used[base] = i + 1
			return name
		}
	}
}

// sanitize replaces by _ each byte that an id's name can't hold.
func sanitize(s string) string {
	if s == "" {
		return "_"
	}
	b := []byte(s)
	for i, c := range b {
		if !idByte(c) {
			b[i] = '_'
		}
	}
	return string(b)
}

func idByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

func (n *namer) debugName(in *spirv.Instruction) {
	name, _ := spirv.DecodeString(in.Operands[1:])
	n.save(spirv.ID(in.Operands[0]), name)
}

func (n *namer) decoration(in *spirv.Instruction) {
	if len(in.Operands) < 3 || spirv.Decoration(in.Operands[1]) != spirv.DecorationBuiltIn {
		return
	}
	if name, ok := builtInNames[spirv.BuiltIn(in.Operands[2])]; ok {
		n.save(spirv.ID(in.Operands[0]), name)
	}
}

func (n *namer) result(in *spirv.Instruction) {
	if name, ok := fixedNames[in.Op]; ok {
		n.save(in.Result, name)
	} else if name, ok := madeNames[in.Op]; ok {
		n.save(in.Result, name(n, in))
	} else if _, ok := n.names[in.Result]; !ok {
		n.save(in.Result, strconv.Itoa(int(in.Result)))
	}
}

var fixedNames = map[spirv.Op]string{
	spirv.OpTypeVoid:         "void",
	spirv.OpTypeBool:         "bool",
	spirv.OpTypeEvent:        "Event",
	spirv.OpTypeDeviceEvent:  "DeviceEvent",
	spirv.OpTypeReserveId:    "ReserveId",
	spirv.OpTypeQueue:        "Queue",
	spirv.OpTypePipeStorage:  "PipeStorage",
	spirv.OpTypeNamedBarrier: "NamedBarrier",
	spirv.OpConstantTrue:     "true",
	spirv.OpConstantFalse:    "false",
}

var madeNames map[spirv.Op]func(*namer, *spirv.Instruction) string

func init() {
	// Not an initializer: the functions refer back to the table through of.
	madeNames = map[spirv.Op]func(*namer, *spirv.Instruction) string{
		spirv.OpTypeInt:                  (*namer).intName,
		spirv.OpTypeFloat:                (*namer).floatName,
		spirv.OpTypeVector:               (*namer).vectorName,
		spirv.OpTypeMatrix:               (*namer).matrixName,
		spirv.OpTypeArray:                (*namer).arrayName,
		spirv.OpTypeRuntimeArray:         (*namer).runtimeArrayName,
		spirv.OpTypeNodePayloadArrayAMDX: (*namer).payloadArrayName,
		spirv.OpTypePointer:              (*namer).pointerName,
		spirv.OpTypeUntypedPointerKHR:    (*namer).untypedPointerName,
		spirv.OpTypePipe:                 (*namer).pipeName,
		spirv.OpTypeOpaque:               (*namer).opaqueName,
		spirv.OpTypeStruct:               (*namer).structName,
		spirv.OpConstant:                 (*namer).constantName,
	}
}

var intNames = map[uint32]string{8: "char", 16: "short", 32: "int", 64: "long"}

func (n *namer) intName(in *spirv.Instruction) string {
	sign, root := "", intNames[in.Operands[0]]
	if root == "" {
		sign, root = "i", fmt.Sprint(in.Operands[0])
	}
	if in.Operands[1] == 0 {
		sign = "u"
	}
	return sign + root
}

var floatNames = map[uint32]string{16: "half", 32: "float", 64: "double"}

func (n *namer) floatName(in *spirv.Instruction) string {
	if len(in.Operands) > 1 {
		e := strings.TrimSuffix(spirv.FPEncoding(in.Operands[1]).String(), "KHR")
		return strings.ToLower(strings.TrimSuffix(e, "EXT"))
	}
	return cmp.Or(floatNames[in.Operands[0]], fmt.Sprintf("fp%d", in.Operands[0]))
}

// id returns the name of the id that is an operand.
func (n *namer) id(in *spirv.Instruction, i int) string { return n.nameOf(spirv.ID(in.Operands[i])) }

func (n *namer) vectorName(in *spirv.Instruction) string {
	return fmt.Sprintf("v%d%s", in.Operands[1], n.id(in, 0))
}

func (n *namer) matrixName(in *spirv.Instruction) string {
	return fmt.Sprintf("mat%d%s", in.Operands[1], n.id(in, 0))
}

func (n *namer) arrayName(in *spirv.Instruction) string {
	return "_arr_" + n.id(in, 0) + "_" + n.id(in, 1)
}

func (n *namer) runtimeArrayName(in *spirv.Instruction) string { return "_runtimearr_" + n.id(in, 0) }
func (n *namer) payloadArrayName(in *spirv.Instruction) string { return "_payloadarr_" + n.id(in, 0) }

func (n *namer) pointerName(in *spirv.Instruction) string {
	return n.untypedPointerName(in) + "_" + n.id(in, 1)
}

func (n *namer) untypedPointerName(in *spirv.Instruction) string {
	return "_ptr_" + spirv.StorageClass(in.Operands[0]).String()
}

func (n *namer) pipeName(in *spirv.Instruction) string {
	return "Pipe" + spirv.AccessQualifier(in.Operands[0]).String()
}

func (n *namer) opaqueName(in *spirv.Instruction) string {
	s, _ := spirv.DecodeString(in.Operands)
	return "Opaque_" + sanitize(s)
}

func (n *namer) structName(in *spirv.Instruction) string { return fmt.Sprintf("_struct_%d", in.Result) }

func (n *namer) constantName(in *spirv.Instruction) string {
	text, ok := appendNumber(n.buf[:0], in.Operands, n.c.NumberType(in.Type))
	if n.buf = text; !ok {
		return strconv.Itoa(int(in.Result))
	}
	return n.nameOf(in.Type) + "_" + strings.ReplaceAll(string(text), "-", "n")
}

// builtInNames follow GLSL where GLSL has the variable, as spirv-dis does.
var builtInNames = map[spirv.BuiltIn]string{
	spirv.BuiltInPosition:                  "gl_Position",
	spirv.BuiltInPointSize:                 "gl_PointSize",
	spirv.BuiltInClipDistance:              "gl_ClipDistance",
	spirv.BuiltInCullDistance:              "gl_CullDistance",
	spirv.BuiltInVertexId:                  "gl_VertexID",
	spirv.BuiltInInstanceId:                "gl_InstanceID",
	spirv.BuiltInPrimitiveId:               "gl_PrimitiveID",
	spirv.BuiltInInvocationId:              "gl_InvocationID",
	spirv.BuiltInLayer:                     "gl_Layer",
	spirv.BuiltInViewportIndex:             "gl_ViewportIndex",
	spirv.BuiltInTessLevelOuter:            "gl_TessLevelOuter",
	spirv.BuiltInTessLevelInner:            "gl_TessLevelInner",
	spirv.BuiltInTessCoord:                 "gl_TessCoord",
	spirv.BuiltInPatchVertices:             "gl_PatchVertices",
	spirv.BuiltInFragCoord:                 "gl_FragCoord",
	spirv.BuiltInPointCoord:                "gl_PointCoord",
	spirv.BuiltInFrontFacing:               "gl_FrontFacing",
	spirv.BuiltInSampleId:                  "gl_SampleID",
	spirv.BuiltInSamplePosition:            "gl_SamplePosition",
	spirv.BuiltInSampleMask:                "gl_SampleMask",
	spirv.BuiltInFragDepth:                 "gl_FragDepth",
	spirv.BuiltInHelperInvocation:          "gl_HelperInvocation",
	spirv.BuiltInNumWorkgroups:             "gl_NumWorkGroups",
	spirv.BuiltInWorkgroupSize:             "gl_WorkGroupSize",
	spirv.BuiltInWorkgroupId:               "gl_WorkGroupID",
	spirv.BuiltInLocalInvocationId:         "gl_LocalInvocationID",
	spirv.BuiltInGlobalInvocationId:        "gl_GlobalInvocationID",
	spirv.BuiltInLocalInvocationIndex:      "gl_LocalInvocationIndex",
	spirv.BuiltInVertexIndex:               "gl_VertexIndex",
	spirv.BuiltInInstanceIndex:             "gl_InstanceIndex",
	spirv.BuiltInBaseInstance:              "gl_BaseInstance",
	spirv.BuiltInWorkDim:                   "WorkDim",
	spirv.BuiltInGlobalSize:                "GlobalSize",
	spirv.BuiltInEnqueuedWorkgroupSize:     "EnqueuedWorkgroupSize",
	spirv.BuiltInGlobalOffset:              "GlobalOffset",
	spirv.BuiltInGlobalLinearId:            "GlobalLinearId",
	spirv.BuiltInSubgroupSize:              "SubgroupSize",
	spirv.BuiltInSubgroupMaxSize:           "SubgroupMaxSize",
	spirv.BuiltInNumSubgroups:              "NumSubgroups",
	spirv.BuiltInNumEnqueuedSubgroups:      "NumEnqueuedSubgroups",
	spirv.BuiltInSubgroupId:                "SubgroupId",
	spirv.BuiltInSubgroupLocalInvocationId: "SubgroupLocalInvocationId",
	spirv.BuiltInSubgroupEqMaskKHR:         "SubgroupEqMaskKHR",
	spirv.BuiltInSubgroupGeMaskKHR:         "SubgroupGeMaskKHR",
	spirv.BuiltInSubgroupGtMaskKHR:         "SubgroupGtMaskKHR",
	spirv.BuiltInSubgroupLeMaskKHR:         "SubgroupLeMaskKHR",
	spirv.BuiltInSubgroupLtMaskKHR:         "SubgroupLtMaskKHR",
}

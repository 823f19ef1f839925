package validate

import (
	"fmt"
	"slices"
	"strings"

	"spvsim/internal/lists"
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// Kernels reports a module of OpenCL: of the memory model OpenCL, whose pointers are physical and whose control flow
// needs no structure. Rules of Vulkan (VUID) do not hold for it.
func (m *Module) Kernels() bool { return m.Memory == spirv.MemoryModelOpenCL }

// Has reports whether a capability is declared, or implied by one that is.
func (m *Module) Has(c spirv.Capability) bool { return m.implied[c] }

// imply adds the capabilities that the declared ones imply.
func (m *Module) imply() {
	m.implied = make(map[spirv.Capability]bool, 2*len(m.Capabilities))
	for i := range m.Raw.Instructions {
		if in := &m.Raw.Instructions[i]; in.Op == spirv.OpCapability {
			m.implyOne(spirv.Capability(in.Operands[0]))
		}
	}
}

func (m *Module) implyOne(c spirv.Capability) {
	if m.implied[c] {
		return
	}
	m.implied[c] = true
	if e := grammar.KindCapability.Lookup(uint32(c)); e != nil {
		for _, more := range e.Capabilities {
			m.implyOne(spirv.Capability(more))
		}
	}
}

// freeBuiltIns may stand in a block of built-in members without being used,
// and need their capability only then: compilers declare gl_PerVertex whole.
var freeBuiltIns = map[spirv.BuiltIn]bool{
	spirv.BuiltInPointSize: true, spirv.BuiltInClipDistance: true, spirv.BuiltInCullDistance: true,
}

// capabilities tests that whatever needs a capability, an extension or a
// version has it, by the grammar: instructions, enumerants, extended
// instructions, and the widths of types.
func capabilities(m *Module, r *report) {
	k := &requirement{m: m, r: r, ctx: spirv.NewContext(int(min(m.Raw.Bound, 1<<16)))}
	visit := k.operand
	for i := range m.Raw.Instructions {
		k.in = &m.Raw.Instructions[i]
		k.instruction()
		// Build has walked the module, so its form has no faults.
		_ = spirv.Walk(k.in, k.ctx, visit)
		k.ctx.Note(k.in)
		if r.full() {
			return
		}
	}
}

type requirement struct {
	m   *Module
	r   *report
	ctx *spirv.Context
	in  *spirv.Instruction
}

func (k *requirement) instruction() {
	g := k.in.Op.Grammar()
	k.demand(k.in.Op.String(), g.Capabilities, g.Extensions, g.Version, g.LastVersion)
	k.extension()
	if row, ok := widths[widthKey(k.in)]; ok && !k.m.hasAny(row) {
		k.r.faultAt(k.in, "capabilities", "needs one of the capabilities %s", capabilityNames(row))
	}
}

// extension tests features of extensions that have no capability: the instruction set of the same name, and
// instructions that need the extension in addition to an older capability.
func (k *requirement) extension() {
	name := ""
	switch {
	case k.in.Op == spirv.OpExtInstImport:
		set, _ := spirv.DecodeString(k.in.Operands)
		switch {
		case namedSets[set]:
			name = set
		case strings.HasPrefix(set, "NonSemantic.") && k.m.Raw.Version < version16:
			name = "SPV_KHR_non_semantic_info"
		}
	case isBallotOp(k.in.Op):
		name = ballotSet
	}
	if name != "" && !k.m.Extensions[name] {
		k.r.faultAt(k.in, "extensions", "needs the extension %s", name)
	}
}

// namedSets lists the instruction sets of extensions of the same name.
var namedSets = set(ballotSet, gcnSet, "SPV_AMD_shader_trinary_minmax", "SPV_AMD_shader_explicit_vertex_parameter")

func (k *requirement) operand(o spirv.Operand) error {
	switch grammar.Kinds[o.Kind].Category {
	case grammar.ValueEnum:
		k.enumerant(o.Kind, o.Kind.Lookup(o.Words[0]))
	case grammar.BitEnum:
		for rest := o.Words[0]; rest != 0; rest &= rest - 1 {
			k.enumerant(o.Kind, o.Kind.Lookup(rest&-rest))
		}
	case grammar.Literal:
		k.inner(o)
	}
	return nil
}

// inner tests the instruction named by a literal: an extended instruction, or the operation of OpSpecConstantOp.
func (k *requirement) inner(o spirv.Operand) {
	switch {
	case o.Kind == grammar.KindLiteralExtInstInteger && o.Import != nil && o.Import.Set != nil:
		if e := o.Import.Set.Lookup(o.Words[0]); e != nil && len(e.Capabilities) > 0 && !k.m.hasAnyWord(e.Capabilities) {
			k.r.faultAt(k.in, "capabilities", "%s needs one of the capabilities %s", e.Name, wordNames(e.Capabilities))
		}
	case o.Kind == grammar.KindLiteralSpecConstantOpInteger:
		g := spirv.Op(o.Words[0]).Grammar()
		// OpSpecConstantOp lists the operations of shaders itself, whatever
		// the capabilities of the instruction.
		if !shaderSpecOps[spirv.Op(o.Words[0])] {
			k.demand(g.Name, g.Capabilities, g.Extensions, g.Version, g.LastVersion)
		}
		if spirv.Op(o.Words[0]) == spirv.OpUConvert && k.m.Raw.Version < version14 && !k.m.Extensions["SPV_AMD_gpu_shader_int16"] {
			k.r.faultAt(k.in, "versions", "a constant of OpUConvert needs SPIR-V 1.4 or the extension SPV_AMD_gpu_shader_int16")
		}
	}
}

func (k *requirement) enumerant(kind grammar.Kind, e *grammar.Enumerant) {
	switch {
	case e == nil:
	case kind == grammar.KindCapability:
		// A capability declares those that it implies.
		k.demand("capability "+e.Name, nil, e.Extensions, e.Version, e.LastVersion)
	case kind == grammar.KindBuiltIn && freeBuiltIns[spirv.BuiltIn(e.Value)]:
	case kind == grammar.KindGroupOperation && k.m.Extensions[ballotSet] && spirv.GroupOperation(e.Value) <= spirv.GroupOperationExclusiveScan:
		// The extension adds them to Groups; the grammar lacks that.
	case kind == grammar.KindFPRoundingMode || kind == grammar.KindSourceLanguage:
	default:
		k.demand(e.Name, e.Capabilities, e.Extensions, e.Version, e.LastVersion)
	}
}

// demand tests one entry of the grammar. An enabling capability suffices up to the entry's last version, if the
// declaration of that capability already needed an extension. An addition of an extension to a core capability needs
// the extension too.
func (k *requirement) demand(name string, caps []uint32, exts []string, first, last grammar.Version) {
	v := grammar.Version(k.m.Raw.Version >> 8)
	if len(caps) > 0 {
		switch {
		case !k.m.hasAnyWord(caps):
			k.r.faultAt(k.in, "capabilities", "%s needs the capability %s", name, wordNames(caps))
		case last != 0 && v > last:
			k.removedSince(name, last, v)
		case len(exts) > 0 && (first == 0 || v < first) && !k.m.extended(exts) && !k.m.hasExtensionWord(caps):
			k.r.faultAt(k.in, "extensions", "%s needs the extension %s", name, strings.Join(exts, " or "))
		}
		return
	}
	if first != 0 && v >= first && (last == 0 || v <= last) || k.m.extended(exts) {
		return
	}
	switch {
	case len(exts) > 0:
		k.r.faultAt(k.in, "extensions", "%s needs the extension %s", name, strings.Join(exts, " or "))
	case first != 0 && v < first:
		k.r.faultAt(k.in, "versions", "%s needs SPIR-V %d.%d: the module is of %d.%d", name, first>>8, first&0xFF, v>>8, v&0xFF)
	case first != 0:
		k.removedSince(name, last, v)
	}
}

// removedSince reports a feature that versions after last lack.
func (k *requirement) removedSince(name string, last, v grammar.Version) {
	k.r.faultAt(k.in, "versions", "%s is not in SPIR-V after %d.%d: the module is of %d.%d", name, last>>8, last&0xFF, v>>8, v&0xFF)
}

func (m *Module) extended(exts []string) bool {
	return slices.ContainsFunc(exts, func(e string) bool { return m.Extensions[e] })
}

// hasExtensionWord reports whether one of the capabilities came with an extension.
func (m *Module) hasExtensionWord(caps []uint32) bool {
	return slices.ContainsFunc(caps, func(c uint32) bool {
		return m.implied[spirv.Capability(c)] && len(grammar.KindCapability.Lookup(c).Extensions) > 0
	})
}

func (m *Module) hasAnyWord(caps []uint32) bool {
	return slices.ContainsFunc(caps, func(c uint32) bool { return m.implied[spirv.Capability(c)] })
}

func (m *Module) hasAny(caps []spirv.Capability) bool {
	return slices.ContainsFunc(caps, func(c spirv.Capability) bool { return m.implied[c] })
}

func wordNames(caps []uint32) string {
	names := lists.Map(caps, func(c uint32) string { return spirv.Capability(c).String() })
	return strings.Join(names, " or ")
}

func capabilityNames(caps []spirv.Capability) string {
	names := lists.Map(caps, func(c spirv.Capability) string { return c.String() })
	return strings.Join(names, ", ")
}

// widthKey names a scalar type declaration, as "int 8"; "" for other
// instructions.
func widthKey(in *spirv.Instruction) string {
	switch {
	case in.Op == spirv.OpTypeInt && in.Operands[0] != 32:
		return fmt.Sprint("int ", in.Operands[0])
	case in.Op == spirv.OpTypeFloat && in.Operands[0] != 32 && len(in.Operands) == 1:
		return fmt.Sprint("float ", in.Operands[0])
	case in.Op == spirv.OpTypeVector && in.Operands[1] > 4 || in.Op == spirv.OpTypeVectorIdEXT:
		return "long vector"
	}
	return ""
}

var storage8 = []spirv.Capability{spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityUniformAndStorageBuffer8BitAccess,
	spirv.CapabilityStoragePushConstant8, spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR}

var storage16 = []spirv.Capability{spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityUniformAndStorageBuffer16BitAccess,
	spirv.CapabilityStoragePushConstant16, spirv.CapabilityStorageInputOutput16, spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR}

func anyOf(first spirv.Capability, rest []spirv.Capability) []spirv.Capability {
	return append([]spirv.Capability{first}, rest...)
}

// widths maps types to the capabilities that allow them, any one of them (OpTypeInt, OpTypeFloat and section 2.16.1).
var widths = map[string][]spirv.Capability{
	"int 8":       anyOf(spirv.CapabilityInt8, storage8),
	"int 16":      anyOf(spirv.CapabilityInt16, storage16),
	"int 64":      {spirv.CapabilityInt64},
	"float 16":    append(anyOf(spirv.CapabilityFloat16, storage16), spirv.CapabilityFloat16Buffer),
	"float 64":    {spirv.CapabilityFloat64},
	"long vector": {spirv.CapabilityVector16, spirv.CapabilityLongVectorEXT, spirv.CapabilityCooperativeVectorNV},
}

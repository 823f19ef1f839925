package validate

import (
	"fmt"
	"strings"

	"spvsim/internal/lists"
	"spvsim/spirv"
)

// A rule is one sentence of an extension's text that a module can break. The list of rules in the docs is made from
// these tables.
type rule struct {
	name     string
	sentence string
	// warning: a violation does no harm, and a compiler in use commits it.
	warning bool
	// independent rules do not rely on other rules.
	independent bool
	// check is nil if a chapter of the core rules tests the sentence; its faults then have the rule's name.
	check func(c *extension)
}

// ofVulkan reports a rule of the Vulkan environment.
func (r *rule) ofVulkan() bool {
	return strings.HasPrefix(r.sentence, "[VUID-") || strings.Contains(r.sentence, "[in the Vulkan API]")
}

// An extensionText holds the rules of one extension.
type extensionText struct {
	name  string
	rules []rule
}

var extensionTexts []extensionText

func init() {
	extensionTexts = []extensionText{
		{"SPV_AMDX_shader_enqueue", enqueueRules},
		{"SPV_KHR_workgroup_memory_explicit_layout", workgroupRules},
		{"SPV_AMD_shader_ballot", ballotRules},
		{"SPV_KHR_quad_control", quadRules},
		{"SPV_AMD_gcn_shader", gcnRules},
	}
}

// An extension is the context in which a rule is tested.
type extension struct {
	*Module
	r       *report
	rule    *rule
	enqueue *enqueueWork
	// imageUses is what eachImage visits, listed for the first rule that asks.
	imageUses []imageUse
}

// earlyRules and extensionRules test the rules of the extensions that the
// module declares.
func earlyRules(m *Module, r *report) { runExtensions(m, r, true) }

func extensionRules(m *Module, r *report) { runExtensions(m, r, false) }

func runExtensions(m *Module, r *report, early bool) {
	for i := range extensionTexts {
		text := &extensionTexts[i]
		if !m.Extensions[text.name] {
			continue
		}
		c := &extension{Module: m, r: r, enqueue: &enqueueWork{}}
		for j := range text.rules {
			if c.rule = &text.rules[j]; c.rule.check != nil && c.rule.independent == early {
				c.rule.check(c)
			}
		}
	}
}

// faultAt reports a breach of the rule.
func (c *extension) faultAt(in *spirv.Instruction, format string, args ...any) {
	if c.rule.warning {
		c.r.warn(in, c.rule.name, format, args...)
	} else {
		c.r.faultAt(in, c.rule.name, format, args...)
	}
}

// faultAtMode reports a breach by an execution mode.
func (c *extension) faultAtMode(m *Mode, format string, args ...any) {
	c.faultAt(&spirv.Instruction{Op: spirv.OpExecutionMode, Word: m.Word}, format, args...)
}

// eachOp visits the instructions of some opcodes.
func (c *extension) eachOp(visit func(in *spirv.Instruction), ops ...spirv.Op) {
	for i := range c.Raw.Instructions {
		in := &c.Raw.Instructions[i]
		for _, op := range ops {
			if in.Op == op {
				visit(in)
			}
		}
	}
}

// eachOp returns the rule that visits the instructions of some opcodes.
func eachOp(visit func(c *extension, in *spirv.Instruction), ops ...spirv.Op) func(*extension) {
	return func(c *extension) {
		c.eachOp(func(in *spirv.Instruction) { visit(c, in) }, ops...)
	}
}

// eachExt visits the instructions of an extended set.
func (c *extension) eachExt(set string, visit func(in *spirv.Instruction, code uint32, args []uint32)) {
	c.eachOp(func(in *spirv.Instruction) {
		if c.imports[spirv.ID(in.Operands[0])] == set {
			visit(in, in.Operands[1], in.Operands[2:])
		}
	}, spirv.OpExtInst)
}

// eachDecoration visits decorations of a kind on ids, with the id, and those of a group on each of its targets.
func (c *extension) eachDecoration(kind spirv.Decoration, visit func(in *spirv.Instruction, target spirv.ID, args []uint32)) {
	c.eachOp(func(in *spirv.Instruction) {
		if in.Op == spirv.OpGroupDecorate {
			for _, d := range c.grouped(in, kind) {
				for _, id := range in.Operands[1:] {
					visit(in, spirv.ID(id), d.Args)
				}
			}
		} else if target := spirv.ID(in.Operands[0]); spirv.Decoration(in.Operands[1]) == kind && c.Def(target).Op != spirv.OpDecorationGroup {
			visit(in, target, in.Operands[2:])
		}
	}, spirv.OpDecorate, spirv.OpDecorateId, spirv.OpGroupDecorate)
}

// eachDecoration returns the rule that visits decorations of a kind.
func eachDecoration(kind spirv.Decoration, visit func(c *extension, in *spirv.Instruction, target spirv.ID, args []uint32)) func(*extension) {
	return func(c *extension) {
		c.eachDecoration(kind, func(in *spirv.Instruction, target spirv.ID, args []uint32) { visit(c, in, target, args) })
	}
}

// eachMember visits decorations of a kind on members of structures, those of groups included, with their operands.
func (c *extension) eachMember(kind spirv.Decoration, visit func(in *spirv.Instruction, structure spirv.ID, member uint32, args []uint32)) {
	c.eachOp(func(in *spirv.Instruction) {
		o := in.Operands
		if in.Op == spirv.OpMemberDecorate && spirv.Decoration(o[2]) == kind {
			visit(in, spirv.ID(o[0]), o[1], o[3:])
		}
		if in.Op == spirv.OpGroupMemberDecorate {
			for _, d := range c.grouped(in, kind) {
				for n := 1; n+1 < len(o); n += 2 {
					visit(in, spirv.ID(o[n]), o[n+1], d.Args)
				}
			}
		}
	}, spirv.OpMemberDecorate, spirv.OpGroupMemberDecorate)
}

// grouped returns the decorations of a kind that a group gives.
func (c *extension) grouped(in *spirv.Instruction, kind spirv.Decoration) (list []Decoration) {
	return lists.Filter(c.Decorations(spirv.ID(in.Operands[0])), func(d Decoration) bool { return d.Kind == kind })
}

// constantValue returns the value of an OpConstant of up to 32 bits.
func (m *Module) constantValue(id uint32) (uint32, bool) {
	if def := m.Def(spirv.ID(id)); def != nil && def.Op == spirv.OpConstant {
		return def.Operands[0], true
	}
	return 0, false
}

// signedValue returns the value of an OpConstant of a signed type.
func (m *Module) signedValue(id spirv.ID) (int64, bool) {
	def := m.Def(id)
	if def == nil || def.Op != spirv.OpConstant {
		return 0, false
	}
	t := m.Type(def.Type)
	if t == nil || t.Kind != KindInt || !t.Signed {
		return 0, false
	}
	n := uint64(def.Operands[0])
	if len(def.Operands) > 1 {
		n |= uint64(def.Operands[1]) << 32
	}
	return int64(n<<(64-t.Width)) >> (64 - t.Width), true
}

// versionRule returns the rule that a module is of a version at least.
func versionRule(minor uint32) func(c *extension) {
	return func(c *extension) {
		if c.Raw.Version < 1<<16|minor<<8 {
			c.faultAt(&spirv.Instruction{Op: spirv.OpExtension, Word: spirv.HeaderWords}, "%s needs SPIR-V 1.%d", c.extensionName(), minor)
		}
	}
}

// extensionName finds the table that the current rule is in.
func (c *extension) extensionName() string {
	for i := range extensionTexts {
		for j := range extensionTexts[i].rules {
			if &extensionTexts[i].rules[j] == c.rule {
				return extensionTexts[i].name
			}
		}
	}
	return fmt.Sprint("rule ", c.rule.name)
}

// describe names the type of an operand, also where there is none.
func (m *Module) describe(t *Type) string {
	if t == nil {
		return "no value"
	}
	return m.typeText(t)
}

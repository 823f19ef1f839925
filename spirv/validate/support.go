package validate

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"spvsim/internal/lists"
	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// A level is the treatment of a module that uses a feature.
type level uint8

const (
	// runs: the feature is modelled.
	runs level = iota
	// whenLowered: the rules cover it. Parts that are not modelled are refused by name when an entry point that reaches
	// them is lowered; other entry points may run.
	whenLowered
	// refused: a module that uses it is refused before any rule is tested, because rules that don't cover the feature
	// would call a valid module invalid. A module that declares it without use, as compilers write, is not refused.
	refused
	// foreign: a module that declares it is refused.
	foreign
)

// A feature is a row of the tables of supported features. reason describes what does not run.
type feature struct {
	level  level
	reason string
}

// unknownExtension is the row of an extension that neither the table nor the grammar names.
var unknownExtension = feature{refused, "no extension of this name is known"}

// unknownSet is the row of an instruction set without one.
var unknownSet = feature{refused, "no extended instruction set of this name is known"}

// capabilityFeature returns the treatment of a module that declares a capability.
func capabilityFeature(c spirv.Capability) feature {
	f, ok := capabilityFeatures[c]
	for vendor, without := range vendorFeatures {
		if !ok && strings.HasSuffix(c.String(), vendor) {
			return without
		}
	}
	return f
}

// extensionFeature returns the row of an extension.
func extensionFeature(name string) feature {
	if f, ok := extensionFeatures[name]; ok {
		return f
	}
	if len(grammarExtensions()[name]) > 0 {
		return feature{level: runs}
	}
	return unknownExtension
}

// setFeature returns the row of an extended instruction set.
func setFeature(name string) feature {
	if f, ok := setFeatures[name]; ok {
		return f
	}
	if Ignorable(name) {
		return feature{level: runs}
	}
	return unknownSet
}

// Ignorable reports whether an instruction set has no effect on the results of a module: sets that are so by
// definition, and those for debuggers.
func Ignorable(set string) bool {
	return strings.HasPrefix(set, "NonSemantic.") || set == "DebugInfo" || set == "OpenCL.DebugInfo.100"
}

// grammarExtensions maps each extension of the grammar to the capabilities that it enables.
var grammarExtensions = sync.OnceValue(func() map[string][]spirv.Capability {
	m := map[string][]spirv.Capability{}
	for _, e := range grammar.KindCapability.Info().Enumerants {
		for _, name := range e.Extensions {
			m[name] = append(m[name], spirv.Capability(e.Value))
		}
	}
	return m
})

// closure returns a capability and those that it implies.
func closure(c spirv.Capability) map[spirv.Capability]bool {
	m := &Module{implied: map[spirv.Capability]bool{}}
	m.implyOne(c)
	return m.implied
}

// neededBy counts the entries of the grammar that need each capability.
var neededBy = sync.OnceValue(func() map[spirv.Capability]int {
	m := map[spirv.Capability]int{}
	count := func(caps []uint32) {
		for _, c := range caps {
			m[spirv.Capability(c)]++
		}
	}
	for i := range grammar.Ops {
		count(grammar.Ops[i].Capabilities)
	}
	for k := range grammar.Kinds {
		for _, e := range grammar.Kinds[k].Enumerants {
			if grammar.Kind(k) != grammar.KindCapability {
				count(e.Capabilities)
			}
		}
	}
	return m
})

// visible reports whether the use of a capability can be detected: something in the grammar needs it, or needs another
// refused capability that it implies.
func visible(c spirv.Capability) bool {
	for implied := range closure(c) {
		if capabilityFeature(implied).level == refused && neededBy()[implied] > 0 {
			return true
		}
	}
	return false
}

// maxRefused bounds the features that one error names.
const maxRefused = 64

// A refusal collects the unsupported features of a module.
type refusal struct {
	first    *spirv.Instruction
	names    map[string]bool
	whys     []string            // in order of appearance
	byReason map[string][]string // names by reason
	sets     map[spirv.ID]string // imported

	kernels  bool                      // the memory model is OpenCL
	modelled map[spirv.Capability]bool // declared or implied, and not refused
	pending  []pendingUse              // capabilities to refuse once something needs them
	in       *spirv.Instruction
}

// A pendingUse is a declared capability that is refused, with the refused ones that it implies.
type pendingUse struct {
	capability spirv.Capability
	refused    map[spirv.Capability]bool
}

// supported refuses a module for all its unsupported features in one error, which is no violation of a rule.
func supported(raw *spirv.Module) error {
	r := &refusal{names: map[string]bool{}, byReason: map[string][]string{}, sets: map[spirv.ID]string{}, modelled: map[spirv.Capability]bool{}}
	r.kernels = slices.ContainsFunc(raw.Instructions, func(in spirv.Instruction) bool {
		return in.Op == spirv.OpMemoryModel && spirv.MemoryModel(in.Operands[1]) == spirv.MemoryModelOpenCL
	})
	for i := range raw.Instructions {
		in := &raw.Instructions[i]
		switch in.Op {
		case spirv.OpCapability:
			r.capability(in)
		case spirv.OpExtension:
			name, _ := spirv.DecodeString(in.Operands)
			if f := extensionFeature(name); f.level >= refused {
				r.add(in, "extension "+name, f)
			}
		case spirv.OpExtInstImport:
			name, _ := spirv.DecodeString(in.Operands)
			if r.sets[in.Result] = name; setFeature(name) == unknownSet {
				r.add(in, fmt.Sprintf("instruction set %q", name), unknownSet)
			}
		case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
			name, ok := r.sets[spirv.ID(in.Operands[0])]
			if f := setFeature(name); ok && f.level >= refused {
				r.add(in, fmt.Sprintf("instruction set %q", name), f)
			}
		}
	}
	if len(r.pending) > 0 {
		r.uses(raw)
	}
	return r.err()
}

// ofKernels lists the capabilities that shaders do not have.
var ofKernels = set(spirv.CapabilityKernel, spirv.CapabilityAddresses, spirv.CapabilityLinkage, spirv.CapabilityVector16, spirv.CapabilityFloat16Buffer,
	spirv.CapabilityImageBasic, spirv.CapabilityImageReadWrite, spirv.CapabilityImageMipmap, spirv.CapabilityLiteralSampler, spirv.CapabilityGenericPointer)

func (r *refusal) capability(in *spirv.Instruction) {
	c := spirv.Capability(in.Operands[0])
	f := capabilityFeature(c)
	if ofKernels[c] && !r.kernels {
		f = feature{foreign, kernelsOnly}
	}
	if f.level == foreign || f.level == refused && !visible(c) {
		r.add(in, "capability "+c.String(), f)
		return
	}
	use := pendingUse{c, map[spirv.Capability]bool{}}
	for implied := range closure(c) {
		if capabilityFeature(implied).level < refused {
			r.modelled[implied] = true
		} else {
			use.refused[implied] = true
		}
	}
	if f.level == refused {
		r.pending = append(r.pending, use)
	}
}

// uses finds the instructions that need the pending capabilities.
func (r *refusal) uses(raw *spirv.Module) {
	ctx := spirv.NewContext(int(min(raw.Bound, 1<<16)))
	visit := r.operand
	for i := range raw.Instructions {
		r.in = &raw.Instructions[i]
		r.require(r.in.Op.Grammar().Capabilities)
		_ = spirv.Walk(r.in, ctx, visit) // the decoder has walked it
		ctx.Note(r.in)
	}
}

func (r *refusal) operand(o spirv.Operand) error {
	if o.Kind == grammar.KindCapability {
		return nil
	}
	switch grammar.Kinds[o.Kind].Category {
	case grammar.ValueEnum:
		r.needEnumerant(o.Kind.Lookup(o.Words[0]))
	case grammar.BitEnum:
		for rest := o.Words[0]; rest != 0; rest &= rest - 1 {
			r.needEnumerant(o.Kind.Lookup(rest & -rest))
		}
	}
	return nil
}

func (r *refusal) needEnumerant(e *grammar.Enumerant) {
	if e != nil {
		r.require(e.Capabilities)
	}
}

// require refuses the pending capabilities that an entry of the grammar needs,
// unless one that is modelled is enough.
func (r *refusal) require(caps []uint32) {
	for _, c := range caps {
		if r.modelled[spirv.Capability(c)] {
			return
		}
	}
	for _, p := range r.pending {
		for _, c := range caps {
			if p.refused[spirv.Capability(c)] {
				r.add(r.in, "capability "+p.capability.String(), capabilityFeature(p.capability))
			}
		}
	}
}

func (r *refusal) add(in *spirv.Instruction, name string, f feature) {
	if r.names[name] || len(r.names) == maxRefused {
		return
	}
	if r.first == nil || in.Word < r.first.Word {
		r.first = in
	}
	r.names[name] = true
	if r.byReason[f.reason] == nil {
		r.whys = append(r.whys, f.reason)
	}
	r.byReason[f.reason] = append(r.byReason[f.reason], name)
}

func (r *refusal) err() error {
	if r.first == nil {
		return nil
	}
	parts := lists.Map(r.whys, func(why string) string { return fmt.Sprintf("%s (%s)", strings.Join(r.byReason[why], ", "), why) })
	f := FaultAt(r.first, "", "%v: %s", ErrUnsupported, strings.Join(parts, "; "))
	f.Err = ErrUnsupported
	return f
}

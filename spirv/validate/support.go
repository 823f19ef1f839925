package validate

import (
	"fmt"
	"strings"
	"sync"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// A level says what becomes of a module that asks for a feature.
type level uint8

const (
	// runs: it is modelled.
	runs level = iota
	// whenLowered: the rules know it. What is not modelled of it is refused by
	// name when an entry point that reaches it is lowered; others may run.
	whenLowered
	// refused: the module is refused before any rule is tested, since rules that
	// don't know the feature would call a valid module invalid.
	refused
)

// A feature is a row of the tables of what is supported. why says what does
// not run.
type feature struct {
	level level
	why   string
}

// unknownExtension is the row of an extension that neither the table nor the
// grammar names.
var unknownExtension = feature{refused, "no extension of this name is known"}

// unknownSet is the row of an instruction set without one.
var unknownSet = feature{refused, "no extended instruction set of this name is known"}

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

// Ignorable reports an instruction set that changes nothing of what a module
// computes: those that are so by definition, and those for debuggers.
func Ignorable(set string) bool {
	return strings.HasPrefix(set, "NonSemantic.") || set == "DebugInfo" || set == "OpenCL.DebugInfo.100"
}

// grammarExtensions gives the capabilities that each extension of the grammar
// enables.
var grammarExtensions = sync.OnceValue(func() map[string][]spirv.Capability {
	m := map[string][]spirv.Capability{}
	for _, e := range grammar.KindCapability.Info().Enumerants {
		for _, name := range e.Extensions {
			m[name] = append(m[name], spirv.Capability(e.Value))
		}
	}
	return m
})

// maxRefused bounds the features that one error names.
const maxRefused = 64

// A refusal collects what a module asks for and does not get.
type refusal struct {
	first *spirv.Instruction
	names map[string]bool
	whys  []string            // in order of appearance
	by    map[string][]string // names by reason
	sets  map[spirv.ID]string // imported
}

// supported refuses a module for the features that are not supported, all of
// them in one error that is no breach of any rule.
func supported(raw *spirv.Module) error {
	r := &refusal{names: map[string]bool{}, by: map[string][]string{}, sets: map[spirv.ID]string{}}
	for i := range raw.Instructions {
		in := &raw.Instructions[i]
		switch in.Op {
		case spirv.OpCapability:
			c := spirv.Capability(in.Operands[0])
			r.take(in, "capability "+c.String(), capabilityFeatures[c])
		case spirv.OpExtension:
			name, _ := spirv.DecodeString(in.Operands)
			r.take(in, "extension "+name, extensionFeature(name))
		case spirv.OpExtInstImport:
			r.sets[in.Result], _ = spirv.DecodeString(in.Operands)
		case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
			if name, ok := r.sets[spirv.ID(in.Operands[0])]; ok {
				r.take(in, fmt.Sprintf("instruction set %q", name), setFeature(name))
			}
		}
	}
	return r.err()
}

func (r *refusal) take(in *spirv.Instruction, name string, f feature) {
	if f.level != refused || r.names[name] || len(r.names) == maxRefused {
		return
	}
	if r.first == nil {
		r.first = in
	}
	r.names[name] = true
	if r.by[f.why] == nil {
		r.whys = append(r.whys, f.why)
	}
	r.by[f.why] = append(r.by[f.why], name)
}

func (r *refusal) err() error {
	if r.first == nil {
		return nil
	}
	parts := make([]string, len(r.whys))
	for i, why := range r.whys {
		parts[i] = fmt.Sprintf("%s (%s)", strings.Join(r.by[why], ", "), why)
	}
	f := FaultAt(r.first, "", "%v: %s", ErrUnsupported, strings.Join(parts, "; "))
	f.Err = ErrUnsupported
	return f
}

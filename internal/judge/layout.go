package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// Types of descriptors, as Vulkan numbers them (VkDescriptorType).
const (
	sampler = iota
	combined
	sampledImage
	storageImage
	uniformTexels
	storageTexels
	uniformBuffer
	storageBuffer
)

// guessedArrayLength is the length of a runtime array of descriptors.
const guessedArrayLength = 16

// layout writes a request for driver/radv.c, without the module's file: the entry point, wave size, bindings, push constants
// and specialization, read from the module.
func layout(r *Request) (string, error) {
	e := r.Module.EntryPoint(r.Entry)
	if r.Entry == "" && len(r.Module.EntryPoints) == 1 {
		e = &r.Module.EntryPoints[0]
	}
	if e == nil {
		return "", fmt.Errorf("judge: no entry point %q", r.Entry)
	}
	if r.Module.Has(spirv.CapabilityShaderEnqueueAMDX) || r.Module.Has(spirv.CapabilityCooperativeMatrixKHR) {
		return "", fmt.Errorf("%w: its Mesa knows neither execution graphs nor cooperative matrices", ErrRefused)
	}
	if op := groupOfWaves(r.Module); op != nil {
		return "", fmt.Errorf("%w: it takes %s over a workgroup for one over a wave", ErrRefused, op.Op)
	}
	if e.Model != spirv.ExecutionModelGLCompute {
		return "", fmt.Errorf("%w: entry point %q is of model %s: want GLCompute", ErrRefused, e.Name, e.Model)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "entry %s\nsubgroup %d\n", e.Name, r.WaveSize)
	push := uint32(0)
	seen := map[[2]uint32]bool{}
	for i := range r.Module.Raw.Instructions {
		in := &r.Module.Raw.Instructions[i]
		if in.Op != spirv.OpVariable && in.Op != spirv.OpUntypedVariableKHR {
			continue
		}
		if in.Operands[0] == uint32(spirv.StorageClassPushConstant) {
			push = maxPushBytes
		}
		if err := binding(&b, r.Module, in, seen); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(&b, "push %d\n", push)
	constants(&b, r)
	return b.String(), nil
}

// groupOfWaves returns a group operation over a workgroup, or nil. Vulkan has none, and RADV executes it over each wave.
func groupOfWaves(m *validate.Module) *spirv.Instruction {
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		if in.Op < spirv.OpGroupAll || in.Op > spirv.OpGroupSMax {
			continue
		}
		if scope := m.Def(spirv.ID(in.Operands[0])); scope != nil && scope.Op == spirv.OpConstant && spirv.Scope(scope.Operands[0]) == spirv.ScopeWorkgroup {
			return in
		}
	}
	return nil
}

// maxPushBytes is the bytes of push constants that RADV allows. Unused ones cost nothing.
const maxPushBytes = 256

// binding writes the descriptor of a variable. Of several variables at one binding, the first counts.
func binding(b *strings.Builder, m *validate.Module, in *spirv.Instruction, seen map[[2]uint32]bool) error {
	set, ok1 := m.Decoration(in.Result, spirv.DecorationDescriptorSet)
	at, ok2 := m.Decoration(in.Result, spirv.DecorationBinding)
	if !ok1 || !ok2 || seen[[2]uint32{set, at}] {
		return nil
	}
	seen[[2]uint32{set, at}] = true
	t, count := m.TypeOf(in.Result).Elem, 1
	if t != nil && (t.Kind == validate.KindArray || t.Kind == validate.KindRuntimeArray) {
		if count = t.Count; count == 0 {
			count = guessedArrayLength
		}
		t = t.Elem
	}
	kind, err := descriptor(m, spirv.StorageClass(in.Operands[0]), t)
	if err != nil {
		return fmt.Errorf("%w: set %d, binding %d: %w", ErrRefused, set, at, err)
	}
	fmt.Fprintf(b, "binding %d %d %d %d\n", set, at, kind, count)
	return nil
}

func descriptor(m *validate.Module, class spirv.StorageClass, t *validate.Type) (int, error) {
	switch {
	case class == spirv.StorageClassStorageBuffer:
		return storageBuffer, nil
	case class == spirv.StorageClassUniform && t != nil && m.Decorated(t.ID, spirv.DecorationBufferBlock):
		return storageBuffer, nil
	case class == spirv.StorageClassUniform:
		return uniformBuffer, nil
	case t == nil:
		return 0, fmt.Errorf("a resource without a type")
	case t.Kind == validate.KindSampler:
		return sampler, nil
	case t.Kind == validate.KindSampledImage && t.Elem.Dim != spirv.DimBuffer:
		return combined, nil
	case t.Kind == validate.KindSampledImage:
		return uniformTexels, nil
	case t.Kind == validate.KindImage:
		return image(t), nil
	}
	return 0, fmt.Errorf("no descriptor is known for it")
}

func image(t *validate.Type) int {
	storage := 0
	if t.Sampled == 2 {
		storage = 1
	}
	if t.Dim == spirv.DimBuffer {
		return uniformTexels + storage
	}
	return sampledImage + storage
}

// constants writes the specialization, with the sizes of the module's constants.
func constants(b *strings.Builder, r *Request) {
	bytes := map[uint32]int{}
	for i := range r.Module.Raw.Instructions {
		in := &r.Module.Raw.Instructions[i]
		if id, ok := r.Module.Decoration(in.Result, spirv.DecorationSpecId); ok && in.Result != 0 && in.Type != 0 {
			bytes[id] = 4 // booleans too
			if t := r.Module.Type(in.Type); t.Width > 0 {
				bytes[id] = t.Width / 8
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.Specialization)) {
		if n := bytes[id]; n > 0 {
			fmt.Fprintf(b, "spec %d %d %d\n", id, n, r.Specialization[id])
		}
	}
}

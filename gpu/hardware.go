package gpu

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"spvsim/config"
	"spvsim/mem/texture"
	"spvsim/program"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// A HardwareJob is a job in the terms of an API, for a device that is not simulated: memory with its first contents, shaders as modules,
// launches with what they bind. Lowering for the setup's machine has checked it.
type HardwareJob struct {
	Rounds  int
	Buffers []HardwareBuffer // in the order of the job
	r       *runner
	raw     bool // contents may hold addresses
	shaders map[*lowered]*HardwareShader
}

// A HardwareBuffer is a buffer, texel buffer or image of a job.
type HardwareBuffer struct {
	Name       string
	Bytes      []byte                // first contents, without addresses
	Parent     int                   // the buffer that this one is a part of; -1: none
	Offset     uint64                // in Parent
	Addresses  []config.AddressFixup // places of device addresses in Bytes
	Image      *texture.Image        // of an image or texel buffer
	Texels     bool                  // Image is that of a texel buffer
	Dimensions int                   // of an image, as shaders have them
}

// A HardwareShader is an entry point of a module, with one specialization.
type HardwareShader struct {
	File         string
	Module       *validate.Module
	Program      *program.Program // for the setup's machine
	Constants    []HardwareConstant
	SubgroupSize int // that the job asks for; 0: any
	MinSubgroup  int // least size that the shader is written for
	Bindings     []HardwareBinding
	Matrices     []HardwareMatrix
}

// A HardwareConstant is the value of a specialization constant.
type HardwareConstant struct {
	ID    uint32
	Bits  uint64
	Bytes int
}

// A HardwareBinding is a place for descriptors in a shader.
type HardwareBinding struct {
	Set, Binding uint32
	Count        uint32 // of elements; 0: run-time sized
	Type         *validate.Type
	Storage      spirv.StorageClass
	ReadsBlock   bool // a uniform block
}

// A HardwareMatrix is the shape of a multiply-add of cooperative matrices.
type HardwareMatrix struct {
	M, N, K uint64
	A, B, C *validate.Type // components
	Scope   uint64
}

// A HardwareLaunch is one launch of a job, with all expressions evaluated.
type HardwareLaunch struct {
	*config.Launch
	Name     string
	Shader   *HardwareShader // nil: a transfer, or work of the host
	Elements []HardwareElement
}

// A HardwareElement is a buffer or a sampler that a launch binds.
type HardwareElement struct {
	Set, Binding, Index uint32
	Buffer              int // -1: none
	Sampler             *config.Sampler
}

// ErrHardware reports what a job has that this program does not give to real devices.
var ErrHardware = errors.New("not measured on devices")

// NewHardwareJob reads a job and lowers its shaders, which finds its errors.
func NewHardwareJob(ctx context.Context, s Setup) (*HardwareJob, error) {
	if err := s.check(); err != nil {
		return nil, inputError(err)
	}
	switch job := s.Job; {
	case job.IsGraph():
		return nil, inputError(fmt.Errorf("nodes: found an execution graph: want dispatches: graphs are %w", ErrHardware))
	case len(job.Queues) > 0:
		return nil, inputError(fmt.Errorf("queues: found launches in several queues: want steps: queues are %w", ErrHardware))
	}
	r, err := prepareRunner(ctx, s)
	if err != nil {
		return nil, inputError(err)
	}
	h := &HardwareJob{Rounds: r.total, r: r, shaders: map[*lowered]*HardwareShader{}}
	for i := range s.Job.Buffers {
		if err := h.addBuffer(i); err != nil {
			return nil, inputError(fmt.Errorf("buffers[%d]: %w", i, err))
		}
	}
	for i := range h.Buffers {
		if !holdsRaw(s.Job.Buffers[i].Data) {
			continue
		}
		h.raw = true
		if err := h.checkAddresses(h.Buffers[i].Bytes); err != nil {
			return nil, inputError(fmt.Errorf("%s: %w", h.Buffers[i].Name, err))
		}
	}
	if err := h.EachLaunch(func(*HardwareLaunch) error { return nil }); err != nil {
		return nil, inputError(err)
	}
	return h, nil
}

func (h *HardwareJob) addBuffer(i int) error {
	res := h.r.resources
	from := &res.job.Buffers[i]
	at, err := from.Location(func(whole int) uint64 { return res.buffers[whole].Size })
	if err != nil {
		return err
	}
	b := HardwareBuffer{Name: cmp.Or(from.Name, fmt.Sprintf("buffers[%d]", i)), Bytes: res.buffers[i].Bytes, Parent: at.Parent, Offset: at.Offset, Addresses: res.fixups[i], Image: res.views[i].Image, Texels: from.TexelBuffer != ""}
	if b.Image != nil && max(b.Image.Samples, 1) > 1 {
		return fmt.Errorf("image: found %d samples: want 1: images of several samples are %w", b.Image.Samples, ErrHardware)
	}
	if b.Image != nil && b.Parent >= 0 {
		return fmt.Errorf("part_of: found an image: want a buffer: images in parts of buffers are %w", ErrHardware)
	}
	for _, a := range b.Addresses {
		binary.LittleEndian.PutUint64(b.Bytes[a.At:], 0)
	}
	h.Buffers = append(h.Buffers, b)
	return nil
}

// holdsRaw reports whether data may hold addresses that the job does not name: bytes of files, as captures have them, and elements of 64 bits.
func holdsRaw(d *config.Data) bool {
	return d != nil && (d.File != "" || d.Type == "u64" || d.Type == "i64" || d.Repeat != nil && holdsRaw(d.Repeat.Data) || slices.ContainsFunc(d.Parts, func(p config.Data) bool { return holdsRaw(&p) }))
}

// checkAddresses refuses contents with the address that the job chose for a buffer: a device chooses its own. Addresses that the job names
// (address_of) are zero here.
func (h *HardwareJob) checkAddresses(data []byte) error {
	for i := range h.Buffers {
		b := h.r.resources.buffers[i]
		if h.r.setup.Job.Buffers[i].Address == "" {
			continue
		}
		for at := 0; at+8 <= len(data); at += 8 {
			if v := binary.LittleEndian.Uint64(data[at:]); v >= b.Addr && v-b.Addr < b.Size {
				return fmt.Errorf("found the address %#x of %s at byte %d: want address_of, as the device chooses addresses: such contents are %w", v, h.Buffers[i].Name, at, ErrHardware)
			}
		}
	}
	return nil
}

// Check compares the buffers at the end with what the job expects.
func (h *HardwareJob) Check(bytes func(buffer int) []byte, address func(name string) uint64) (failures []error) {
	job := h.r.setup.Job
	for i := range job.Expect {
		e := &job.Expect[i]
		if err := e.Check(bytes(h.r.resources.find(e.Buffer)), address); err != nil {
			failures = append(failures, err)
		}
	}
	return failures
}

// Timed reports whether a launch is in the job's time window.
func (h *HardwareJob) Timed(l *HardwareLaunch) bool {
	return h.r.window == nil || h.r.window.Chooses(l.Launch)
}

// Find returns the number of the buffer of a name, or -1.
func (h *HardwareJob) Find(name string) int { return h.r.resources.find(name) }

// EachLaunch calls do with each launch of a round.
func (h *HardwareJob) EachLaunch(do func(*HardwareLaunch) error) error {
	return h.r.setup.Job.EachLaunch(func(l *config.Launch) error {
		made, err := h.launch(l)
		if err != nil {
			return err
		}
		return do(made)
	})
}

func (h *HardwareJob) launch(l *config.Launch) (*HardwareLaunch, error) {
	out := &HardwareLaunch{Launch: l, Name: stepName(l)}
	refuse := func(key, found string) error {
		return h.unmeasured(l, key, fmt.Errorf("found %s: want a dispatch of a compute shader: they are %w", found, ErrHardware))
	}
	switch {
	case l.Draw != nil:
		return nil, refuse("draw", "triangles")
	case l.Kernel != nil:
		return nil, refuse("shader", "kernels of OpenCL")
	case l.Copy != nil || l.Synchronize || l.Transfer != nil:
		return out, nil
	}
	made, err := h.r.programs.lowerLaunch(l)
	if err == nil && h.raw {
		err = h.checkAddresses(l.Push.Bytes)
	}
	if err != nil {
		return nil, err
	}
	if out.Shader = h.shaders[made]; out.Shader == nil {
		if out.Shader, err = h.shader(made, l); err != nil {
			return nil, err
		}
		h.shaders[made] = out.Shader
	}
	out.Elements = h.elements(out.Shader, l)
	return out, nil
}

// unmeasured is a fault of a launch's key in the job file that is ErrHardware as well.
func (h *HardwareJob) unmeasured(l *config.Launch, key string, err error) error {
	return &failure{ErrHardware, h.r.setup.Job.Fault(l, key, err)}
}

// elements lists what a launch binds at the bindings of its shader; what comes later counts.
func (h *HardwareJob) elements(s *HardwareShader, l *config.Launch) (list []HardwareElement) {
	put := func(e HardwareElement) {
		if i := slices.IndexFunc(list, func(o HardwareElement) bool { return o.Set == e.Set && o.Binding == e.Binding && o.Index == e.Index }); i >= 0 {
			if e.Sampler == nil {
				list[i].Buffer = e.Buffer
			} else {
				list[i].Sampler = e.Sampler
			}
			return
		}
		list = append(list, e)
	}
	for i := range s.Bindings {
		b := &s.Bindings[i]
		if b.sampler() != samplerAlone {
			for _, at := range h.r.resources.bound(&ir.Binding{Set: b.Set, Binding: b.Binding}, l.Bindings) {
				put(HardwareElement{b.Set, b.Binding, at.index, at.buffer, nil})
			}
		}
		if b.sampler() == noSampler {
			continue
		}
		for _, x := range slices.Concat(h.r.setup.Job.Samplers, l.Samplers) {
			if x.Set == b.Set && x.Binding == b.Binding {
				put(HardwareElement{b.Set, b.Binding, x.Index, -1, &x})
			}
		}
	}
	return list
}

// Whether a binding has a sampler.
const (
	noSampler = iota
	samplerAlone
	samplerWithImage
)

func (b *HardwareBinding) sampler() int {
	switch b.Type.Kind {
	case validate.KindSampler:
		return samplerAlone
	case validate.KindSampledImage:
		return samplerWithImage
	}
	return noSampler
}

// shader describes an entry point for the API.
func (h *HardwareJob) shader(l *lowered, from *config.Launch) (*HardwareShader, error) {
	m, err := h.r.programs.module(from)
	if err != nil {
		return nil, err
	}
	prog := l.code.Program
	s := &HardwareShader{File: from.Shader, Module: m, Program: prog, SubgroupSize: cmp.Or(from.WaveSize, h.r.setup.Job.WaveSize), MinSubgroup: h.r.setup.Job.MinWaveSize}
	if e := entryPoint(m, from.Entry); e.Model != spirv.ExecutionModelGLCompute {
		return nil, h.unmeasured(from, "entry", fmt.Errorf("found %v %q: want GLCompute: other shaders are %w", e.Model, e.Name, ErrHardware))
	}
	values, _ := specialization(m, from.Specialization)
	for _, id := range slices.Sorted(maps.Keys(values)) {
		in, _, _ := findConstant(m, config.SpecValue{ID: id})
		bytes := 4
		if t := m.Type(in.Type); t.Width > 0 {
			bytes = t.Width / 8
		}
		s.Constants = append(s.Constants, HardwareConstant{id, values[id], bytes})
	}
	for i := range m.Raw.Instructions {
		if in := &m.Raw.Instructions[i]; in.Op == spirv.OpVariable || in.Op == spirv.OpUntypedVariableKHR {
			if err := h.addBinding(s, in, values); err != nil {
				return nil, h.unmeasured(from, "shader", err)
			}
		}
	}
	return s, h.addMatrices(s, values)
}

// addBinding adds the binding of a variable, if it has one. Where several variables have one binding, the first is described, but one of
// the kind that the lowered program uses comes before others.
func (h *HardwareJob) addBinding(s *HardwareShader, in *spirv.Instruction, values map[uint32]uint64) error {
	m := s.Module
	set, hasSet := m.Decoration(in.Result, spirv.DecorationDescriptorSet)
	binding, hasBinding := m.Decoration(in.Result, spirv.DecorationBinding)
	if !hasSet || !hasBinding {
		return nil
	}
	b := HardwareBinding{Set: set, Binding: binding, Count: 1, Storage: spirv.StorageClass(in.Operands[0])}
	if in.Op == spirv.OpUntypedVariableKHR {
		if len(in.Operands) < 2 {
			return nil
		}
		b.Type = m.Type(spirv.ID(in.Operands[1]))
	} else {
		b.Type = m.Type(in.Type).Elem
	}
	for b.Type.Kind == validate.KindArray || b.Type.Kind == validate.KindRuntimeArray {
		n := uint32(b.Type.Count)
		if b.Type.CountID != 0 {
			bits, ok := constantValue(m, b.Type.CountID, values)
			if !ok {
				return fmt.Errorf("set %d, binding %d: the size of the array is an expression of specialization constants: such arrays are %w", set, binding, ErrHardware)
			}
			n = uint32(bits)
		}
		b.Count, b.Type = b.Count*n, b.Type.Elem
	}
	b.ReadsBlock = b.Storage == spirv.StorageClassUniform && !m.Decorated(b.Type.ID, spirv.DecorationBufferBlock)
	if b.Type.Kind == validate.KindImage && b.Type.Dim == spirv.DimSubpassData {
		return nil
	}
	for i := range h.Buffers {
		if o := &h.r.setup.Job.Buffers[i]; b.isImage() && !o.Unbound && o.Set == set && o.Binding == binding {
			h.Buffers[i].Dimensions = b.Dimensions()
		}
	}
	i := slices.IndexFunc(s.Bindings, func(o HardwareBinding) bool { return o.Set == set && o.Binding == binding })
	if i < 0 {
		s.Bindings = append(s.Bindings, b)
	} else {
		s.Bindings[i].Count = max(s.Bindings[i].Count, b.Count)
	}
	return nil
}

func (b *HardwareBinding) isImage() bool {
	return b.Type.Kind == validate.KindImage || b.Type.Kind == validate.KindSampledImage
}

// Image is the image type of the binding, or nil.
func (b *HardwareBinding) Image() *validate.Type {
	switch b.Type.Kind {
	case validate.KindImage:
		return b.Type
	case validate.KindSampledImage:
		return b.Type.Elem
	}
	return nil
}

// Dimensions are those of an image that the binding needs; layers are none.
func (b *HardwareBinding) Dimensions() int {
	switch b.Image().Dim {
	case spirv.Dim1D:
		return 1
	case spirv.Dim3D:
		return 3
	}
	return 2
}

// constantValue is the value of an integer constant, plain or specialized by id; ok is false for expressions.
func constantValue(m *validate.Module, id spirv.ID, values map[uint32]uint64) (bits uint64, ok bool) {
	in := m.Def(id)
	if in == nil || in.Op != spirv.OpConstant && in.Op != spirv.OpSpecConstant {
		return 0, false
	}
	if spec, has := m.Decoration(id, spirv.DecorationSpecId); has {
		if v, set := values[spec]; set {
			return v, true
		}
	}
	return uint64(in.Operands[0]), true
}

// addMatrices lists the shapes of multiply-adds of cooperative matrices.
func (h *HardwareJob) addMatrices(s *HardwareShader, values map[uint32]uint64) error {
	m := s.Module
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		if in.Op != spirv.OpCooperativeMatrixMulAddKHR {
			continue
		}
		a, b, c := m.TypeOf(spirv.ID(in.Operands[0])), m.TypeOf(spirv.ID(in.Operands[1])), m.TypeOf(spirv.ID(in.Operands[2]))
		x := HardwareMatrix{A: a.Elem, B: b.Elem, C: c.Elem}
		var ok [4]bool
		x.M, ok[0] = constantValue(m, a.Matrix.Rows, values)
		x.K, ok[1] = constantValue(m, a.Matrix.Columns, values)
		x.N, ok[2] = constantValue(m, b.Matrix.Columns, values)
		x.Scope, ok[3] = constantValue(m, a.Matrix.Scope, values)
		if slices.Contains(ok[:], false) {
			return fmt.Errorf("%s: the shape of a cooperative matrix is an expression of specialization constants: such shapes are %w", s.File, ErrHardware)
		}
		if !slices.Contains(s.Matrices, x) {
			s.Matrices = append(s.Matrices, x)
		}
	}
	return nil
}

package measure

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/mem/texture"
	"spvsim/spirv"
	"spvsim/spirv/validate"
	"spvsim/vulkan/device"
)

// work is the launches of a job as commands of a device.
type work struct {
	*memory
	pipelines map[*gpu.HardwareShader]*device.Pipeline
	sets      map[string]*device.Sets // by pipeline and descriptors
	data      map[string]*device.Buffer
	names     []string // of the steps, in the order of first use
	host      int      // launches that are the host's, which are left out
}

// A command is one launch: it records itself.
type command struct {
	step   int // index in names
	once   bool
	timed  bool // in the job's time window
	record func(c *device.Commands)
}

// commands makes the commands of a round.
func (w *work) commands() (list []command, err error) {
	w.host = 0
	err = w.job.EachLaunch(func(l *gpu.HardwareLaunch) error {
		if l.Copy != nil || l.Synchronize {
			w.host++
			return nil
		}
		step := slices.Index(w.names, l.Name)
		if step < 0 {
			step, w.names = len(w.names), append(w.names, l.Name)
		}
		record, err := w.command(l)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
		list = append(list, command{step, l.Once, w.job.Timed(l), record})
		return nil
	})
	return list, err
}

func (w *work) command(l *gpu.HardwareLaunch) (func(c *device.Commands), error) {
	if l.Transfer != nil {
		return w.transfer(l.Transfer)
	}
	p, err := w.pipeline(l)
	if err != nil {
		return nil, err
	}
	sets, err := w.bind(p, l)
	if err != nil {
		return nil, err
	}
	push := slices.Clone(l.Push.Bytes)
	config.Content{Bytes: push, Addresses: l.Push.Addresses}.Resolve(w.address)
	for len(push)%4 != 0 {
		push = append(push, 0)
	}
	g := &device.Grid{Groups: l.Dispatch, Base: l.Base}
	if l.Indirect != nil {
		b := w.buffers[w.job.Find(l.Indirect.Buffer)]
		g.Indirect, g.Offset = b.Buffer, b.offset+l.Indirect.Offset
	} else if slices.Contains(l.Dispatch[:], 0) {
		return func(*device.Commands) {}, nil
	}
	return func(c *device.Commands) { c.Dispatch(p, sets, push, g) }, nil
}

// pipeline compiles the shader of a launch, once.
func (w *work) pipeline(l *gpu.HardwareLaunch) (*device.Pipeline, error) {
	s := l.Shader
	if p := w.pipelines[s]; p != nil {
		return p, nil
	}
	shader := &device.Shader{Words: s.Module.Raw.Words(), Entry: s.Program.Name, SubgroupSize: subgroupSize(w.d.Physical, s)}
	if len(l.Push.Bytes) > 0 {
		shader.PushBytes = w.d.PushBytes()
	}
	for _, c := range s.Constants {
		shader.Constants = append(shader.Constants, device.Constant{ID: c.ID, Bits: c.Bits, Size: uint64(c.Bytes)})
	}
	for i := range s.Bindings {
		b := &s.Bindings[i]
		made := device.Binding{Set: b.Set, Binding: b.Binding, Count: b.Count, Kind: kindOf(b)}
		for _, e := range l.Elements {
			if b.Count == 0 && e.Set == b.Set && e.Binding == b.Binding {
				made.Count = max(made.Count, e.Index+1)
			}
		}
		if b.Image() != nil {
			made.View = viewOf(b.Image())
		}
		shader.Bindings = append(shader.Bindings, made)
	}
	p, err := w.d.NewPipeline(shader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	w.pipelines[s] = p
	return p, nil
}

// kindOf is the kind of descriptor of a binding (Vulkan 1.3, "Shader Resource and Descriptor Type Correspondence").
func kindOf(b *gpu.HardwareBinding) device.Kind {
	image := b.Image()
	switch {
	case b.Type.Kind == validate.KindSampler:
		return device.SamplerOnly
	case b.Type.Kind == validate.KindSampledImage:
		return device.Combined
	case image != nil && image.Dim == spirv.DimBuffer:
		if image.Sampled == 2 {
			return device.StorageTexels
		}
		return device.UniformTexels
	case image != nil && image.Sampled == 2:
		return device.StorageImage
	case image != nil:
		return device.SampledImage
	case b.ReadsBlock:
		return device.UniformBuffer
	}
	return device.StorageBuffer
}

// viewOf is the kind of view that an image of a shader has.
func viewOf(t *validate.Type) device.View {
	plain, arrayed := device.View2D, device.View2DArray
	switch t.Dim {
	case spirv.Dim1D:
		plain, arrayed = device.View1D, device.View1DArray
	case spirv.Dim3D:
		return device.View3D
	case spirv.DimCube:
		plain, arrayed = device.ViewCube, device.ViewCubeArray
	}
	if t.Arrayed {
		return arrayed
	}
	return plain
}

// bind makes the descriptor sets of a launch; launches that bind the same share them.
func (w *work) bind(p *device.Pipeline, l *gpu.HardwareLaunch) (*device.Sets, error) {
	var list []device.Descriptor
	var key strings.Builder
	fmt.Fprintf(&key, "%p", p)
	for i := range l.Elements {
		e := &l.Elements[i]
		x := device.Descriptor{Set: e.Set, Binding: e.Binding, Index: e.Index}
		if e.Buffer >= 0 {
			b := w.buffers[e.Buffer]
			x.Buffer, x.Offset, x.Bytes, x.Image = b.Buffer, b.offset, b.bytes, w.images[e.Buffer]
			if from := &w.job.Buffers[e.Buffer]; from.Texels {
				x.Format = from.Image.Format.Name
			}
		}
		if e.Sampler != nil {
			x.Sampler = samplerOf(e.Sampler)
			fmt.Fprintf(&key, " %+v", *x.Sampler)
		}
		fmt.Fprintf(&key, " %d.%d.%d=%d", e.Set, e.Binding, e.Index, e.Buffer)
		list = append(list, x)
	}
	if s := w.sets[key.String()]; s != nil {
		return s, nil
	}
	s, err := w.d.NewSets(p, list)
	w.sets[key.String()] = s
	return s, err
}

func samplerOf(s *config.Sampler) *device.SamplerState {
	t := gpu.SamplerOf(s)
	out := &device.SamplerState{
		MagLinear: t.MagLinear, MinLinear: t.MinLinear, MipLinear: t.MipLinear, Border: s.Border, Unnormalized: s.Texels, Compare: s.Compare,
		Bias: float32(s.Bias), MinLod: float32(t.MinLod), MaxLod: float32(min(t.MaxLod, math.MaxFloat32)),
	}
	for i, wrap := range t.Wrap {
		out.Wrap[i] = wrapNames[wrap]
	}
	return out
}

var wrapNames = map[texture.Wrap]string{texture.WrapRepeat: "repeat", texture.WrapMirror: "mirror", texture.WrapClamp: "clamp", texture.WrapBorder: "border", texture.WrapMirrorOnce: "mirror-once"}

// transfer moves rows of bytes between buffers. Bytes that the job gives lie in buffers of their own.
func (w *work) transfer(t *config.TransferCall) (func(c *device.Commands), error) {
	var moves []func(c *device.Commands)
	for i := range t.Moves {
		m := &t.Moves[i]
		to, err := w.plainBuffer(m.To)
		if err != nil {
			return nil, err
		}
		from, stride := part{}, m.OfStride
		if m.From != "" {
			if from, err = w.plainBuffer(m.From); err != nil {
				return nil, err
			}
			from.offset += m.Offset
		} else {
			if from.Buffer, err = w.dataBuffer(m.Data, m.Bytes); err != nil {
				return nil, err
			}
			stride = 0
		}
		moves = append(moves, func(c *device.Commands) {
			for row := range m.Rows {
				if m.Bytes > 0 {
					c.Copy(from.Buffer, to.Buffer, from.offset+row*stride, to.offset+m.At+row*m.ToStride, m.Bytes)
				}
			}
			c.Barrier()
		})
	}
	return func(c *device.Commands) {
		for _, move := range moves {
			move(c)
		}
	}, nil
}

func (w *work) plainBuffer(name string) (part, error) {
	i := w.job.Find(name)
	if w.images[i] != nil {
		return part{}, fmt.Errorf("transfer: found the image %s: want a buffer: transfers of images are %w", name, gpu.ErrHardware)
	}
	return w.buffers[i], nil
}

// dataBuffer is a buffer of bytes that repeat data.
func (w *work) dataBuffer(data []byte, size uint64) (*device.Buffer, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("transfer: found no data: want some")
	}
	row := bytes.Repeat(data, int((size+uint64(len(data))-1)/uint64(len(data))))[:size]
	if b := w.data[string(row)]; b != nil {
		return b, nil
	}
	b, err := w.d.NewBuffer(size)
	if err == nil {
		err = w.d.Upload(b, row)
	}
	w.data[string(row)] = b
	return b, err
}

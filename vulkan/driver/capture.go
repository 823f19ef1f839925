package driver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spvsim/account"
	"spvsim/config"
	"spvsim/gpu"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
	"spvsim/vulkan/vk"
)

// A capturer writes chosen dispatches as jobs, and runs them as those jobs: from cold caches, so that running a job again gives the same
// bytes and the same cycles.
type capturer struct {
	folder string
	rules  choices
	number int
}

// newCapturer reads SPVSIM_CAPTURE, a folder, and SPVSIM_SELECT: patterns with commas between, each with a count behind a colon or none.
func newCapturer() *capturer {
	c := &capturer{folder: os.Getenv("SPVSIM_CAPTURE")}
	if c.folder == "" {
		return nil
	}
	c.rules = readChoices("SPVSIM_SELECT", "*")
	if err := os.MkdirAll(c.folder, 0o777); err != nil {
		fail(vk.ErrorInitializationFailed, "SPVSIM_CAPTURE: %v", err)
	}
	return c
}

// A block is memory that a captured dispatch can reach.
type block struct {
	addr  uint64
	bytes []byte
}

// A capture is one dispatch on its way into a job.
type capture struct {
	*capturer
	device   *device_
	dispatch *dispatch
	groups   [3]uint32
	elements [][]mem.Descriptor
	blocks   []block
	file     string
}

// run writes the dispatch as a job, runs that, and brings its results back.
func (c *capture) run(name string) (*account.Counts, error) {
	if err := c.supported(); err != nil {
		return nil, err
	}
	c.findBlocks()
	c.number++
	c.file = filepath.Join(c.folder, fmt.Sprintf("%04d.yaml", c.number))
	text, err := c.job(name)
	if err == nil {
		err = os.WriteFile(c.file, []byte(text), 0o666)
	}
	if err != nil {
		return nil, err
	}
	result, err := c.replay()
	if err != nil {
		return nil, errors.Join(err, os.Remove(c.file))
	}
	var counts account.Counts
	for i := range result.Stats.Steps {
		counts.Add(&result.Stats.Steps[i].Counts)
	}
	text += "expect:\n"
	for i := range c.blocks {
		copy(c.blocks[i].bytes, result.Buffers[i].Bytes)
		text += fmt.Sprintf("  - {buffer: memory%d, sha256: %q}\n", i, fmt.Sprintf("%x", sha256.Sum256(result.Buffers[i].Bytes)))
	}
	c.device.gpu.Elapse(counts.Cycles)
	return &counts, os.WriteFile(c.file, []byte(text), 0o666)
}

// replay runs the job that was written.
func (c *capture) replay() (*gpu.Result, error) {
	job, err := config.LoadJob(nil, c.file)
	if err != nil {
		return nil, err
	}
	return gpu.Run(context.Background(), gpu.Setup{Machine: c.device.physical.machine, Job: job, Mode: readSettings().mode})
}

// supported says what a job can't hold.
func (c *capture) supported() error {
	if c.dispatch.base != [3]uint32{} {
		return fmt.Errorf("a job's workgroups begin at 0, the dispatch's at %v", c.dispatch.base)
	}
	for i := range c.dispatch.pipeline.kernel.Program.Bindings {
		if b := &c.dispatch.pipeline.kernel.Program.Bindings[i]; b.Kind == ir.Sampler || b.Kind == ir.SampledImage {
			return fmt.Errorf("binding %d of set %d is sampled: captures have buffers and storage images", b.Binding, b.Set)
		}
	}
	return nil
}

// findBlocks lists the memory of descriptors, and all memory where the program follows addresses, in whole pieces.
func (c *capture) findBlocks() {
	var list []block
	for _, elements := range c.elements {
		for _, e := range elements {
			if len(e.Bytes) > 0 {
				list = append(list, block{e.Addr, e.Bytes})
			}
		}
	}
	if c.followsAddresses() {
		state.Lock()
		for _, o := range objects {
			if m, ok := o.x.(*memory); ok && m.device == c.device {
				list = append(list, block{m.addr, m.bytes})
			}
		}
		state.Unlock()
	}
	slices.SortFunc(list, func(a, b block) int { return cmp.Compare(a.addr, b.addr) })
	for _, b := range list {
		if last := len(c.blocks) - 1; last >= 0 && b.addr <= c.blocks[last].addr+uint64(len(c.blocks[last].bytes))+mem.Guard {
			c.join(&c.blocks[last], b)
		} else {
			c.blocks = append(c.blocks, b)
		}
	}
}

// join makes one block of two that are side by side or overlap.
func (c *capture) join(to *block, b block) {
	end := max(b.addr+uint64(len(b.bytes)), to.addr+uint64(len(to.bytes)))
	if all := c.device.gpu.Memory(to.addr, end-to.addr); all != nil {
		to.bytes = all
	}
}

func (c *capture) followsAddresses() bool {
	insts := c.dispatch.pipeline.kernel.Program.Insts
	return slices.ContainsFunc(insts, func(in isa.Inst) bool { return in.Mem != nil && in.Mem.Space == isa.SpaceFlat })
}

// job is the job file, without what it expects.
func (c *capture) job(name string) (string, error) {
	p := c.dispatch.pipeline
	shader, err := c.keep(p.setup.Module.Raw.Encode(binary.LittleEndian), ".spv")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, captured from an application; run it with spvsim run\n", strings.ReplaceAll(name, "\n", " "))
	c.writeMachine(&b)
	fmt.Fprintf(&b, "shader: %s\nentry: %q\nwave_size: %d\ndispatch: [%d, %d, %d]\n", shader, p.entry, p.kernel.Program.WaveSize, c.groups[0], c.groups[1], c.groups[2])
	writeConstants(&b, p.setup.Module, p.setup.Specialization)
	if n := int(p.kernel.Program.PushBytes); n > 0 {
		push := make([]byte, (n+3)/4*4)
		copy(push, c.dispatch.push)
		b.WriteString("push_constants: [")
		for i := 0; i < len(push); i += 4 {
			fmt.Fprintf(&b, "{u32: %d}, ", binary.LittleEndian.Uint32(push[i:]))
		}
		b.WriteString("]\n")
	}
	b.WriteString("buffers:\n")
	for i := range c.blocks {
		file, err := c.keep(c.blocks[i].bytes, ".bin")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "  - {unbound: true, name: memory%d, address: %d, data: {file: %s}}\n", i, c.blocks[i].addr, file)
	}
	c.writeBindings(&b)
	return b.String(), nil
}

func (c *capture) writeMachine(b *strings.Builder) {
	s := readSettings()
	machine := cmp.Or(s.machines[c.device.physical.index], config.DefaultMachine)
	if strings.ContainsAny(machine, "./") { // a file, which a job looks for beside itself
		if full, err := filepath.Abs(machine); err == nil {
			machine = full
		}
	}
	fmt.Fprintf(b, "machine: %q\n", machine)
	if len(s.set) > 0 {
		b.WriteString("set:\n")
	}
	for _, text := range s.set {
		key, value, _ := strings.Cut(text, "=")
		fmt.Fprintf(b, "  %q: %s\n", key, value)
	}
}

// writeConstants writes specialization constants as values of their types.
func writeConstants(b *strings.Builder, m *validate.Module, values map[uint32]uint64) {
	var list []string
	done := map[uint32]bool{}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		id, ok := m.Decoration(in.Result, spirv.DecorationSpecId)
		bits, set := values[id]
		if in.Result == 0 || !ok || !set || done[id] {
			continue
		}
		text := strconv.FormatUint(bits, 10)
		if t := m.Type(in.Type); t.Kind == validate.KindFloat {
			text = strconv.FormatFloat(floatOf(bits, t.Width), 'g', -1, 64)
		}
		done[id] = true // several constants of one number take one value
		list = append(list, fmt.Sprintf("%d: %s", id, text))
	}
	if len(list) > 0 {
		fmt.Fprintf(b, "specialization: {%s}\n", strings.Join(list, ", "))
	}
}

func floatOf(bits uint64, width int) float64 {
	switch width {
	case 64:
		return math.Float64frombits(bits)
	case 16:
		return float64(isa.HalfToFloat32(uint16(bits)))
	}
	return float64(math.Float32frombits(uint32(bits)))
}

// writeBindings writes each descriptor as a part of a block.
func (c *capture) writeBindings(b *strings.Builder) {
	for i := range c.dispatch.pipeline.kernel.Program.Bindings {
		want := &c.dispatch.pipeline.kernel.Program.Bindings[i]
		for k, e := range c.elements[i] {
			if len(e.Bytes) == 0 {
				continue
			}
			at := slices.IndexFunc(c.blocks, func(b block) bool { return e.Addr-b.addr < uint64(len(b.bytes)) })
			offset := e.Addr - c.blocks[at].addr
			fmt.Fprintf(b, "  - {set: %d, binding: %d, index: %d, name: binding%d_%d, part_of: memory%d, offset: %d, bytes: %d%s}\n",
				want.Set, want.Binding, k, i, k, at, offset, len(e.Bytes), shapeOf(want.Kind, e.Image))
		}
	}
}

// shapeOf is what a job says of an image.
func shapeOf(kind ir.BindingKind, i *mem.Image) string {
	switch {
	case i == nil:
		return ""
	case kind == ir.TexelBuffer:
		return ", texel_buffer: " + i.Format.Name
	}
	text := fmt.Sprintf(", image: {format: %s, width: %d, height: %d, depth: %d, layers: %d", i.Format.Name, i.Width, i.Height, i.Depth, i.Layers)
	if i.Levels > 1 {
		text += fmt.Sprintf(", mips: data, levels: %d", i.Levels)
	}
	return text + "}"
}

// keep writes bytes to a file of the folder that is named by what they are, once.
func (c *capturer) keep(data []byte, ext string) (string, error) {
	name := fmt.Sprintf("%x%s", sha256.Sum256(data), ext)
	full := filepath.Join(c.folder, name)
	if have, err := os.Stat(full); err == nil && have.Size() == int64(len(data)) {
		return name, nil
	}
	return name, os.WriteFile(full, data, 0o666)
}

package gpu

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spvsim/config"
	"spvsim/cu"
	"spvsim/gpu/concurrent"
	"spvsim/internal/bounds"
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/mem"
	"spvsim/program"
	"spvsim/program/ir"
	"spvsim/program/opt"
	"spvsim/simd"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/clc"
	"spvsim/spirv/kernel"
	"spvsim/spirv/validate"
	"spvsim/tracing"
)

// maxShaderBytes bounds what is read of a shader file.
const maxShaderBytes = 1 << 28

// programs holds the shaders of a job, each lowered once for each entry point and specialization.
type programs struct {
	ctx         context.Context // ends what takes too long
	job         *config.Job
	machine     *config.Machine
	rules       *simd.Rules
	limits      *cu.Limits
	size        int               // lanes of a wave
	data        map[string][]byte // of modules, by shader
	modules     map[moduleKey]*validate.Module
	byKey       map[string]*lowered
	order       []*lowered
	nodes       []validate.GraphNode // of the job's graph
	nextAddress int                  // where the next program starts in instruction memory
	// adjustTarget, if not nil, changes the target that shaders are lowered for.
	adjustTarget func(*program.Target)
	check        bool // programs are for a run that is checked
	whole        bool // modules are checked with the kernels that no launch reaches
	// constants are the constant data of programs in the machine's memory.
	constants map[*program.Program]mem.Descriptor
	// tables are the places of their descriptors.
	tables map[*program.Program]mem.Descriptor
	// variables are the addresses of variables of kernels' modules, by shader.
	variables map[string]uint64
	// warnings lists settings of the job without effect, each once, in order.
	warnings []string
}

// A lowered program with what a workgroup of it needs.
type lowered struct {
	code      *simd.Code
	resources cu.Resources
	from      *config.Launch // which asked for it first; nil: no job
	// scratch memory of its waves, by wave slot; allocated when it is first bound.
	scratch []mem.Scratch
	steps   map[string]*simd.Code // the same for steps that count alone, added to code when they are listed
}

func (p *programs) lowerLaunch(l *config.Launch) (*lowered, error) {
	key := fmt.Sprintf("%q %q %v %v %d", l.Shader, l.Entry, l.Specialization, l.Strings, l.WaveSize)
	if l.Kernel != nil {
		key += fmt.Sprint(l.Kernel.Local, l.Kernel.LocalBytes)
	}
	if have := p.byKey[key]; have != nil {
		return have, nil
	}
	m, err := p.module(l)
	if err != nil {
		return nil, err
	}
	if l.Entry != "" && entryPoint(m, l.Entry) == nil {
		return nil, p.noEntry(m, l)
	}
	if e := entryPoint(m, l.Entry); kernel.Is(e) && l.Kernel == nil {
		return nil, p.job.Fault(l, "dispatch", fmt.Errorf("%q of %s is a kernel of OpenCL: want global (work-items) instead of dispatch (workgroups)", e.Name, l.Shader))
	}
	made, err := p.lower(m, l)
	if err != nil {
		return nil, Named(l.Shader, err)
	}
	p.byKey[key] = made
	p.order = append(p.order, made)
	return made, nil
}

// A moduleKey identifies what is checked of a shader file.
type moduleKey struct{ shader, entry string }

// module reads a shader file and checks it; of a module of several kernels it checks the part that the launch reaches.
func (p *programs) module(l *config.Launch) (*validate.Module, error) {
	data, err := p.moduleData(l)
	if err != nil {
		return nil, err
	}
	key := moduleKey{shader: l.Shader}
	if l.Kernel != nil && !p.whole {
		key.entry = l.Entry
	}
	if m := p.modules[key]; m != nil {
		return m, nil
	}
	raw, err := parse(data, l.Shader, key.entry)
	if err != nil {
		return nil, err
	}
	m, err := checkModule(p.ctx, raw, l.Shader)
	if err != nil {
		return nil, err
	}
	p.modules[key] = m
	return m, nil
}

// moduleData reads a shader file, and compiles it where it is OpenCL C.
func (p *programs) moduleData(l *config.Launch) ([]byte, error) {
	name := l.Shader
	if data := p.data[name]; data != nil {
		return data, nil
	}
	data, err := p.job.ReadFile(name, maxShaderBytes)
	if err != nil {
		return nil, p.job.Fault(l, "shader", err)
	}
	if clc.IsSource(name) && !spirv.HasMagic(data) {
		if data, err = p.compileSource(data, name); err != nil {
			return nil, err
		}
	}
	p.data[name] = data
	return data, nil
}

func entryNames(m *validate.Module) string {
	names := lists.Map(m.EntryPoints, func(e validate.EntryPoint) string { return strconv.Quote(e.Name) })
	return strings.Join(names, ", ")
}

// LoadModule decodes a module, or assembles one given as text, and checks it.
func LoadModule(data []byte, name string) (*validate.Module, error) {
	return loadModule(context.Background(), data, name)
}

// LoadRepairedModule is LoadModule after the repairs of spirv.Repair.
func LoadRepairedModule(data []byte, name string) (*validate.Module, error) {
	raw, err := parse(data, name, "")
	if err != nil {
		return nil, err
	}
	spirv.Repair(raw)
	return checkModule(context.Background(), raw, name)
}

func loadModule(ctx context.Context, data []byte, name string) (*validate.Module, error) {
	if clc.IsSource(name) && !spirv.HasMagic(data) && len(bytes.TrimSpace(data)) > 0 {
		var err error
		if data, err = compileAlone(ctx, data, name); err != nil {
			return nil, err
		}
	}
	raw, err := parse(data, name, "")
	if err != nil {
		return nil, err
	}
	return checkModule(ctx, raw, name)
}

func checkModule(ctx context.Context, raw *spirv.Module, name string) (*validate.Module, error) {
	m, err := validate.CheckContext(ctx, raw)
	if err != nil {
		return nil, Named(name, err)
	}
	return m, nil
}

// parse decodes or assembles a module; entry: the part that this entry point reaches, "" the whole.
func parse(data []byte, name, entry string) (*spirv.Module, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: found an empty file: want a module (.spv) or its text (.spvasm)", name)
	}
	if !spirv.HasMagic(data) && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		if l := sourceLanguage(data, name); l != nil {
			return nil, l.refuseText(name)
		}
		if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
			return nil, fmt.Errorf("%s: found a YAML file: want a module (.spv) or its text (.spvasm)", name)
		}
		m, err := asm.Assemble(data, name)
		if err == nil && entry != "" {
			m, err = spirv.Reach(m, entry)
		}
		return m, err
	}
	m, err := spirv.DecodePart(data, entry)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func (p *programs) lower(m *validate.Module, l *config.Launch) (*lowered, error) {
	if key, err := checkConstants(m, l.Specialization); err != nil {
		return nil, p.job.Fault(l, key, err)
	}
	special, absent := specialization(m, l.Specialization)
	for _, name := range absent {
		p.warn("%s: specialization %s: the module has no such constant (%s)", l.Shader, name, specConstants(m))
	}
	texts, err := stringConstants(m, l.Strings)
	if err != nil {
		return nil, err
	}
	size := cmp.Or(l.WaveSize, p.size)
	if !slices.Contains(p.machine.WaveSizes, size) {
		return nil, p.job.Fault(l, "wave_size", wrongWaveSize(size, p.machine))
	}
	if least := p.job.MinWaveSize; size < least {
		return nil, p.job.Fault(l, "wave_size", fmt.Errorf("found %d: want at least %d, the job's min_wave_size", size, least))
	}
	made, err := p.compile(m, program.Options{Entry: l.Entry, Specialization: special, Strings: texts, Nodes: p.nodes, Kernel: kernelOptions(m, l), Target: p.target(size)})
	if err == nil {
		from := *l
		made.from = &from
	}
	return made, err
}

func (p *programs) target(size int) program.Target {
	t := Target(p.machine, size)
	t.Check = p.check
	if p.adjustTarget != nil {
		p.adjustTarget(&t)
	}
	return t
}

// compile lowers an entry point and places its program.
func (p *programs) compile(m *validate.Module, o program.Options) (*lowered, error) {
	ctx, done := bounds.Context(p.ctx, "lowering "+o.Entry)
	defer done()
	prog, err := program.LowerContext(ctx, m, o)
	if err != nil {
		return nil, err
	}
	return p.placeCode(prog)
}

// placeCode assigns a program its address in instruction memory.
func (p *programs) placeCode(prog *program.Program) (*lowered, error) {
	base := p.nextAddress
	code, err := simd.NewCode(prog, p.rules, base)
	if err != nil {
		return nil, err
	}
	p.nextAddress += len(prog.Insts) * p.rules.Fetch.InstructionBytes
	need, err := cu.NewResources(prog, p.limits)
	return &lowered{code: code, resources: need}, err
}

// stepCode returns code of a program with counts of its own, for one step.
func (p *programs) stepCode(code *simd.Code, step string) *simd.Code {
	i := slices.IndexFunc(p.order, func(l *lowered) bool { return l.code == code })
	l := p.order[i]
	if own := l.steps[step]; own != nil {
		return own
	}
	if l.steps == nil {
		l.steps = map[string]*simd.Code{}
	}
	l.steps[step] = p.copyOf(code)
	return l.steps[step]
}

// copyOf returns code of the same program with counts of its own.
func (p *programs) copyOf(code *simd.Code) *simd.Code {
	c, err := simd.NewCode(code.Program, p.rules, code.Address)
	if err != nil {
		panic(err) // it was made of the same program before
	}
	return c
}

// copiesOf makes copies of code for launches that overlap.
func (p *programs) copiesOf(code *simd.Code) concurrent.Copies {
	return concurrent.Copies{Code: code, New: func() *simd.Code { return p.copyOf(code) }}
}

// loweringInput returns the part of a machine that lowering depends on.
func loweringInput(m *config.Machine) *config.Machine {
	part := &config.Machine{Timing: m.Timing}
	part.Registers, part.WaveSlots, part.WaveSize, part.WaveSizes = m.Registers, m.WaveSlots, m.WaveSize, m.WaveSizes
	part.LDS.Bytes, part.SIMDs = m.LDS.Bytes, m.SIMDs
	part.Matrix, part.Queue.PackThreads, part.SubgroupHelpers = m.Matrix, m.Queue.PackThreads, m.SubgroupHelpers
	return part
}

// TargetKey returns the same text for machines that get the same programs from lowering.
func TargetKey(m *config.Machine, waveSize int) string {
	sum := sha256.New()
	for _, l := range loweringInput(m).AllLeaves() {
		fmt.Fprintf(sum, "%q=%q\n", l.Path, l.Value)
	}
	return fmt.Sprintf("%x %d", sum.Sum(nil), waveSize)
}

// Target returns the target of lowering for waves of the given size on a machine.
func Target(m *config.Machine, waveSize int) program.Target {
	m = loweringInput(m)
	t := &m.Timing
	native := func(op isa.Op) bool {
		steps, _, ok := t.Expand(isa.Table[op].Name, isa.I32.String(), waveSize)
		return !ok || len(steps) == 1
	}
	rows := m.Rows(waveSize)
	mad16, _, _ := t.Expand(isa.Table[isa.IMad].Name, isa.I16.String(), waveSize)
	return program.Target{
		WaveSize:       waveSize,
		WithoutHelpers: m.SubgroupHelpers == "inactive",
		Expand: func(op isa.Op, typ isa.Type) []isa.Class {
			steps, _, _ := t.Expand(isa.Table[op].Name, typ.String(), waveSize)
			return stepClasses(steps)
		},
		ExpandScalar: func(op isa.Op, typ isa.Type) []isa.Class {
			steps, _, _ := t.ExpandScalar(isa.Table[op].Name, typ.String())
			return stepClasses(steps)
		},
		// Pairs of RDNA 3 exist for waves of 32 lanes only.
		Pairs: program.Pairs{Packed: t.Has(isa.ClassPacked32.String()), Halves: t.Has(isa.ClassPacked16.String()),
			Dual: waveSize == 32 && t.Has(isa.ClassDual.String())},
		PackThreads: m.Queue.PackThreads,
		LDSBytes:    m.LDS.Bytes, SIMDs: m.SIMDs, VectorMax: m.Registers.VectorMax, ScalarMax: m.Registers.ScalarMax,
		Descriptors: t.Buffers == "descriptors",
		// C: RADV (load_grid_size_from_user_sgpr): in registers from GFX10.3 on; waves of 32 lanes came with GFX10.
		LoadsGrid: t.Buffers == "descriptors" && !slices.Contains(m.WaveSizes, 32),
		// V: GFX9 has no limit in M0, and the first packed operations of 16 bits.
		LimitsLDS: !t.Has(isa.ClassPacked16.String()),
		// V: LLVM, AMDGPU usage, initial register state: packed from GFX90A and GFX11 on, which have one of the two.
		PackedIDs: t.Has(isa.ClassDual.String()) || t.Has(isa.ClassPacked32.String()),
		Matrix:    matrixTarget(m),
		// A fused operation is used unless the timing table makes it of several;
		// a division is one only where the table has a row for it.
		Opt: opt.Options{
			WaveSize: waveSize,
			FuseMad:  native(isa.IMad), FuseMad16: len(mad16) == 1, Add3: native(isa.IAdd3), Xor3: native(isa.Xor3),
			LshlAdd:       native(isa.LshlAdd) && native(isa.LshlOr) && native(isa.AddLshl) && native(isa.AndOr) && native(isa.Or3),
			TwoScalars:    t.Buffers != "pointers", // RDNA reads two scalars, GFX9 one
			SelectBuffers: t.Buffers == "pointers",
			Registers:     opt.RegisterFile{All: m.Registers.Vector / rows, Granule: max(m.Registers.VectorGranule/rows, 1), Waves: m.WaveSlots},
			Native:        native,
			Precise:       t.Math == "precise",
			Divides: func(op isa.Op, typ isa.Type) bool {
				_, _, ok := t.Expand(isa.Table[op].Name, typ.String(), waveSize)
				return ok
			},
		},
	}
}

// matrixTarget returns the target of lowering for the machine's matrix unit.
func matrixTarget(m *config.Machine) program.MatrixTarget {
	unit, _ := isa.FindMatrixUnit(m.Matrix.Unit)
	return program.MatrixTarget{
		Unit: unit, Lower: m.Matrix.Without == "lanes",
		Has: func(c isa.Class) bool { return m.Timing.Has(c.String()) },
	}
}

// stepClasses finds the classes of a row's steps, whose names have been checked.
func stepClasses(steps []string) []isa.Class {
	return lists.Map(steps, func(s string) isa.Class { return isa.Class(slices.Index(isa.ClassNames[:], s)) })
}

// warn notes what the job sets without effect.
func (p *programs) warn(format string, args ...any) {
	p.warnings = lists.AppendNew(p.warnings, fmt.Sprintf(format, args...))
}

// specialization turns the job's values into the bits of the module's constants,
// by SpecId. What the module lacks, perhaps since an optimiser removed it, is
// ignored as an API would, and named.
func specialization(m *validate.Module, values []config.SpecValue) (out map[uint32]uint64, absent []string) {
	out = map[uint32]uint64{}
	for _, v := range values {
		in, id, ok := findConstant(m, v)
		switch {
		case ok:
			out[id], _ = constantBits(m.Type(in.Type), v.Value) // checkConstants came before
		case v.Name != "":
			absent = append(absent, v.Name)
		default:
			absent = append(absent, strconv.FormatUint(uint64(v.ID), 10))
		}
	}
	return out, absent
}

// checkConstants finds a value that the type of its constant does not hold, and the key of the value in a job.
func checkConstants(m *validate.Module, values []config.SpecValue) (key string, err error) {
	for _, v := range values {
		in, _, ok := findConstant(m, v)
		if !ok {
			continue
		}
		if _, err := constantBits(m.Type(in.Type), v.Value); err != nil {
			return v.Key(), err
		}
	}
	return "", nil
}

// specConstants lists the constants of a module that a job can set.
func specConstants(m *validate.Module) string {
	const most = 8
	var list []string
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		id, ok := m.Decoration(in.Result, spirv.DecorationSpecId)
		if in.Result == 0 || !ok || in.Type == 0 {
			continue
		}
		if len(list) == most {
			list = append(list, "more")
			break
		}
		list = append(list, strings.TrimSpace(fmt.Sprint(id, " ", m.Name(in.Result))))
	}
	if len(list) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(list, ", ")
}

// findConstant returns the specialization constant that a value sets, and its SpecId.
func findConstant(m *validate.Module, v config.SpecValue) (*spirv.Instruction, uint32, bool) {
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		id, ok := m.Decoration(in.Result, spirv.DecorationSpecId)
		if in.Result == 0 || !ok || in.Type == 0 {
			continue
		}
		if v.Name == "" && id == v.ID || v.Name != "" && m.Name(in.Result) == v.Name {
			return in, id, true
		}
	}
	return nil, 0, false
}

// constantBits returns the bits of a constant of a type, which must hold the value: an exact integer, true (1) or false (0), or a float.
func constantBits(t *validate.Type, n config.Number) (uint64, error) {
	low, high := int64(0), uint64(1)
	switch t.Kind {
	case validate.KindFloat:
		n, err := n.Fit(fmt.Sprintf("f%d", t.Width))
		return floatBits(n.AsFloat(), t.Width), err
	case validate.KindInt:
		if high = math.MaxUint64 >> (64 - t.Width); t.Signed {
			low, high = -1<<(t.Width-1), high>>1
		}
	}
	i, err := n.IntegerWithin(low, high)
	if err != nil {
		return 0, fmt.Errorf("%w (%s)", err, typeWord(t))
	}
	return i.Bits() & isa.IntType(uint(t.Width)).Mask(), nil
}

// typeWord names the type of a constant as jobs name types.
func typeWord(t *validate.Type) string {
	switch {
	case t.Kind == validate.KindBool:
		return "bool"
	case t.Signed:
		return fmt.Sprintf("i%d", t.Width)
	}
	return fmt.Sprintf("u%d", t.Width)
}

func floatBits(x float64, width int) uint64 {
	switch width {
	case 64:
		return math.Float64bits(x)
	case 16:
		return isa.Eval(isa.FConvert, isa.F16, isa.F64, 0, math.Float64bits(x))
	}
	return uint64(math.Float32bits(float32(x)))
}

// bindTable assigns the program's descriptors an address in memory, for the scalar cache.
func (p *programs) bindTable(s *mem.Store, prog *program.Program, b *mem.Bindings) error {
	if prog.TableBytes == 0 {
		return nil
	}
	have, ok := p.tables[prog]
	if !ok {
		made, err := s.Adopt(make([]byte, prog.TableBytes), "descriptors of "+prog.Name)
		if err != nil {
			return err
		}
		if p.tables == nil {
			p.tables = map[*program.Program]mem.Descriptor{}
		}
		have = mem.DescriptorOf(made)
		p.tables[prog] = have
	}
	b.Table = have
	return nil
}

// bindConstants binds the program's constant data after its other bindings.
func (p *programs) bindConstants(s *mem.Store, prog *program.Program, shader string, b *mem.Bindings) error {
	if err := p.bindTable(s, prog, b); err != nil {
		return err
	}
	if len(prog.Constants) == 0 {
		return nil
	}
	have, ok := p.constants[prog]
	if !ok {
		made, err := s.Adopt(slices.Clone(prog.Constants), "constant data of "+prog.Name)
		if err != nil {
			return err
		}
		if p.constants == nil {
			p.constants = map[*program.Program]mem.Descriptor{}
		}
		have = mem.DescriptorOf(made)
		p.constants[prog] = have
		p.relocate(prog, ir.ConstantData, made, shader)
	}
	b.Bind(have)
	return nil
}

// placeVariables allocates the variables of a kernel's module, which all launches of the job share.
func (p *programs) placeVariables(s *mem.Store, prog *program.Program, shader string) error {
	if _, ok := p.variables[shader]; ok || len(prog.Variables) == 0 {
		return nil
	}
	made, err := s.Adopt(slices.Clone(prog.Variables), "variables of "+shader)
	if err != nil {
		return err
	}
	if p.variables == nil {
		p.variables = map[string]uint64{}
	}
	p.variables[shader] = made.Addr
	p.relocate(prog, ir.DeviceVariables, made, shader)
	return nil
}

// relocate adds the addresses of sections to the places of a section that hold them.
func (p *programs) relocate(prog *program.Program, section ir.Section, to *mem.Buffer, shader string) {
	for _, r := range prog.Relocations {
		if r.In != section {
			continue
		}
		if at := to.Bytes[r.At:]; r.Bytes == 4 {
			binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)+uint32(p.sectionAddress(prog, r.To, shader)))
		} else {
			binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)+p.sectionAddress(prog, r.To, shader))
		}
	}
}

func (p *programs) sectionAddress(prog *program.Program, section ir.Section, shader string) uint64 {
	if section == ir.ConstantData {
		return p.constants[prog].Addr
	}
	return p.variables[shader]
}

// pushSections writes the addresses of a kernel's sections into its argument block.
func (p *programs) pushSections(prog *program.Program, shader string, b *mem.Bindings) {
	if !prog.Kernel {
		return
	}
	hidden := b.Push[prog.PushBytes-kernel.HiddenBytes:]
	binary.LittleEndian.PutUint64(hidden[kernel.ProgramVariables:], p.sectionAddress(prog, ir.DeviceVariables, shader))
	binary.LittleEndian.PutUint64(hidden[kernel.ConstantData:], p.sectionAddress(prog, ir.ConstantData, shader))
}

func (p *programs) listings() (list []tracing.Listing) {
	for _, l := range p.order {
		for _, own := range l.steps {
			own.GatherCounts()
			for i := range own.Counts {
				l.code.Counts[i].Add(&own.Counts[i])
			}
		}
		list = append(list, listed(l, p.machine))
	}
	return list
}

// reset forgets what the programs cost so far.
func (p *programs) reset() {
	for _, l := range p.order {
		clear(l.code.Counts)
		for _, own := range l.steps {
			clear(own.Counts)
		}
	}
}

// waveSize returns the wave size that the job runs at.
func waveSize(m *config.Machine, job *config.Job) (int, error) {
	switch {
	case job.WaveSize == 0 && m.WaveSize >= job.MinWaveSize:
		return m.WaveSize, nil
	case job.WaveSize == 0:
		for _, size := range slices.Sorted(slices.Values(m.WaveSizes)) {
			if size >= job.MinWaveSize {
				return size, nil
			}
		}
		return 0, job.Fault(&config.Launch{}, "min_wave_size", wrongWaveSize(job.MinWaveSize, m))
	case slices.Contains(m.WaveSizes, job.WaveSize):
		return job.WaveSize, nil
	}
	return 0, job.Fault(&config.Launch{}, "wave_size", wrongWaveSize(job.WaveSize, m))
}

// wrongWaveSize returns the error of a wave size that a machine does not have.
func wrongWaveSize(size int, m *config.Machine) error {
	sizes := lists.Map(m.WaveSizes, strconv.Itoa)
	return fmt.Errorf("found %d: want %s, as %s has", size, strings.Join(sizes, " or "), m.Name)
}

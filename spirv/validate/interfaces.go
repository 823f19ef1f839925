package validate

import (
	"slices"

	"spvsim/spirv"
	"spvsim/spirv/grammar"
)

// workgroups lists the execution models with workgroups.
var workgroups = set(spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT)

// modeModels maps execution modes to their models; modes without a row are not restricted here.
var modeModels = map[spirv.ExecutionMode]map[spirv.ExecutionModel]bool{
	spirv.ExecutionModeLocalSize:                set(spirv.ExecutionModelKernel, spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshNV, spirv.ExecutionModelTaskNV),
	spirv.ExecutionModeLocalSizeId:              set(spirv.ExecutionModelKernel, spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshNV, spirv.ExecutionModelTaskNV),
	spirv.ExecutionModeLocalSizeHint:            set(spirv.ExecutionModelKernel),
	spirv.ExecutionModeVecTypeHint:              set(spirv.ExecutionModelKernel),
	spirv.ExecutionModeContractionOff:           set(spirv.ExecutionModelKernel),
	spirv.ExecutionModeDerivativeGroupQuadsKHR:  set(spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT),
	spirv.ExecutionModeDerivativeGroupLinearKHR: set(spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT),
	spirv.ExecutionModeOriginUpperLeft:          set(spirv.ExecutionModelFragment),
	spirv.ExecutionModeOriginLowerLeft:          set(spirv.ExecutionModelFragment),
	spirv.ExecutionModePixelCenterInteger:       set(spirv.ExecutionModelFragment),
	spirv.ExecutionModeEarlyFragmentTests:       set(spirv.ExecutionModelFragment),
	spirv.ExecutionModeDepthReplacing:           set(spirv.ExecutionModelFragment),
	spirv.ExecutionModeOutputPrimitivesEXT:      set(spirv.ExecutionModelMeshEXT),
	spirv.ExecutionModeOutputTrianglesEXT:       set(spirv.ExecutionModelMeshEXT),
	spirv.ExecutionModeOutputLinesEXT:           set(spirv.ExecutionModelMeshEXT),
}

// requiredModes has a row for each group of modes of which an entry point needs one.
var requiredModes = []struct {
	model spirv.ExecutionModel
	modes []spirv.ExecutionMode
	text  string
}{
	{spirv.ExecutionModelFragment, []spirv.ExecutionMode{spirv.ExecutionModeOriginUpperLeft, spirv.ExecutionModeOriginLowerLeft}, "OriginUpperLeft or OriginLowerLeft"},
	{spirv.ExecutionModelGeometry, inputPrimitives, "InputPoints, InputLines, InputLinesAdjacency, Triangles or InputTrianglesAdjacency"},
	{spirv.ExecutionModelGeometry, outputPrimitives, "OutputPoints, OutputLineStrip or OutputTriangleStrip"},
	{spirv.ExecutionModelMeshEXT, []spirv.ExecutionMode{spirv.ExecutionModeOutputVertices}, "OutputVertices"},
	{spirv.ExecutionModelMeshEXT, []spirv.ExecutionMode{spirv.ExecutionModeOutputPrimitivesEXT}, "OutputPrimitivesEXT"},
	{spirv.ExecutionModelMeshEXT, []spirv.ExecutionMode{spirv.ExecutionModeOutputPoints, spirv.ExecutionModeOutputLinesEXT, spirv.ExecutionModeOutputTrianglesEXT},
		"OutputPoints, OutputLinesEXT or OutputTrianglesEXT"},
}

// alternatives has a row for each group of modes of which an entry point may have one.
var alternatives = [][]spirv.ExecutionMode{
	{spirv.ExecutionModeOriginUpperLeft, spirv.ExecutionModeOriginLowerLeft},
	{spirv.ExecutionModeDepthGreater, spirv.ExecutionModeDepthLess, spirv.ExecutionModeDepthUnchanged},
	{spirv.ExecutionModeSpacingEqual, spirv.ExecutionModeSpacingFractionalEven, spirv.ExecutionModeSpacingFractionalOdd},
	{spirv.ExecutionModeVertexOrderCw, spirv.ExecutionModeVertexOrderCcw},
	inputPrimitives, outputPrimitives,
}

var (
	inputPrimitives = []spirv.ExecutionMode{spirv.ExecutionModeInputPoints, spirv.ExecutionModeInputLines, spirv.ExecutionModeInputLinesAdjacency,
		spirv.ExecutionModeTriangles, spirv.ExecutionModeInputTrianglesAdjacency}
	outputPrimitives = []spirv.ExecutionMode{spirv.ExecutionModeOutputPoints, spirv.ExecutionModeOutputLineStrip, spirv.ExecutionModeOutputTriangleStrip,
		spirv.ExecutionModeOutputLinesEXT, spirv.ExecutionModeOutputTrianglesEXT}
)

// modesTogether tests that an entry point has one of each group of alternatives.
func (m *Module) modesTogether(e *EntryPoint, r *report) {
	for _, group := range alternatives {
		first := spirv.ExecutionMode(0)
		some := false
		for _, mode := range group {
			switch {
			case e.Mode(mode) == nil:
			case some:
				r.add(e.fault("%q has both %s and %s: want one", e.Name, first, mode))
			default:
				first, some = mode, true
			}
		}
	}
}

// builtInBlocks tests that of inputs, and of outputs, one variable at most holds
// built-in members. A mesh shader has one for vertices and one for primitives.
func (m *Module) builtInBlocks(e *EntryPoint, r *report) {
	first := map[spirv.StorageClass]spirv.ID{}
	for _, id := range e.Interface {
		elem := m.TypeOf(id).innerPointee()
		if elem == nil || e.Model == spirv.ExecutionModelMeshEXT {
			continue
		}
		class := m.TypeOf(id).Storage
		if elem.Kind != KindStruct || len(elem.Members) == 0 || !m.MemberDecorated(elem.ID, 0, spirv.DecorationBuiltIn) {
			continue
		}
		if !m.Decorated(elem.ID, spirv.DecorationBlock) {
			r.add(e.fault("interface: %%%d, in %s, holds built-ins in a structure without Block", id, class))
		}
		if other, ok := first[class]; ok && other != id {
			r.add(e.fault("interface: %%%d and %%%d, both in %s, hold built-ins: want one", other, id, class))
		}
		first[class] = id
	}
}

// entryPoints tests the declarations of entry points (OpEntryPoint, section 2.16.1).
func entryPoints(m *Module, r *report) {
	if len(m.EntryPoints) == 0 && !m.Has(spirv.CapabilityLinkage) {
		r.add(Fault{Word: spirv.HeaderWords, Op: spirv.OpEntryPoint, Rule: "entry points", Text: "the module has none"})
	}
	reach := newGlobalUses(m)
	for i := range m.EntryPoints {
		e := &m.EntryPoints[i]
		for _, other := range m.EntryPoints[:i] {
			if other.Name == e.Name && other.Model == e.Model {
				r.add(e.fault("the name %q is taken by another entry point of the model", e.Name))
			}
		}
		f := m.Function(e.Func)
		if f.Type.Elem.Kind != KindVoid || len(f.Params) > 0 && e.Model != spirv.ExecutionModelKernel {
			r.add(e.fault("%%%d is not a function without parameters that returns void", e.Func))
		}
		m.interfaceList(e, reach.variables(e.Func), r)
		m.entryModes(e, r)
	}
	for _, in := range m.calls() {
		if m.isEntry(spirv.ID(in.Operands[0])) {
			r.faultAt(in, "entry points", "calls the entry point %%%d", in.Operands[0])
		}
	}
}

func (e *EntryPoint) fault(format string, args ...any) Fault {
	return FaultAt(&spirv.Instruction{Op: spirv.OpEntryPoint, Word: e.Word}, "entry points", format, args...)
}

func (m *Module) isEntry(id spirv.ID) bool {
	return slices.ContainsFunc(m.EntryPoints, func(e EntryPoint) bool { return e.Func == id })
}

// calls returns the module's function calls.
func (m *Module) calls() []*spirv.Instruction {
	var list []*spirv.Instruction
	for i := range m.Raw.Instructions {
		if in := &m.Raw.Instructions[i]; in.Op == spirv.OpFunctionCall {
			list = append(list, in)
		}
	}
	return list
}

// Versions as the second word of a module has them.
const (
	version14 = 1<<16 | 4<<8
	version16 = 1<<16 | 6<<8
)

// interfaceList tests the interface. From SPIR-V 1.4 on it names every global
// variable that the entry point reaches; before, inputs and outputs.
func (m *Module) interfaceList(e *EntryPoint, used []spirv.ID, r *report) {
	listed := map[spirv.ID]bool{}
	for _, id := range e.Interface {
		def := m.Def(id)
		if def.Op != spirv.OpVariable || m.definitions[id].function != 0 {
			r.add(e.fault("interface: %%%d is not a global variable", id))
			continue
		}
		if c := spirv.StorageClass(def.Operands[0]); m.Raw.Version < version14 && c != spirv.StorageClassInput && c != spirv.StorageClassOutput {
			r.add(e.fault("interface: %%%d is in %s: before SPIR-V 1.4, want Input or Output", id, c))
		}
		if listed[id] && m.Raw.Version >= version14 {
			r.add(e.fault("interface: %%%d is listed twice", id))
		}
		listed[id] = true
	}
	for _, id := range used {
		c := spirv.StorageClass(m.Def(id).Operands[0])
		// llvm-spirv lists no constant that it makes itself.
		if c == spirv.StorageClassUniformConstant && m.Kernels() {
			continue
		}
		if !listed[id] && (m.Raw.Version >= version14 || c == spirv.StorageClassInput || c == spirv.StorageClassOutput) {
			r.add(e.fault("interface: variable %%%d is used, but not listed", id))
		}
	}
}

func (m *Module) entryModes(e *EntryPoint, r *report) {
	for i, mode := range e.Modes {
		say := func(format string, args ...any) {
			r.faultAt(&spirv.Instruction{Op: spirv.OpExecutionMode, Word: mode.Word}, "execution modes", format, args...)
		}
		if models := modeModels[mode.Kind]; models != nil && !models[e.Model] {
			say("%s is not for %s", mode.Kind, e.Model)
		}
		if e.repeats(i) {
			say("%s is given twice for %q", mode.Kind, e.Name)
		}
		if ids := takesIDs(grammar.KindExecutionMode, uint32(mode.Kind)); ids != mode.IDs && (len(mode.Args) > 0 || mode.IDs) {
			say("%s takes %s", mode.Kind, map[bool]string{true: "ids: want OpExecutionModeId", false: "literals: want OpExecutionMode"}[ids])
			continue
		}
		m.modeArgs(mode, say)
	}
	m.fastMath(e, r)
	m.modesTogether(e, r)
	m.builtInBlocks(e, r)
	for _, w := range requiredModes {
		if w.model == e.Model && !e.hasMode(w.modes) {
			r.add(e.fault("%q has no execution mode %s", e.Name, w.text))
		}
	}
	if workgroups[e.Model] && !e.hasMode([]spirv.ExecutionMode{spirv.ExecutionModeLocalSize, spirv.ExecutionModeLocalSizeId}) && !m.sizedByConstant() {
		f := e.fault("%q has no local size: want LocalSize, LocalSizeId or a constant WorkgroupSize", e.Name)
		if e.Model != spirv.ExecutionModelGLCompute { // of mesh and task shaders no rule asks for it
			f.Err = ErrUnsupported
		}
		r.add(f)
	}
}

// fastMath tests that no instruction which an entry point with FPFastMathDefault
// reaches has a decoration that the mode takes the place of.
func (m *Module) fastMath(e *EntryPoint, r *report) {
	if e.Mode(spirv.ExecutionModeFPFastMathDefault) == nil {
		return
	}
	m.eachReached(e.Func, func(in *spirv.Instruction) {
		mode, ok := m.Decoration(in.Result, spirv.DecorationFPFastMathMode)
		if ok && spirv.FPFastMathMode(mode)&spirv.FPFastMathModeFast != 0 {
			r.faultAt(in, "execution modes", "FPFastMathMode Fast, reached from %q, which has FPFastMathDefault", e.Name)
		}
		if m.Decorated(in.Result, spirv.DecorationNoContraction) {
			r.faultAt(in, "execution modes", "NoContraction, reached from %q, which has FPFastMathDefault", e.Name)
		}
	})
}

// perWidth lists the modes that may occur once for each width or type of floats.
var perWidth = set(spirv.ExecutionModeFPFastMathDefault, spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeSignedZeroInfNanPreserve,
	spirv.ExecutionModeRoundingModeRTE, spirv.ExecutionModeRoundingModeRTZ)

// repeats reports whether an earlier mode of the entry point has the same kind and, if it may occur for each width or
// type, the same one.
func (e *EntryPoint) repeats(i int) bool {
	mode := &e.Modes[i]
	return slices.ContainsFunc(e.Modes[:i], func(o Mode) bool {
		return o.Kind == mode.Kind && !(perWidth[o.Kind] && len(o.Args) > 0 && len(mode.Args) > 0 && o.Args[0] != mode.Args[0])
	})
}

func (e *EntryPoint) hasMode(kinds []spirv.ExecutionMode) bool {
	return slices.ContainsFunc(kinds, func(k spirv.ExecutionMode) bool { return e.Mode(k) != nil })
}

// takesIDs reports whether the operands of a mode or decoration are ids.
func takesIDs(kind grammar.Kind, value uint32) bool {
	e := kind.Lookup(value)
	return e != nil && len(e.Parameters) > 0 && e.Parameters[0].Kind.IsID()
}

func (m *Module) modeArgs(mode Mode, say func(string, ...any)) {
	for i, w := range mode.Args {
		switch {
		case mode.Kind == spirv.ExecutionModeFPFastMathDefault && i == 0:
			if t := m.Type(spirv.ID(w)); t == nil || t.Kind != KindFloat {
				say("FPFastMathDefault: %%%d is not a floating-point type", w)
			}
		case mode.IDs && !constant(m.Def(spirv.ID(w)).Op) && mode.Kind != spirv.ExecutionModeSharesInputWithAMDX:
			say("%s: %%%d is not a constant", mode.Kind, w)
		case mode.Kind == spirv.ExecutionModeLocalSize && w == 0, mode.Kind == spirv.ExecutionModeLocalSizeId && m.zero(w):
			say("a local size of 0")
		}
	}
}

// zero reports a constant that is 0, and no specialization.
func (m *Module) zero(id uint32) bool {
	n, known := m.constantValue(id)
	return known && n == 0 || m.Def(spirv.ID(id)).Op == spirv.OpConstantNull
}

// sizedByConstant reports a constant that is decorated as the workgroup's size.
func (m *Module) sizedByConstant() bool {
	for id := range m.decorations {
		if b, ok := m.Decoration(spirv.ID(id), spirv.DecorationBuiltIn); ok && spirv.BuiltIn(b) == spirv.BuiltInWorkgroupSize {
			return true
		}
	}
	return false
}

// globalUses finds the global variables that functions and their callees use.
type globalUses struct {
	m       *Module
	globals map[spirv.ID][]spirv.ID // by function, its own only
	callees map[spirv.ID][]spirv.ID
}

func newGlobalUses(m *Module) *globalUses {
	c := &globalUses{m: m, globals: map[spirv.ID][]spirv.ID{}, callees: map[spirv.ID][]spirv.ID{}}
	ctx := spirv.NewContext(int(min(m.Raw.Bound, 1<<16)))
	for i := range m.Raw.Instructions {
		ctx.Note(&m.Raw.Instructions[i])
	}
	last := make([]int32, m.Raw.Bound) // 1 + the function that has noted an id
	for n, f := range m.Functions {
		note := func(_ int, id spirv.ID) error {
			op := m.Def(id).Op
			if m.definitions[id].function != 0 || last[id] == int32(n+1) {
				return nil
			}
			last[id] = int32(n + 1)
			switch op {
			case spirv.OpVariable:
				c.globals[f.ID] = append(c.globals[f.ID], id)
			case spirv.OpFunction:
				c.callees[f.ID] = append(c.callees[f.ID], id)
			}
			return nil
		}
		for _, b := range f.Blocks {
			for i := range b.Code {
				if !m.refersAhead(&b.Code[i]) {
					_ = spirv.WalkIDs(&b.Code[i], ctx, note) // the form is tested already
				}
			}
		}
	}
	return c
}

// variables returns the variables that a function and its callees use, each once.
func (c *globalUses) variables(f spirv.ID) []spirv.ID {
	seen := map[spirv.ID]bool{f: true}
	var list []spirv.ID
	for queue := []spirv.ID{f}; len(queue) > 0; queue = queue[1:] {
		for _, id := range c.globals[queue[0]] {
			if !seen[id] {
				seen[id], list = true, append(list, id)
			}
		}
		for _, id := range c.callees[queue[0]] {
			if !seen[id] {
				seen[id], queue = true, append(queue, id)
			}
		}
	}
	return list
}

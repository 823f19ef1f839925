package frontend

import (
	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// Inputs of fragment shaders.

// An interpolation selects the weights, and the position at which they are computed.
type interpolation struct {
	flat      bool
	byCorner  bool // each corner's value, without interpolation
	weights   int  // the first of Barycentric's numbers
	position  isa.WeightPosition
	dx, dy    *ir.Value // offset from the centre; nil if none
	component uint32
}

// decorated returns an interpolation with the changes that decorations make.
func (b *inputs) decorated(way interpolation, has func(d spirv.Decoration) bool) interpolation {
	way.flat = way.flat || has(spirv.DecorationFlat)
	way.byCorner = way.byCorner || has(spirv.DecorationPerVertexKHR)
	if has(spirv.DecorationNoPerspective) {
		way.weights = 2
	}
	if has(spirv.DecorationCentroid) {
		way.position = isa.AtCentroid
	}
	if has(spirv.DecorationSample) {
		way.position, b.f.Fragment.PerSample = isa.AtSample, true
	}
	return way
}

// weight returns one of the two weights of an interpolation.
func (b *inputs) weight(way interpolation, n int) *ir.Value {
	if way.dx != nil {
		return b.numbered(isa.BarycentricAt, isa.F32, way.weights+n, way.dx, way.dy)
	}
	v := b.op(isa.Barycentric, isa.F32)
	v.Imm = isa.WeightImm(way.weights+n, way.position)
	return v
}

// barycentrics returns the weights of the three corners.
func barycentrics(way interpolation) func(b *inputs) []*ir.Value {
	return func(b *inputs) []*ir.Value {
		way := b.decorated(way, func(d spirv.Decoration) bool { return b.in != nil && b.m.Decorated(b.in.Result, d) })
		i, j := b.weight(way, 0), b.weight(way, 1)
		rest := b.op(isa.FSub, isa.F32, b.op(isa.FSub, isa.F32, b.constant(isa.F32, oneF32), i), j)
		return []*ir.Value{rest, i, j}
	}
}

const (
	oneF32  = 0x3f800000
	halfF32 = 0x3f000000
)

// samplePosition returns the position of the invocation's sample in its pixel.
func (b *inputs) samplePosition() []*ir.Value {
	b.f.Fragment.PerSample = true
	n := b.op(isa.SampleIndex, isa.I32)
	out := make([]*ir.Value, 2)
	for k := range out {
		out[k] = b.op(isa.FAdd, isa.F32, b.numbered(isa.SampleOffset, isa.F32, k, n), b.constant(isa.F32, halfF32))
	}
	return out
}

// bindFragmentInput makes an input with a location values, interpolated at the
// start of the shader.
func (b *inputs) bindFragmentInput(in *spirv.Instruction, t *validate.Type) {
	leaves := b.once(func() []*ir.Value { return b.inputValues(in, t, interpolation{}) })
	b.bind(in, pointer{typ: t, space: spaceInput, input: leaves})
}

// inputValues returns the leaves of an input variable, interpolated by its decorations and by given, which may add to
// them.
func (b *inputs) inputValues(in *spirv.Instruction, t *validate.Type, given interpolation) []*ir.Value {
	way := b.decorated(interpolation{}, func(d spirv.Decoration) bool { return b.m.Decorated(in.Result, d) })
	way.component, _ = b.m.Decoration(in.Result, spirv.DecorationComponent)
	location, ok := b.m.Decoration(in.Result, spirv.DecorationLocation)
	w := inputWalk{b: b, way: way, override: given, hasLocation: ok}
	if way.byCorner {
		w.corners(t, location)
	} else {
		w.leaves(t, location, way)
	}
	return w.out
}

// An inputWalk goes through the parts of an input, which have a location each.
type inputWalk struct {
	b           *inputs
	way         interpolation
	override    interpolation
	hasLocation bool // the location is known
	corner      int
	out         []*ir.Value
}

// corners walks an array that has an element for each corner.
func (w *inputWalk) corners(t *validate.Type, location uint32) {
	if t.Kind != validate.KindArray || w.b.count(t) > 3 {
		w.b.invalid("an input decorated PerVertexKHR that is not an array of up to three")
	}
	for w.corner = range w.b.count(t) {
		w.leaves(t.Elem, location, w.way)
	}
}

// maxInputLocations bounds the locations of a fragment shader's inputs: four times those of any device (32, of four
// components each: maxFragmentInputComponents of 128).
const maxInputLocations = 128

// leaves appends the leaves of a part and returns the location after it.
func (w *inputWalk) leaves(t *validate.Type, location uint32, way interpolation) uint32 {
	if len(w.b.leafTypes(t)) == 0 {
		return location // however many elements it has of nothing
	}
	switch t.Kind {
	case validate.KindArray:
		for range w.b.count(t) {
			location = w.leaves(t.Elem, location, way)
		}
		return location
	case validate.KindMatrix:
		for range t.Count {
			location = w.leaves(t.Elem, location, way)
		}
		return location
	case validate.KindStruct:
		return w.members(t, location, way)
	}
	if !w.hasLocation {
		w.b.unsupported("an input without a location")
	}
	if location >= maxInputLocations {
		w.b.unsupported("an input at location %d: want at most %d", location, maxInputLocations-1)
	}
	for i, leaf := range w.b.leafTypes(t) {
		w.out = append(w.out, w.interpolate(leaf, location, way.component+uint32(i), way))
	}
	return location + 1
}

// members walks a structure, whose members may have their own locations and decorations.
func (w *inputWalk) members(t *validate.Type, location uint32, way interpolation) uint32 {
	placed := w.hasLocation
	for i, member := range t.Members {
		list := w.b.m.MemberDecorations(t.ID, i)
		mine := w.b.decorated(way, func(d spirv.Decoration) bool { return decorationOf(list, d) != nil })
		if d := decorationOf(list, spirv.DecorationBuiltIn); d != nil {
			w.b.unsupported("built-in %s as a member of an input", spirv.BuiltIn(d.Args[0]))
		}
		if d := decorationOf(list, spirv.DecorationLocation); d != nil {
			location, w.hasLocation = d.Args[0], true
		}
		if d := decorationOf(list, spirv.DecorationComponent); d != nil {
			mine.component = d.Args[0]
		}
		location = w.leaves(member, location, mine)
	}
	w.hasLocation = placed
	return location
}

func decorationOf(list []validate.Decoration, kind spirv.Decoration) *validate.Decoration {
	return lists.Find(list, func(d *validate.Decoration) bool { return d.Kind == kind })
}

func (w *inputWalk) interpolate(t isa.Type, location, component uint32, way interpolation) *ir.Value {
	b := w.b
	if t != isa.F32 && t != isa.I32 {
		b.unsupported("an input of type %s: want 32 bits", t)
	}
	if t == isa.I32 && !way.flat && !way.byCorner {
		b.invalid("an input of integers that is not decorated Flat")
	}
	slot := b.inputSlot(ir.Input{Location: location, Component: component, Float: t == isa.F32, ByCorner: way.byCorner})
	if way.flat || way.byCorner {
		v := b.op(isa.InterpFlat, t)
		v.Imm = isa.CornerImm(slot, w.corner)
		return v
	}
	if w.override.dx != nil || w.override.position != isa.AtCentre {
		way.dx, way.dy, way.position = w.override.dx, w.override.dy, w.override.position
	}
	i, j := b.weight(way, 0), b.weight(way, 1)
	return b.numbered(isa.InterpP2, isa.F32, slot, j, b.numbered(isa.InterpP1, isa.F32, slot, i))
}

// inputSlot returns the number of an input component, added if it is new.
func (b *inputs) inputSlot(in ir.Input) int {
	list := b.f.Fragment.Inputs
	for i := range list {
		if list[i] == in {
			return i
		}
	}
	b.f.Fragment.Inputs = append(list, in)
	return len(list)
}

func interpolateRows() map[spirv.GLSLstd450]func(b *inputs) {
	return map[spirv.GLSLstd450]func(b *inputs){
		spirv.GLSLstd450InterpolateAtCentroid: func(b *inputs) { b.interpolateAt(interpolation{position: isa.AtCentroid}) },
		spirv.GLSLstd450InterpolateAtSample: func(b *inputs) {
			n := b.widen(b.x(1)[0], isa.I32)
			b.interpolateAt(interpolation{dx: b.numbered(isa.SampleOffset, isa.F32, 0, n), dy: b.numbered(isa.SampleOffset, isa.F32, 1, n)})
		},
		spirv.GLSLstd450InterpolateAtOffset: func(b *inputs) {
			at := b.floats(b.arg(3), 2)
			b.interpolateAt(interpolation{dx: at[0], dy: at[1]})
		},
	}
}

// interpolateAt reads an input again, elsewhere in the pixel.
func (b *inputs) interpolateAt(way interpolation) {
	b.needFragment()
	b.set(b.inputAt(b.arg(2), way).input...)
}

// inputAt follows access chains down to the input variable that they begin at,
// and takes their steps in the values that the way gives.
func (b *inputs) inputAt(id spirv.ID, way interpolation) pointer {
	def := b.m.Def(id)
	switch {
	case def != nil && def.Op == spirv.OpVariable && spirv.StorageClass(def.Operands[0]) == spirv.StorageClassInput:
		t := b.typ(def.Type).Elem
		return pointer{typ: t, space: spaceInput, input: b.inputValues(def, t, way)}
	case def != nil && (def.Op == spirv.OpAccessChain || def.Op == spirv.OpInBoundsAccessChain):
		p := b.inputAt(spirv.ID(def.Operands[0]), way)
		for _, index := range def.Operands[1:] {
			p = b.step(p, spirv.ID(index))
		}
		return p
	}
	b.unsupported("interpolation of %%%d, which is not an input variable or a part of one", id)
	return pointer{}
}

// fragmentBuiltins has a row for each built-in input of fragment shaders alone.
var fragmentBuiltins map[spirv.BuiltIn]func(b *inputs) []*ir.Value

// commonBuiltins lists the built-ins that compute and fragment shaders share.
var commonBuiltins = map[spirv.BuiltIn]bool{
	spirv.BuiltInSubgroupSize: true, spirv.BuiltInSubgroupLocalInvocationId: true, spirv.BuiltInDeviceIndex: true,
	spirv.BuiltInSubgroupEqMask: true, spirv.BuiltInSubgroupGeMask: true, spirv.BuiltInSubgroupGtMask: true,
	spirv.BuiltInSubgroupLeMask: true, spirv.BuiltInSubgroupLtMask: true,
}

func init() {
	fragmentBuiltins = map[spirv.BuiltIn]func(b *inputs) []*ir.Value{
		spirv.BuiltInFragCoord: func(b *inputs) []*ir.Value {
			out := make([]*ir.Value, 4)
			for i := range out {
				out[i] = b.numbered(isa.FragCoord, isa.F32, i)
			}
			return out
		},
		spirv.BuiltInFrontFacing:      func(b *inputs) []*ir.Value { return []*ir.Value{b.emit(isa.FrontFacing, isa.Bool, isa.Bool)} },
		spirv.BuiltInHelperInvocation: func(b *inputs) []*ir.Value { return []*ir.Value{b.emit(isa.HelperLane, isa.Bool, isa.Bool)} },
		spirv.BuiltInPrimitiveId:      identities(isa.PrimitiveIndex),
		spirv.BuiltInSampleId: func(b *inputs) []*ir.Value {
			b.f.Fragment.PerSample = true
			return []*ir.Value{b.op(isa.SampleIndex, isa.I32)}
		},
		spirv.BuiltInSamplePosition: (*inputs).samplePosition,
		spirv.BuiltInSampleMask:     identities(isa.SampleCover),
		spirv.BuiltInPointCoord: func(b *inputs) []*ir.Value {
			return []*ir.Value{b.numbered(isa.PointCoord, isa.F32, 0), b.numbered(isa.PointCoord, isa.F32, 1)}
		},
		spirv.BuiltInBaryCoordKHR:        barycentrics(interpolation{}),
		spirv.BuiltInBaryCoordNoPerspKHR: barycentrics(interpolation{weights: 2}),
	}
}

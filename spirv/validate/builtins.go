package validate

import "spvsim/spirv"

// A builtIn is the rule for a built-in's variable: its type, storage classes and execution models.
type builtIn struct {
	class byte // of signatures
	count int  // components
	in    map[spirv.ExecutionModel]bool
	out   map[spirv.ExecutionModel]bool
}

var (
	noModels    = map[spirv.ExecutionModel]bool{}
	groupModels = set(spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshNV, spirv.ExecutionModelTaskNV)
	vertexOnly  = set(spirv.ExecutionModelVertex)
	drawModels  = set(spirv.ExecutionModelVertex, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelMeshNV, spirv.ExecutionModelTaskEXT, spirv.ExecutionModelTaskNV)
	rasterOuts  = set(spirv.ExecutionModelVertex, spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation, spirv.ExecutionModelGeometry,
		spirv.ExecutionModelMeshEXT, spirv.ExecutionModelMeshNV)
	vertexIns = set(spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation, spirv.ExecutionModelGeometry, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelMeshNV)
	fragments = fragmentOnly
	anyModel  map[spirv.ExecutionModel]bool // nil: all models
)

// builtIns has a row for each built-in whose type a rule of the Vulkan specification names (section 15.10).
var builtIns = map[spirv.BuiltIn]builtIn{
	spirv.BuiltInNumWorkgroups: {'i', 3, groupModels, noModels}, spirv.BuiltInWorkgroupId: {'i', 3, groupModels, noModels},
	spirv.BuiltInLocalInvocationId: {'i', 3, groupModels, noModels}, spirv.BuiltInGlobalInvocationId: {'i', 3, groupModels, noModels},
	spirv.BuiltInLocalInvocationIndex: {'i', 1, groupModels, noModels},
	spirv.BuiltInSubgroupId:           {'i', 1, groupModels, noModels}, spirv.BuiltInNumSubgroups: {'i', 1, groupModels, noModels},
	spirv.BuiltInSubgroupSize: {'i', 1, anyModel, noModels}, spirv.BuiltInSubgroupLocalInvocationId: {'i', 1, anyModel, noModels},
	spirv.BuiltInSubgroupEqMask: {'i', 4, anyModel, noModels}, spirv.BuiltInSubgroupGeMask: {'i', 4, anyModel, noModels}, spirv.BuiltInSubgroupGtMask: {'i', 4, anyModel, noModels},
	spirv.BuiltInSubgroupLeMask: {'i', 4, anyModel, noModels}, spirv.BuiltInSubgroupLtMask: {'i', 4, anyModel, noModels},
	spirv.BuiltInFragCoord: {'f', 4, fragments, noModels}, spirv.BuiltInFragDepth: {'f', 1, noModels, fragments}, spirv.BuiltInPointCoord: {'f', 2, fragments, noModels},
	spirv.BuiltInFrontFacing: {'b', 1, fragments, noModels}, spirv.BuiltInHelperInvocation: {'b', 1, fragments, noModels},
	spirv.BuiltInSampleId: {'i', 1, fragments, noModels}, spirv.BuiltInSamplePosition: {'f', 2, fragments, noModels}, spirv.BuiltInSampleMask: {'i', 1, fragments, fragments},
	spirv.BuiltInBaryCoordKHR: {'f', 3, fragments, noModels}, spirv.BuiltInBaryCoordNoPerspKHR: {'f', 3, fragments, noModels},
	spirv.BuiltInVertexIndex: {'i', 1, vertexOnly, noModels}, spirv.BuiltInInstanceIndex: {'i', 1, vertexOnly, noModels},
	spirv.BuiltInBaseVertex: {'i', 1, vertexOnly, noModels}, spirv.BuiltInBaseInstance: {'i', 1, vertexOnly, noModels}, spirv.BuiltInDrawIndex: {'i', 1, drawModels, noModels},
	spirv.BuiltInPosition: {'f', 4, vertexIns, rasterOuts}, spirv.BuiltInPointSize: {'f', 1, vertexIns, rasterOuts},
	spirv.BuiltInDeviceIndex: {'i', 1, anyModel, noModels},
}

// modelsIn returns the models that may have the built-in in a storage class; nil: all models.
func (b *builtIn) modelsIn(class spirv.StorageClass) map[spirv.ExecutionModel]bool {
	if class == spirv.StorageClassInput {
		return b.in
	}
	return b.out
}

// fits reports whether a variable's type is that of the built-in. Arrays, for each vertex, primitive or word, are
// tested by their elements.
func (b *builtIn) fits(t *Type) bool {
	for t != nil && t.Kind == KindArray {
		t = t.Elem
	}
	return t != nil && t.is(b.class) && t.components() == b.count && (b.class == 'b' || t.width() == 32)
}

// builtInType tests the types of built-ins, of variables and of members.
func builtInType(c *extension) {
	test := func(in *spirv.Instruction, kind spirv.BuiltIn, t *Type) {
		if b, ok := builtIns[kind]; ok && t != nil && !b.fits(t) {
			c.faultAt(in, "%s of %s: want %d of %s, of 32 bits", kind, c.typeText(t), b.count, classNames[b.class])
		}
	}
	c.eachDecoration(spirv.DecorationBuiltIn, func(in *spirv.Instruction, target spirv.ID, a []uint32) {
		switch t := c.TypeOf(target); {
		case spirv.BuiltIn(a[0]) == spirv.BuiltInWorkgroupSize:
			if t == nil || t.Kind != KindVector || t.Count != 3 || !t.is('i') || t.width() != 32 {
				c.faultAt(in, "WorkgroupSize of %s: want a vector of 3 32-bit integers", c.describe(t))
			}
		case t != nil && t.Kind == KindPointer:
			test(in, spirv.BuiltIn(a[0]), t.Elem)
		}
	})
	c.eachMember(spirv.DecorationBuiltIn, func(in *spirv.Instruction, structure spirv.ID, member uint32, a []uint32) {
		test(in, spirv.BuiltIn(a[0]), c.Type(structure).Members[member])
	})
}

// builtInPlace tests storage classes and execution models of the variables that are built-ins.
func builtInPlace(c *extension) {
	c.eachDecoration(spirv.DecorationBuiltIn, func(in *spirv.Instruction, target spirv.ID, a []uint32) {
		t := c.TypeOf(target)
		if b, ok := builtIns[spirv.BuiltIn(a[0])]; ok && t != nil && t.Kind == KindPointer {
			if models := b.modelsIn(t.Storage); !stageClasses[t.Storage] || models != nil && len(models) == 0 {
				c.faultAt(in, "%s in %s", spirv.BuiltIn(a[0]), t.Storage)
			}
		}
	})
	reach := newGlobalUses(c.Module)
	for i := range c.EntryPoints {
		e := &c.EntryPoints[i]
		for _, id := range reach.variables(e.Func) {
			t := c.TypeOf(id)
			kind, ok := c.Decoration(id, spirv.DecorationBuiltIn)
			b, known := builtIns[spirv.BuiltIn(kind)]
			if !ok || !known || !stageClasses[t.Storage] {
				continue
			}
			if models := b.modelsIn(t.Storage); models != nil && !models[e.Model] {
				c.faultAt(c.Def(id), "%s in %s, which entry point %q of %s uses", spirv.BuiltIn(kind), t.Storage, e.Name, e.Model)
			}
		}
	}
}

package validate

import "spvsim/spirv"

// stageOps says which execution models an instruction is for; those without a
// row are for all of them, or are refused before.
var stageOps = map[spirv.Op]map[spirv.ExecutionModel]bool{
	spirv.OpEmitVertex: geometryOnly, spirv.OpEndPrimitive: geometryOnly,
	spirv.OpEmitStreamVertex: geometryOnly, spirv.OpEndStreamPrimitive: geometryOnly,
	spirv.OpKill: fragmentOnly, spirv.OpTerminateInvocation: fragmentOnly, spirv.OpDemoteToHelperInvocation: fragmentOnly,
	spirv.OpIsHelperInvocationEXT: fragmentOnly,
	spirv.OpSetMeshOutputsEXT:     set(spirv.ExecutionModelMeshEXT), spirv.OpEmitMeshTasksEXT: set(spirv.ExecutionModelTaskEXT),
}

var (
	geometryOnly = set(spirv.ExecutionModelGeometry)
	fragmentOnly = set(spirv.ExecutionModelFragment)
)

// interpolations are the extended instructions of fragments alone.
var interpolations = set(spirv.GLSLstd450InterpolateAtCentroid, spirv.GLSLstd450InterpolateAtSample, spirv.GLSLstd450InterpolateAtOffset)

// derivativeModels are the models in which invocations may stand in quads.
// Those other than fragments say how, by a mode.
var derivativeModels = set(spirv.ExecutionModelFragment, spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT)

// implicitLods are the instructions that take derivatives without their name.
var implicitLods = set(spirv.OpImageSampleImplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleProjImplicitLod,
	spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageQueryLod)

// callGraphs tests what the functions that an entry point reaches hold, by its
// execution model.
func callGraphs(m *Module, r *report) {
	for i := range m.EntryPoints {
		e := &m.EntryPoints[i]
		m.eachReached(e.Func, func(in *spirv.Instruction) {
			if text := m.stageFault(e, in); text != "" {
				r.at(in, "stages", "reached from %q, of %s: %s", e.Name, e.Model, text)
			}
		})
	}
}

// stageFault says what an instruction asks of the entry point, "" if it has it.
func (m *Module) stageFault(e *EntryPoint, in *spirv.Instruction) string {
	if models := stageOps[in.Op]; models != nil && !models[e.Model] {
		for want := range models { // each row has one
			return "it is for " + want.String()
		}
	}
	switch {
	case in.Op == spirv.OpExtInst && m.imports[spirv.ID(in.Operands[0])] == glslSet && interpolations[spirv.GLSLstd450(in.Operands[1])]:
		if !fragmentOnly[e.Model] {
			return "it is for Fragment"
		}
	case in.Op.Grammar().Class == "Derivative" || implicitLods[in.Op]:
		if !derivativeModels[e.Model] {
			return "derivatives are of Fragment, GLCompute, MeshEXT and TaskEXT"
		}
		// Without the extension no mode is there to ask for.
		asked := implicitLods[in.Op] || m.Extensions["SPV_KHR_compute_shader_derivatives"]
		if e.Model != spirv.ExecutionModelFragment && asked && !e.hasMode(derivativeGroups) {
			return "want DerivativeGroupQuadsKHR or DerivativeGroupLinearKHR"
		}
	case in.Op == spirv.OpControlBarrier && m.Raw.Version < 1<<16|3<<8:
		if !barrierModels[e.Model] {
			return "before SPIR-V 1.3 barriers are of workgroups and of TessellationControl"
		}
	}
	return ""
}

var derivativeGroups = []spirv.ExecutionMode{spirv.ExecutionModeDerivativeGroupQuadsKHR, spirv.ExecutionModeDerivativeGroupLinearKHR, spirv.ExecutionModeQuadDerivativesKHR}

var barrierModels = set(spirv.ExecutionModelTessellationControl, spirv.ExecutionModelGLCompute, spirv.ExecutionModelKernel,
	spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskNV, spirv.ExecutionModelMeshNV)

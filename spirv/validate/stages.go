package validate

import "spvsim/spirv"

// stageOps maps instructions to their execution models. Instructions without a row are for all models, or are refused
// before.
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

// interpolations lists the extended instructions of fragment shaders alone.
var interpolations = set(spirv.GLSLstd450InterpolateAtCentroid, spirv.GLSLstd450InterpolateAtSample, spirv.GLSLstd450InterpolateAtOffset)

// derivativeModels lists the models whose invocations may be arranged in quads. Models other than Fragment declare the
// arrangement by a mode.
var derivativeModels = set(spirv.ExecutionModelFragment, spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT, spirv.ExecutionModelTaskEXT)

// implicitLods lists the instructions that take derivatives implicitly.
var implicitLods = set(spirv.OpImageSampleImplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleProjImplicitLod,
	spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageQueryLod)

// callGraphs tests the instructions that an entry point reaches against its execution model.
func callGraphs(m *Module, r *report) {
	for i := range m.EntryPoints {
		e := &m.EntryPoints[i]
		m.eachReached(e.Func, func(in *spirv.Instruction) {
			if text := m.stageFault(e, in); text != "" {
				r.faultAt(in, "stages", "reached from %q, of %s: %s", e.Name, e.Model, text)
			}
		})
	}
}

// stageFault returns the requirement of an instruction that the entry point does not meet, "" if there is none.
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
		// Without the extension there is no such mode.
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

package validate

import "spvsim/spirv"

var workgroupRules = []rule{
	{name: "workgroup-version", sentence: "This extension requires SPIR-V 1.4.", independent: true, check: versionRule(4)},
	{name: "layout", sentence: "If WorkgroupMemoryExplicitLayoutKHR capability is declared, composite objects in the Workgroup Storage Class with types decorated with Block also must be explicitly laid out."},
	{name: "workgroup-all-or-none", sentence: "Either all or none of the Workgroup Storage Class variables in the entry point interface must point to struct types decorated with Block.",
		check: func(c *extension) {
			c.workgroupViews(func(e *EntryPoint, blocks, plain []spirv.ID) {
				if len(blocks) > 0 && len(plain) > 0 {
					c.faultAt(c.Def(plain[0]), "entry point %q has Workgroup blocks as well, %%%d", e.Name, blocks[0])
				}
			})
		}},
	{name: "workgroup-aliased", sentence: "If more than one Workgroup Storage Class variable in the entry point interface point to a type decorated with Block, all of them must be decorated with Aliased.",
		check: func(c *extension) {
			c.workgroupViews(func(e *EntryPoint, blocks, _ []spirv.ID) {
				for _, id := range blocks {
					if len(blocks) > 1 && !c.Decorated(id, spirv.DecorationAliased) {
						c.faultAt(c.Def(id), "one of %d Workgroup blocks of entry point %q, and not Aliased", len(blocks), e.Name)
					}
				}
			})
		}},
	{name: "workgroup-8-bit", sentence: "Uses 8-bit OpTypeInt instructions for creating scalar, vector, and composite types that become members of a block residing in the Workgroup storage class.",
		check: func(c *extension) { c.workgroupWidth(8, spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR) }},
	{name: "workgroup-16-bit", sentence: "Uses 16-bit OpTypeFloat and OpTypeInt instructions for creating scalar, vector, and composite types that become members of a block residing in the Workgroup storage class. (Floats with an encoding of their own, as bfloat16, do not need it, as for other validators.)",
		check: func(c *extension) {
			c.workgroupWidth(16, spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR)
		}},
	{name: "layout", sentence: "[OpTypeBool] can only be used with logical addressing operations, not physical, and only with variables that are not required to be explicitly laid out."},
	{name: "workgroup-stride", sentence: "When WorkgroupMemoryExplicitLayoutKHR capability is declared, for objects in Workgroup storage class that are explicitly laid out the element's address or location is also calculated using a stride.",
		check: func(c *extension) {
			seen := map[*spirv.Instruction]bool{}
			c.workgroupViews(func(e *EntryPoint, blocks, _ []spirv.ID) {
				if len(blocks) > 0 {
					c.Module.eachReached(e.Func, func(in *spirv.Instruction) { c.workgroupStride(in, seen) })
				}
			})
		}},
}

func (c *extension) workgroupVariables(visit func(in *spirv.Instruction, t *Type)) {
	c.eachOp(func(in *spirv.Instruction) {
		if t := c.TypeOf(in.Result); t.Storage == spirv.StorageClassWorkgroup {
			visit(in, t)
		}
	}, spirv.OpVariable)
}

// workgroupStride tests a step over explicitly laid out elements, once.
func (c *extension) workgroupStride(in *spirv.Instruction, seen map[*spirv.Instruction]bool) {
	if in.Op != spirv.OpPtrAccessChain && in.Op != spirv.OpInBoundsPtrAccessChain || seen[in] {
		return
	}
	seen[in] = true
	base := c.TypeOf(spirv.ID(in.Operands[0]))
	if base.Kind != KindPointer || base.Storage != spirv.StorageClassWorkgroup {
		return
	}
	if _, ok := c.Decoration(base.ID, spirv.DecorationArrayStride); !ok {
		c.faultAt(in, "the base's type, %%%d, has no ArrayStride", base.ID)
	}
}

// workgroupViews visits the entry points with their Workgroup variables: blocks, and others.
func (c *extension) workgroupViews(visit func(e *EntryPoint, blocks, plain []spirv.ID)) {
	if !c.Has(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
		return
	}
	for i := range c.EntryPoints {
		e := &c.EntryPoints[i]
		var blocks, plain []spirv.ID
		for _, id := range e.Interface {
			t := c.TypeOf(id)
			switch {
			case t.Kind != KindPointer || t.Storage != spirv.StorageClassWorkgroup:
			case c.WorkgroupBlock(t):
				blocks = append(blocks, id)
			default:
				plain = append(plain, id)
			}
		}
		visit(e, blocks, plain)
	}
}

// workgroupWidth tests blocks with narrow members, which are allowed too where
// the full capability of their type is declared.
func (c *extension) workgroupWidth(width int, cap spirv.Capability) {
	c.workgroupVariables(func(in *spirv.Instruction, t *Type) {
		if !c.WorkgroupBlock(t) || c.Has(cap) {
			return
		}
		eachScalar(t.Elem, func(s *Type) {
			full, narrow := narrowWidths[s.Kind][s.Width]
			if s.Width == width && narrow && !s.Encoded && !c.Has(full) {
				c.faultAt(in, "a Workgroup block of %s needs the capability %s or %s", c.typeText(s), cap, full)
			}
		})
	})
}

// ballotOps lists the group operations of SPV_AMD_shader_ballot; true for floats. The extension calls the results of
// those integers too, but floats are meant.
var ballotOps = map[spirv.Op]bool{
	spirv.OpGroupIAddNonUniformAMD: false, spirv.OpGroupFAddNonUniformAMD: true, spirv.OpGroupFMinNonUniformAMD: true,
	spirv.OpGroupUMinNonUniformAMD: false, spirv.OpGroupSMinNonUniformAMD: false, spirv.OpGroupFMaxNonUniformAMD: true,
	spirv.OpGroupUMaxNonUniformAMD: false, spirv.OpGroupSMaxNonUniformAMD: false,
}

func isBallotOp(op spirv.Op) bool {
	_, ok := ballotOps[op]
	return ok
}

// eachBallotOp returns the rule that visits the group operations of SPV_AMD_shader_ballot.
func eachBallotOp(visit func(c *extension, in *spirv.Instruction, float bool)) func(*extension) {
	return func(c *extension) {
		for i := range c.Raw.Instructions {
			if float, ok := ballotOps[c.Raw.Instructions[i].Op]; ok {
				visit(c, &c.Raw.Instructions[i], float)
			}
		}
	}
}

const (
	ballotSet = "SPV_AMD_shader_ballot"
	gcnSet    = "SPV_AMD_gcn_shader"
)

var ballotRules = []rule{
	{name: "capabilities", sentence: "To use the new core instructions, declare: OpCapability Groups"},
	{name: "extensions", sentence: "To use the new core instructions, declare: OpCapability Groups OpExtension \"SPV_AMD_shader_ballot\" To use the new extended instructions, declare: OpExtension \"SPV_AMD_shader_ballot\""},
	{name: "ballot-result", sentence: "<Result Type> must be an <integer type> scalar. (Floats for FAdd, FMin and FMax, where the text has a slip.)",
		check: eachBallotOp(func(c *extension, in *spirv.Instruction, float bool) {
			if want := map[bool]byte{true: 'F', false: 'I'}[float]; !c.Type(in.Type).is(want) {
				c.faultAt(in, "result type %s: want a scalar %s", c.typeText(c.Type(in.Type)), classNames[want])
			}
		})},
	{name: "ballot-scope", sentence: "<Execution> must be Workgroup or Subgroup Scope.",
		check: eachBallotOp(func(c *extension, in *spirv.Instruction, _ bool) {
			if s, ok := c.constantValue(in.Operands[0]); ok && s != uint32(spirv.ScopeWorkgroup) && s != uint32(spirv.ScopeSubgroup) {
				c.faultAt(in, "scope %s: want Workgroup or Subgroup", spirv.Scope(s))
			}
		})},
	{name: "ballot-operation", sentence: "[core, Group Operation] Reduce, InclusiveScan or ExclusiveScan.",
		check: eachBallotOp(func(c *extension, in *spirv.Instruction, _ bool) {
			if o := spirv.GroupOperation(in.Operands[1]); o > spirv.GroupOperationExclusiveScan {
				c.faultAt(in, "operation %s: want Reduce, InclusiveScan or ExclusiveScan", o)
			}
		})},
	{name: "ballot-x", sentence: "The type of <X> must be the same as <Result Type>.",
		check: eachBallotOp(func(c *extension, in *spirv.Instruction, _ bool) {
			if c.TypeOf(spirv.ID(in.Operands[2])) != c.Type(in.Type) {
				c.faultAt(in, "operand 2: %%%d is not of the result's type", in.Operands[2])
			}
		})},
	{name: "ballot-data", sentence: "The operand data can be any scalar or vector type.", check: ballotCheck(func(c *extension, in *spirv.Instruction, code uint32, a []uint32) {
		if t := c.Type(in.Type); code <= 3 && !t.is('n') && !t.is('b') {
			c.faultAt(in, "result type %s: want a scalar or vector", c.typeText(t))
		}
	})},
	{name: "ballot-data-type", sentence: "Result Type and the type of operand data must be the same type.", check: ballotCheck(func(c *extension, in *spirv.Instruction, code uint32, a []uint32) {
		if code <= 2 && c.TypeOf(spirv.ID(a[0])) != c.Type(in.Type) {
			c.faultAt(in, "data %%%d is not of the result's type", a[0])
		}
	})},
	{name: "swizzle-offset", sentence: "The operand offset must be a unsigned integer vector with 4 components, and each component is constant integer with a value in the range [0, 3].",
		check: ballotCheck(func(c *extension, in *spirv.Instruction, code uint32, a []uint32) {
			if code == 1 {
				c.constantVector(in, a[1], 4, 3)
			}
		})},
	{name: "swizzle-mask", sentence: "The operand mask must be a unsigned integer vector with 3 components, and each component is constant integer with a value in the range [0, 31].",
		check: ballotCheck(func(c *extension, in *spirv.Instruction, code uint32, a []uint32) {
			if code == 2 {
				c.constantVector(in, a[1], 3, 31)
			}
		})},
	{name: "write-types", sentence: "The type of inputValue and writeValue must be the same as Result Type.", check: ballotCheck(func(c *extension, in *spirv.Instruction, code uint32, a []uint32) {
		for _, id := range a[:min(2, len(a))] {
			if code == 3 && c.TypeOf(spirv.ID(id)) != c.Type(in.Type) {
				c.faultAt(in, "%%%d is not of the result's type", id)
			}
		}
	})},
	{name: "write-index", sentence: "invocationIndex must be a 32-bit unsigned integer with a value in the range [0, SubgroupSize - 1].", check: ballotCheck(func(c *extension, in *spirv.Instruction, code uint32, a []uint32) {
		if code != 3 {
			return
		}
		if t := c.TypeOf(spirv.ID(a[2])); t == nil || t.Kind != KindInt || t.Width != 32 || t.Signed {
			c.faultAt(in, "invocationIndex %%%d is %s: want uint32", a[2], c.describe(t))
		} else if n, ok := c.constantValue(a[2]); ok && n >= 64 {
			c.faultAt(in, "invocationIndex is %d: no subgroup has more than 64 invocations", n)
		}
	})},
	{name: "mbcnt-types", sentence: "Result Type and mask must be 32-bit unsigned integers. (A 64-bit mask too, which compilers emit.)", check: ballotCheck(func(c *extension, in *spirv.Instruction, code uint32, a []uint32) {
		if code != 4 {
			return
		}
		if t := c.Type(in.Type); !t.is('U') || t.Width != 32 {
			c.faultAt(in, "result type %s: want uint32", c.typeText(t))
		}
		if t := c.TypeOf(spirv.ID(a[0])); t == nil || !t.is('U') || t.Width < 32 {
			c.faultAt(in, "mask %%%d is %s: want uint32 or uint64", a[0], c.describe(t))
		}
	})},
}

func ballotCheck(check func(c *extension, in *spirv.Instruction, code uint32, a []uint32)) func(*extension) {
	return func(c *extension) {
		c.eachExt(ballotSet, func(in *spirv.Instruction, code uint32, a []uint32) { check(c, in, code, a) })
	}
}

// constantVector tests a vector of n constant unsigned integers up to most.
func (c *extension) constantVector(in *spirv.Instruction, id uint32, n int, most uint32) {
	t, def := c.TypeOf(spirv.ID(id)), c.Def(spirv.ID(id))
	if t == nil || t.Kind != KindVector || t.Count != n || !t.is('u') {
		c.faultAt(in, "%%%d is %s: want a vector of %d unsigned integers", id, c.describe(t), n)
		return
	}
	if !constant(def.Op) {
		c.faultAt(in, "%%%d is not a constant", id)
		return
	}
	if def.Op != spirv.OpConstantComposite {
		return
	}
	for _, part := range def.Operands {
		if value, ok := c.constantValue(part); ok && value > most {
			c.faultAt(in, "component %d of %%%d: want 0 to %d", value, id, most)
		}
	}
}

var quadRules = []rule{
	// The sample of the extension's own authors is of SPIR-V 1.0.
	{name: "quad-version", sentence: "This extension requires SPIR-V 1.3.", warning: true, independent: true, check: versionRule(3)},
	// glslang leaves it out for full_quads and quad_derivatives.
	{name: "quad-reconvergence", sentence: "This extension requires SPV_KHR_maximal_reconvergence.", warning: true, check: func(c *extension) {
		if c.Has(spirv.CapabilityQuadControlKHR) && !c.Extensions["SPV_KHR_maximal_reconvergence"] {
			c.eachOp(func(in *spirv.Instruction) {
				if s, _ := spirv.DecodeString(in.Operands); s == "SPV_KHR_quad_control" {
					c.faultAt(in, "want the extension SPV_KHR_maximal_reconvergence too")
				}
			}, spirv.OpExtension)
		}
	}},
	{name: "capabilities", sentence: "Uses the QuadDerivativesKHR or RequireFullQuadsKHR execution modes, or the OpGroupNonUniformQuadAllKHR or OpGroupNonUniformQuadAnyKHR instructions."},
	{name: "quad-full", sentence: "[RequireFullQuadsKHR] Only valid with the Fragment Execution Model.", check: func(c *extension) {
		for i := range c.EntryPoints {
			e := &c.EntryPoints[i]
			if mode := e.Mode(spirv.ExecutionModeRequireFullQuadsKHR); mode != nil && e.Model != spirv.ExecutionModelFragment {
				c.faultAtMode(mode, "RequireFullQuadsKHR on %q, of %s", e.Name, e.Model)
			}
		}
	}},
	{name: "quad-result", sentence: "Result Type must be a Boolean Type.", check: eachOp(func(c *extension, in *spirv.Instruction) {
		if c.Type(in.Type).Kind != KindBool {
			c.faultAt(in, "result type %s: want bool", c.typeText(c.Type(in.Type)))
		}
	}, spirv.OpGroupNonUniformQuadAllKHR, spirv.OpGroupNonUniformQuadAnyKHR)},
	{name: "quad-predicate", sentence: "Predicate must be a Boolean Type.", check: eachOp(func(c *extension, in *spirv.Instruction) {
		if t := c.TypeOf(spirv.ID(in.Operands[0])); t == nil || t.Kind != KindBool {
			c.faultAt(in, "predicate %%%d is %s: want bool", in.Operands[0], c.describe(t))
		}
	}, spirv.OpGroupNonUniformQuadAllKHR, spirv.OpGroupNonUniformQuadAnyKHR)},
}

var gcnModels = set(spirv.ExecutionModelFragment, spirv.ExecutionModelGeometry, spirv.ExecutionModelGLCompute,
	spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation, spirv.ExecutionModelVertex)

func gcnCheck(code uint32, check func(c *extension, in *spirv.Instruction, a []uint32)) func(*extension) {
	return func(c *extension) {
		c.eachExt(gcnSet, func(in *spirv.Instruction, n uint32, a []uint32) {
			if n == code {
				check(c, in, a)
			}
		})
	}
}

// floats reports a vector of n 32-bit floats, or a scalar where n is 1.
func floats(t *Type, n int) bool {
	return t != nil && t.is('f') && t.width() == 32 && t.components() == n && (n > 1) == (t.Kind == KindVector)
}

var gcnRules = []rule{
	{name: "extensions", sentence: "To enable SPV_AMD_gcn_shader extension in SPIR-V, use OpExtension \"SPV_AMD_gcn_shader\""},
	{name: "cube-coord-operand", sentence: "[CubeFaceCoordAMD] The operand <P> must be a pointer to a 3-component 32-bit floating-point vector. (Or such a vector, which compilers emit.)",
		check: gcnCheck(2, func(c *extension, in *spirv.Instruction, a []uint32) {
			t := c.TypeOf(spirv.ID(a[0]))
			if t != nil && t.Kind == KindPointer {
				t = t.Elem
			}
			if !floats(t, 3) {
				c.faultAt(in, "P %%%d is %s: want a vector of 3 float32", a[0], c.describe(t))
			}
		})},
	{name: "cube-coord-result", sentence: "[CubeFaceCoordAMD] Result Type must be a 2-component 32-bit floating-point vector.",
		check: gcnCheck(2, func(c *extension, in *spirv.Instruction, a []uint32) {
			if !floats(c.Type(in.Type), 2) {
				c.faultAt(in, "result type %s: want a vector of 2 float32", c.typeText(c.Type(in.Type)))
			}
		})},
	{name: "cube-index-operand", sentence: "[CubeFaceIndexAMD] The operand <P> must be a 3-component 32-bit floating-point vector.",
		check: gcnCheck(1, func(c *extension, in *spirv.Instruction, a []uint32) {
			if t := c.TypeOf(spirv.ID(a[0])); !floats(t, 3) {
				c.faultAt(in, "P %%%d is %s: want a vector of 3 float32", a[0], c.describe(t))
			}
		})},
	{name: "cube-index-result", sentence: "[CubeFaceIndexAMD] Result Type must be a 32-bit floating-point scalar.",
		check: gcnCheck(1, func(c *extension, in *spirv.Instruction, a []uint32) {
			if !floats(c.Type(in.Type), 1) {
				c.faultAt(in, "result type %s: want float32", c.typeText(c.Type(in.Type)))
			}
		})},
	{name: "capabilities", sentence: "[TimeAMD] Use of this instruction requires declaration of the Int64 capability."},
	{name: "time-result", sentence: "[TimeAMD] Result Type must be a 64-bit unsigned integer scalar.",
		check: gcnCheck(3, func(c *extension, in *spirv.Instruction, a []uint32) {
			if t := c.Type(in.Type); !t.is('U') || t.Width != 64 {
				c.faultAt(in, "result type %s: want uint64", c.typeText(t))
			}
		})},
	{name: "gcn-model", sentence: "This instruction is only valid in Fragment, Geometry, GLCompute, TessellationControl, TessellationEvaluation and Vertex execution models.",
		check: func(c *extension) {
			used := false
			c.eachExt(gcnSet, func(*spirv.Instruction, uint32, []uint32) { used = true })
			if !used {
				return
			}
			for i := range c.EntryPoints {
				e := &c.EntryPoints[i]
				if in := c.reaches(e.Func, gcnSet); in != nil && !gcnModels[e.Model] {
					c.faultAt(in, "reached from %q, of %s", e.Name, e.Model)
				}
			}
		}},
}

// reaches returns an instruction of a set in a function or its callees, or nil.
func (m *Module) reaches(f spirv.ID, set string) (found *spirv.Instruction) {
	m.eachReached(f, func(in *spirv.Instruction) {
		if found == nil && in.Op == spirv.OpExtInst && m.imports[spirv.ID(in.Operands[0])] == set {
			found = in
		}
	})
	return found
}

// eachReached visits the instructions of a function and of its callees.
func (m *Module) eachReached(f spirv.ID, visit func(in *spirv.Instruction)) {
	for _, g := range m.callTree(f) {
		for _, b := range g.Blocks {
			for i := range b.Code {
				visit(&b.Code[i])
			}
		}
	}
}

// callTree returns a function and its callees, each once.
func (m *Module) callTree(f spirv.ID) []*Function {
	seen := map[spirv.ID]bool{f: true}
	list := []*Function{m.Function(f)}
	for n := 0; n < len(list); n++ {
		for _, b := range list[n].Blocks {
			for i := range b.Code {
				if in := &b.Code[i]; in.Op == spirv.OpFunctionCall && !seen[spirv.ID(in.Operands[0])] {
					seen[spirv.ID(in.Operands[0])] = true
					list = append(list, m.Function(spirv.ID(in.Operands[0])))
				}
			}
		}
	}
	return list
}

package validate

import "spvsim/spirv"

// enqueueWork holds results that the rules of SPV_AMDX_shader_enqueue share.
type enqueueWork struct {
	divergence map[spirv.ID]*divergence // by entry point's function
}

var enqueueRules = []rule{
	{name: "enqueue-version", sentence: "This extension requires SPIR-V 1.4.", independent: true, check: versionRule(4)},
	{name: "extensions", sentence: "To use this extension within a SPIR-V module, the following OpExtension must be present in the module: OpExtension \"SPV_AMDX_shader_enqueue\""},
	{name: "capabilities", sentence: "[every instruction, mode, decoration and built-in] Capability: ShaderEnqueueAMDX"},
	{name: "payload-initializer", sentence: "Variables declared with this storage class are readable and writable, and must not have initializers.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if c.TypeOf(in.Result).Storage == spirv.StorageClassNodePayloadAMDX && len(in.Operands) > 1 {
				c.faultAt(in, "initializer %%%d", in.Operands[1])
			}
		}, spirv.OpVariable)},
	{name: "layout", sentence: "In section 2.16, Validation Rules for Shader Capabilities, Add NodePayloadAMDX to the list of storage classes where composite variables must be explicitly laid out."},
	{name: "coalescing-model", sentence: "[CoalescingAMDX] Indicates that a GLCompute shader has coalescing semantics. (GLCompute only)", check: modelRule(spirv.ExecutionModeCoalescingAMDX, spirv.ExecutionModelGLCompute)},
	{name: "coalescing-alone", sentence: "[CoalescingAMDX] Must not be declared alongside StaticNumWorkgroupsAMDX or MaxNumWorkgroupsAMDX.",
		check: pairRule(spirv.ExecutionModeCoalescingAMDX, spirv.ExecutionModeStaticNumWorkgroupsAMDX, spirv.ExecutionModeMaxNumWorkgroupsAMDX)},
	{name: "static-alone", sentence: "[StaticNumWorkgroupsAMDX] Must not be declared alongside CoalescingAMDX or MaxNumWorkgroupsAMDX.",
		check: pairRule(spirv.ExecutionModeStaticNumWorkgroupsAMDX, spirv.ExecutionModeMaxNumWorkgroupsAMDX)},
	{name: "recursion-constant", sentence: "[MaxNodeRecursionAMDX] <id> Number of recursions", check: modeIntRule(spirv.ExecutionModeMaxNodeRecursionAMDX)},
	{name: "api-entry-model", sentence: "[IsApiEntryAMDX] (GLCompute and MeshEXT execution models only)", check: modelRule(spirv.ExecutionModeIsApiEntryAMDX, nodeModels...)},
	{name: "api-entry-bool", sentence: "Is Entry is a scalar Boolean value, with a value of true indicating that it can be dispatched from the API, and false indicating that it cannot.",
		check: eachMode(spirv.ExecutionModeIsApiEntryAMDX, func(c *extension, _ *EntryPoint, m *Mode) {
			if t := c.TypeOf(spirv.ID(m.Args[0])); t == nil || t.Kind != KindBool {
				c.faultAtMode(m, "IsApiEntryAMDX: %%%d is %s: want bool", m.Args[0], c.describe(t))
			}
		})},
	{name: "api-entry-shared", sentence: "Must be set to false if SharesInputWithAMDX is specified.",
		check: eachMode(spirv.ExecutionModeSharesInputWithAMDX, func(c *extension, e *EntryPoint, m *Mode) {
			if entry := e.Mode(spirv.ExecutionModeIsApiEntryAMDX); entry != nil && c.Def(spirv.ID(entry.Args[0])).Op == spirv.OpConstantTrue {
				c.faultAtMode(entry, "IsApiEntryAMDX is true on %q, which shares its input", e.Name)
			}
		})},
	{name: "api-entry-absent", warning: true, sentence: "If not specified, defaults to true. Must be set to false if SharesInputWithAMDX is specified.",
		check: eachMode(spirv.ExecutionModeSharesInputWithAMDX, func(c *extension, e *EntryPoint, m *Mode) {
			if e.Mode(spirv.ExecutionModeIsApiEntryAMDX) == nil {
				c.faultAtMode(m, "%q shares its input and has no IsApiEntryAMDX", e.Name)
			}
		})},
	{name: "static-model", sentence: "[StaticNumWorkgroupsAMDX] (GLCompute and MeshEXT only)", check: modelRule(spirv.ExecutionModeStaticNumWorkgroupsAMDX, nodeModels...)},
	{name: "static-sizes", sentence: "[StaticNumWorkgroupsAMDX] <id> x size <id> y size <id> z size", check: modeIntRule(spirv.ExecutionModeStaticNumWorkgroupsAMDX)},
	{name: "max-model", sentence: "[MaxNumWorkgroupsAMDX] Dispatches must not exceed this value (GLCompute and MeshEXT only)", check: modelRule(spirv.ExecutionModeMaxNumWorkgroupsAMDX, nodeModels...)},
	{name: "max-sizes", sentence: "[MaxNumWorkgroupsAMDX] <id> x size <id> y size <id> z size", check: modeIntRule(spirv.ExecutionModeMaxNumWorkgroupsAMDX)},
	{name: "index-model", sentence: "[ShaderIndexAMDX] Declare the node index for this shader. (GLCompute and MeshEXT only)", check: modelRule(spirv.ExecutionModeShaderIndexAMDX, nodeModels...)},
	{name: "index-constant", sentence: "[ShaderIndexAMDX] <id> Shader Index", check: modeIntRule(spirv.ExecutionModeShaderIndexAMDX)},
	{name: "shares-index", sentence: "[SharesInputWithAMDX] Node Name and Shader Index indicate the node that the input will be shared with.",
		check: eachMode(spirv.ExecutionModeSharesInputWithAMDX, func(c *extension, _ *EntryPoint, m *Mode) {
			if text := c.noNodeIndex(m.Args[1]); text != "" {
				c.faultAtMode(m, "Shader Index: %%%d is %s", m.Args[1], text)
			}
		})},
	{name: "shares-name", sentence: "[SharesInputWithAMDX] Node Name must be an OpConstantStringAMDX or OpSpecConstantStringAMDX instruction.",
		check: eachMode(spirv.ExecutionModeSharesInputWithAMDX, func(c *extension, e *EntryPoint, m *Mode) {
			if !c.nodeName(m.Args[0]) {
				c.faultAtMode(m, "node name %%%d is %s", m.Args[0], c.Def(spirv.ID(m.Args[0])).Op)
			}
		})},
	{name: "max-payloads-target", sentence: "[NodeMaxPayloadsAMDX] Must only be used to decorate an OpTypeNodePayloadArrayAMDX.", check: arrayOnly(spirv.DecorationNodeMaxPayloadsAMDX)},
	{name: "max-payloads", sentence: "OpTypeNodePayloadArrayAMDX must have this decoration. The operand indicates the maximum number of payloads that can be in the array, and the maximum number of payloads that can be enqueued with this type.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			id, ok := c.Decoration(in.Result, spirv.DecorationNodeMaxPayloadsAMDX)
			if !ok {
				c.faultAt(in, "the payload array has no NodeMaxPayloadsAMDX")
			} else if t := c.TypeOf(spirv.ID(id)); t == nil || t.Kind != KindInt || !constant(c.Def(spirv.ID(id)).Op) {
				c.faultAt(in, "NodeMaxPayloadsAMDX: %%%d is not an integer constant", id)
			} else if n, ok := c.constantValue(id); ok && n == 0 {
				c.faultAt(in, "NodeMaxPayloadsAMDX is 0")
			}
		}, spirv.OpTypeNodePayloadArrayAMDX)},
	{name: "shares-limits", sentence: "[NodeSharesPayloadLimitsWithAMDX] Must only be used to decorate an OpTypeNodePayloadArrayAMDX declaration, Payload Type must be a different OpTypeNodePayloadArrayAMDX declaration, and Payload Type must not be itself decorated with NodeSharesPayloadLimitsWithAMDX.",
		check: eachDecoration(spirv.DecorationNodeSharesPayloadLimitsWithAMDX, func(c *extension, in *spirv.Instruction, target spirv.ID, args []uint32) {
			with := spirv.ID(args[0])
			switch {
			case !c.payloadArray(target):
				c.faultAt(in, "%%%d is no OpTypeNodePayloadArrayAMDX", target)
			case !c.payloadArray(with) || with == target:
				c.faultAt(in, "payload type %%%d is not another OpTypeNodePayloadArrayAMDX", with)
			case c.Decorated(with, spirv.DecorationNodeSharesPayloadLimitsWithAMDX):
				c.faultAt(in, "payload type %%%d shares the limits of another itself", with)
			}
		})},
	{name: "shares-limits-maximum", warning: true, sentence: "[NodeSharesPayloadLimitsWithAMDX] Without the decoration, each types's resources are separately allocated against the output limits; by using the decoration only the limits of Payload Type are considered.",
		check: eachDecoration(spirv.DecorationNodeSharesPayloadLimitsWithAMDX, func(c *extension, in *spirv.Instruction, target spirv.ID, _ []uint32) {
			own, _ := c.Decoration(target, spirv.DecorationNodeMaxPayloadsAMDX)
			n, ok := c.constantValue(own)
			if limit, known := c.payloadLimit(target); ok && known && n < limit {
				c.faultAt(in, "the NodeMaxPayloadsAMDX of %%%d, %d, does not count: it shares the limit of another, which is %d", target, n, limit)
			}
		})},
	{name: "node-name-target", sentence: "[PayloadNodeNameAMDX] Must only be used to decorate an OpTypeNodePayloadArrayAMDX declaration.", check: arrayOnly(spirv.DecorationPayloadNodeNameAMDX)},
	{name: "node-name", sentence: "[PayloadNodeNameAMDX] Node Name must be an OpConstantStringAMDX or OpSpecConstantStringAMDX instruction.",
		check: eachDecoration(spirv.DecorationPayloadNodeNameAMDX, func(c *extension, in *spirv.Instruction, _ spirv.ID, args []uint32) {
			if !c.nodeName(args[0]) {
				c.faultAt(in, "node name %%%d is %s", args[0], c.Def(spirv.ID(args[0])).Op)
			}
		})},
	{name: "base-index-target", sentence: "[PayloadNodeBaseIndexAMDX] Must only be used to decorate an OpTypeNodePayloadArrayAMDX declaration.", check: arrayOnly(spirv.DecorationPayloadNodeBaseIndexAMDX)},
	{name: "base-index-type", sentence: "[PayloadNodeBaseIndexAMDX] a base index that will be added to the Node Index when allocating payloads of this type", check: arrayNumber(spirv.DecorationPayloadNodeBaseIndexAMDX)},
	{name: "sparse-target", sentence: "[PayloadNodeSparseArrayAMDX] Must only be used to decorate an OpTypeNodePayloadArrayAMDX declaration.", check: arrayOnly(spirv.DecorationPayloadNodeSparseArrayAMDX)},
	{name: "array-size-target", sentence: "[PayloadNodeArraySizeAMDX] Must only be used to decorate an OpTypeNodePayloadArrayAMDX declaration.", check: arrayOnly(spirv.DecorationPayloadNodeArraySizeAMDX)},
	{name: "array-size-type", sentence: "[PayloadNodeArraySizeAMDX] the maximum node index that can be used when allocating payloads of this type", check: arrayNumber(spirv.DecorationPayloadNodeArraySizeAMDX)},
	{name: "array-size", warning: true, sentence: "If PayloadNodeSparseArrayAMDX is not set to true for a type initialized by OpAllocateNodePayloadsAMDX, this must be specified.",
		check: eachAllocation(func(c *extension, in *spirv.Instruction, array spirv.ID) {
			if !c.Decorated(array, spirv.DecorationPayloadNodeSparseArrayAMDX) && !c.Decorated(array, spirv.DecorationPayloadNodeArraySizeAMDX) {
				c.faultAt(in, "%%%d has neither PayloadNodeSparseArrayAMDX nor PayloadNodeArraySizeAMDX", array)
			}
		})},
	{name: "allocate-index", warning: true, sentence: "[PayloadNodeArraySizeAMDX] indicate the maximum node index that can be used when allocating payloads of this type, including the base index offset in PayloadNodeBaseIndexAMDX decoration (if present). (Indexes are below it. A run that allocates payloads for another ends with a fault.)",
		check: eachAllocation(func(c *extension, in *spirv.Instruction, array spirv.ID) {
			index, known := c.constantValue(in.Operands[2])
			id, sized := c.Decoration(array, spirv.DecorationPayloadNodeArraySizeAMDX)
			base, _ := c.Decoration(array, spirv.DecorationPayloadNodeBaseIndexAMDX)
			first, _ := c.constantValue(base)
			if size, ok := c.constantValue(id); sized && ok && known && uint64(index)+uint64(first) >= uint64(size) {
				c.faultAt(in, "node index %d: PayloadNodeArraySizeAMDX is %d", uint64(index)+uint64(first), size)
			}
		})},
	{name: "finish-target", sentence: "[TrackFinishWritingAMDX] Must only be used to decorate a structure type declaration.",
		check: func(c *extension) {
			c.eachDecoration(spirv.DecorationTrackFinishWritingAMDX, func(in *spirv.Instruction, target spirv.ID, _ []uint32) {
				if t := c.Type(target); t == nil || t.Kind != KindStruct {
					c.faultAt(in, "%%%d is not a structure", target)
				}
			})
			c.eachMember(spirv.DecorationTrackFinishWritingAMDX, func(in *spirv.Instruction, id spirv.ID, member uint32, _ []uint32) {
				c.faultAt(in, "on member %d of %%%d: want OpDecorate", member, id)
			})
		}},
	{name: "indirect-target", sentence: "[PayloadDispatchIndirectAMDX] Must only be used with OpMemberDecorate to decorate the member of a structure.",
		check: eachDecoration(spirv.DecorationPayloadDispatchIndirectAMDX, func(c *extension, in *spirv.Instruction, target spirv.ID, _ []uint32) {
			c.faultAt(in, "on %%%d: want OpMemberDecorate", target)
		})},
	{name: "indirect-type", sentence: "Must decorate a structure member with a type of OpTypeInt or OpTypeVector with two or three components. The integer type or the type of the vector component must be an OpTypeInt with up to 32-bit Width and 0 Signedness.",
		check: eachIndirect(func(c *extension, in *spirv.Instruction, member uint32, t *Type) {
			if t.Kind == KindArray && t.Elem.Kind == KindInt && t.Count >= 1 && t.Count <= 3 {
				t = t.Elem // rule indirect-array
			}
			if !t.is('u') || t.width() > 32 || t.components() > 3 {
				c.faultAt(in, "member %d is %s: want 1 to 3 unsigned integers of up to 32 bits", member, c.typeText(t))
			}
		})},
	{name: "indirect-array", warning: true, sentence: "Must decorate a structure member with a type of OpTypeInt or OpTypeVector with two or three components.",
		check: eachIndirect(func(c *extension, in *spirv.Instruction, member uint32, t *Type) {
			if t.Kind == KindArray {
				c.faultAt(in, "member %d is an array, %s", member, c.typeText(t))
			}
		})},
	{name: "indirect-absent", warning: true, sentence: "[PayloadDispatchIndirectAMDX] Indicates the dispatch indirect arguments describing the number of workgroups to dispatch in a payload.", check: (*extension).indirectAbsent},
	{name: "payload-type", sentence: "[OpTypeNodePayloadArrayAMDX] Payload Type is the type of each payload in the array.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.Type(in.Result).Elem; !payloadKinds[t.Kind] {
				c.faultAt(in, "payload type %s", c.typeText(t))
			}
		}, spirv.OpTypeNodePayloadArrayAMDX)},
	{name: "node-built-ins", sentence: "[RemainingRecursionLevelsAMDX] The number of times this node can still enqueue payloads for itself. [ShaderIndexAMDX] Index assigned to the current shader. (As for every number that a stage is given: a 32-bit integer in storage class Input.)",
		check: eachDecoration(spirv.DecorationBuiltIn, func(c *extension, in *spirv.Instruction, target spirv.ID, args []uint32) {
			b, t := spirv.BuiltIn(args[0]), c.TypeOf(target)
			if b != spirv.BuiltInRemainingRecursionLevelsAMDX && b != spirv.BuiltInShaderIndexAMDX || t == nil {
				return
			}
			switch {
			case t.Kind == KindPointer && t.Storage != spirv.StorageClassInput:
				c.faultAt(in, "%s on %%%d, which is in %s: want Input", b, target, t.Storage)
			case t.Kind == KindPointer && !t.Elem.is('t'):
				c.faultAt(in, "%s on %%%d, a variable of %s: want a 32-bit integer", b, target, c.typeText(t.Elem))
			}
		})},
	{name: "allocate-type", sentence: "[OpAllocateNodePayloadsAMDX] Result Type must be an OpTypePointer to an OpTypeNodePayloadArrayAMDX in the NodePayloadAMDX storage class.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.Type(in.Type); t.Kind != KindPointer || t.Storage != spirv.StorageClassNodePayloadAMDX || t.Elem == nil || t.Elem.Kind != KindNodePayloadArray {
				c.faultAt(in, "result type %s", c.typeText(t))
			}
		}, spirv.OpAllocateNodePayloadsAMDX)},
	{name: "allocate-name", sentence: "The payloads are allocated for the node identified by the Node Name in the PayloadNodeNameAMDX decoration on Result Type",
		check: eachAllocation(func(c *extension, in *spirv.Instruction, array spirv.ID) {
			if !c.Decorated(array, spirv.DecorationPayloadNodeNameAMDX) {
				c.faultAt(in, "%%%d has no PayloadNodeNameAMDX", array)
			}
		})},
	{name: "allocate-count", warning: true, sentence: "Behavior is undefined if Payload Count is greater than the NodeMaxPayloadsAMDX decoration on Result Type. (A run that does this ends with a fault.)",
		check: eachAllocation(func(c *extension, in *spirv.Instruction, array spirv.ID) {
			n, known := c.constantValue(in.Operands[1])
			if limit, ok := c.payloadLimit(array); ok && known && n > limit {
				c.faultAt(in, "payload count %d: NodeMaxPayloadsAMDX is %d", n, limit)
			}
		})},
	{name: "allocate-integers", sentence: "Payload Count is the number of payloads to allocate in the resulting array. [Node Index is an index.]",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			for n := 1; n <= 2; n++ {
				if t := c.TypeOf(spirv.ID(in.Operands[n])); t == nil || t.Kind != KindInt {
					c.faultAt(in, "operand %d: %%%d is %s: want an integer", n, in.Operands[n], c.describe(t))
				}
			}
		}, spirv.OpAllocateNodePayloadsAMDX)},
	{name: "allocate-visibility", sentence: "Visibility must only be either Invocation or Workgroup.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if s, ok := c.constantValue(in.Operands[0]); ok && spirv.Scope(s) != spirv.ScopeWorkgroup && spirv.Scope(s) != spirv.ScopeInvocation {
				c.faultAt(in, "visibility %s", spirv.Scope(s))
			}
		}, spirv.OpAllocateNodePayloadsAMDX)},
	{name: "allocate-uniform", sentence: "Payload Count and Node Index must be dynamically uniform within the scope identified by Visibility.", check: (*extension).uniformOperands},
	{name: "allocate-flow", sentence: "[OpAllocateNodePayloadsAMDX] This instruction must be called in uniform control flow within the same workgroup.", check: uniformFlow(spirv.OpAllocateNodePayloadsAMDX)},
	{name: "enqueue-array", sentence: "[OpEnqueueNodePayloadsAMDX] Payload Array is a pointer to a payload array that was previously allocated by OpAllocateNodePayloadsAMDX.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			def := c.Def(spirv.ID(in.Operands[0]))
			if !c.arrayPointer(in.Operands[0]) {
				c.faultAt(in, "%%%d is not a pointer to a payload array", in.Operands[0])
			} else if def.Op == spirv.OpVariable && c.TypeOf(def.Result).Storage != spirv.StorageClassFunction {
				c.faultAt(in, "%%%d is an input, and was not allocated", in.Operands[0])
			}
		}, spirv.OpEnqueueNodePayloadsAMDX)},
	{name: "enqueue-by-value", warning: true, sentence: "Payload Array is a pointer to a payload array that was previously allocated by OpAllocateNodePayloadsAMDX, or declared via OpVariable in the NodePayloadAMDX storage class as an input.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.TypeOf(spirv.ID(in.Operands[0])); t != nil && t.Kind == KindPointer && t.Storage == spirv.StorageClassFunction {
				c.faultAt(in, "%%%d holds a copy of a payload array", in.Operands[0])
			}
		}, spirv.OpEnqueueNodePayloadsAMDX, spirv.OpNodePayloadArrayLengthAMDX)},
	{name: "enqueue-flow", sentence: "[OpEnqueueNodePayloadsAMDX] This instruction must be called in uniform control flow within the workgroup.", check: uniformFlow(spirv.OpEnqueueNodePayloadsAMDX)},
	{name: "length-result", sentence: "[OpNodePayloadArrayLengthAMDX] Result Type must be an OpTypeInt with 32-bit Width and 0 Signedness.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.Type(in.Type); !t.is('U') || t.Width != 32 {
				c.faultAt(in, "result type %s", c.typeText(t))
			}
		}, spirv.OpNodePayloadArrayLengthAMDX)},
	{name: "length-array", sentence: "[OpNodePayloadArrayLengthAMDX] Must only be used with input payload arrays or allocated output payload arrays.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if !c.arrayPointer(in.Operands[0]) {
				c.faultAt(in, "%%%d is not a pointer to a payload array", in.Operands[0])
			}
		}, spirv.OpNodePayloadArrayLengthAMDX)},
	{name: "valid-result", sentence: "[OpIsNodePayloadValidAMDX] Result Type must be OpTypeBool.", check: boolResult(spirv.OpIsNodePayloadValidAMDX)},
	{name: "valid-type", sentence: "[OpIsNodePayloadValidAMDX] Payload Type must be an OpTypeNodePayloadArrayAMDX declaration.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if c.queriedArray(in) == 0 {
				c.faultAt(in, "operand 0: %%%d is no OpTypeNodePayloadArrayAMDX", in.Operands[0])
			}
		}, spirv.OpIsNodePayloadValidAMDX)},
	{name: "valid-variable", warning: true, sentence: "[OpIsNodePayloadValidAMDX] Payload Type must be an OpTypeNodePayloadArrayAMDX declaration.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if c.queriedArray(in) != 0 && !c.payloadArray(spirv.ID(in.Operands[0])) {
				c.faultAt(in, "operand 0: %%%d is a variable of that type", in.Operands[0])
			}
		}, spirv.OpIsNodePayloadValidAMDX)},
	{name: "valid-integer", sentence: "[OpIsNodePayloadValidAMDX] Check if the node payload identified by the Node Name in the PayloadNodeNameAMDX decoration, with an index equal to the sum of its PayloadNodeBaseIndexAMDX decoration (if present) and Node Index can be allocated.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if t := c.TypeOf(spirv.ID(in.Operands[1])); t == nil || t.Kind != KindInt {
				c.faultAt(in, "operand 1: %%%d is %s: want an integer", in.Operands[1], c.describe(t))
			}
		}, spirv.OpIsNodePayloadValidAMDX)},
	{name: "valid-index", sentence: "NodeIndex must be less than the value specified by the PayloadNodeArraySizeAMDX decoration if specified.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			size, _ := c.Decoration(c.queriedArray(in), spirv.DecorationPayloadNodeArraySizeAMDX)
			n, known := c.constantValue(in.Operands[1])
			if limit, ok := c.constantValue(size); ok && known && n >= limit {
				c.faultAt(in, "node index %d: PayloadNodeArraySizeAMDX is %d", n, limit)
			}
		}, spirv.OpIsNodePayloadValidAMDX)},
	{name: "finish-result", sentence: "[OpFinishWritingNodePayloadAMDX] Result Type must be OpTypeBool.", check: boolResult(spirv.OpFinishWritingNodePayloadAMDX)},
	{name: "finish-payload", sentence: "[OpFinishWritingNodePayloadAMDX] Payload must be the result of an OpVariable in the NodePayloadAMDX storage class.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			def, t := c.Def(spirv.ID(in.Operands[0])), c.TypeOf(spirv.ID(in.Operands[0]))
			if def.Op != spirv.OpVariable && def.Op != spirv.OpFunctionParameter || t.Kind != KindPointer || t.Storage != spirv.StorageClassNodePayloadAMDX {
				c.faultAt(in, "%%%d is %s", in.Operands[0], def.Op)
			}
		}, spirv.OpFinishWritingNodePayloadAMDX)},
	{name: "finish-parameter", warning: true, sentence: "[OpFinishWritingNodePayloadAMDX] Payload must be the result of an OpVariable in the NodePayloadAMDX storage class.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			if c.Def(spirv.ID(in.Operands[0])).Op == spirv.OpFunctionParameter {
				c.faultAt(in, "%%%d is a function's parameter", in.Operands[0])
			}
		}, spirv.OpFinishWritingNodePayloadAMDX)},
	{name: "finish-track", sentence: "Must not be called if the input payload is not decorated with TrackFinishWritingAMDX.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t := c.TypeOf(spirv.ID(in.Operands[0]))
			for t != nil && (t.Kind == KindPointer || t.Kind == KindNodePayloadArray) {
				t = t.Elem
			}
			if t != nil && !c.Decorated(t.ID, spirv.DecorationTrackFinishWritingAMDX) {
				c.faultAt(in, "the payload's type, %%%d, has no TrackFinishWritingAMDX", t.ID)
			}
		}, spirv.OpFinishWritingNodePayloadAMDX)},
	{name: "finish-coalescing", sentence: "[OpFinishWritingNodePayloadAMDX] Must not be called if the shader is using CoalescingAMDX execution mode",
		check: eachMode(spirv.ExecutionModeCoalescingAMDX, func(c *extension, e *EntryPoint, _ *Mode) {
			for _, f := range c.callTree(e.Func) {
				for _, b := range f.Blocks {
					for i := range b.Code {
						if in := &b.Code[i]; in.Op == spirv.OpFinishWritingNodePayloadAMDX {
							c.faultAt(in, "reached from %q, which is CoalescingAMDX", e.Name)
						}
					}
				}
			}
		})},
}

var nodeModels = []spirv.ExecutionModel{spirv.ExecutionModelGLCompute, spirv.ExecutionModelMeshEXT}

func eachMode(kind spirv.ExecutionMode, visit func(c *extension, e *EntryPoint, m *Mode)) func(*extension) {
	return func(c *extension) {
		for i := range c.EntryPoints {
			if m := c.EntryPoints[i].Mode(kind); m != nil {
				visit(c, &c.EntryPoints[i], m)
			}
		}
	}
}

func modelRule(kind spirv.ExecutionMode, models ...spirv.ExecutionModel) func(*extension) {
	ok := set(models...)
	return eachMode(kind, func(c *extension, e *EntryPoint, m *Mode) {
		if !ok[e.Model] {
			c.faultAtMode(m, "%s on %q, of %s", kind, e.Name, e.Model)
		}
	})
}

func pairRule(kind spirv.ExecutionMode, others ...spirv.ExecutionMode) func(*extension) {
	return eachMode(kind, func(c *extension, e *EntryPoint, m *Mode) {
		for _, o := range others {
			if e.Mode(o) != nil {
				c.faultAtMode(m, "%q is %s and %s", e.Name, kind, o)
			}
		}
	})
}

// modeIntRule returns the rule that a mode's operands are 32-bit integer constants.
func modeIntRule(kind spirv.ExecutionMode) func(*extension) {
	return eachMode(kind, func(c *extension, e *EntryPoint, m *Mode) {
		for _, id := range m.Args {
			if t := c.TypeOf(spirv.ID(id)); t == nil || t.Kind != KindInt || t.Width != 32 {
				c.faultAtMode(m, "%s: %%%d is %s: want a 32-bit integer constant", kind, id, c.describe(t))
			}
		}
	})
}

func arrayOnly(kind spirv.Decoration) func(*extension) {
	return func(c *extension) {
		c.eachMember(kind, func(in *spirv.Instruction, id spirv.ID, member uint32, _ []uint32) {
			c.faultAt(in, "member %d of %%%d is no OpTypeNodePayloadArrayAMDX", member, id)
		})
		c.eachDecoration(kind, func(in *spirv.Instruction, target spirv.ID, _ []uint32) {
			if !c.payloadArray(target) {
				c.faultAt(in, "%%%d is no OpTypeNodePayloadArrayAMDX", target)
			}
		})
	}
}

// payloadKinds lists the kinds of types whose values are stored in memory.
var payloadKinds = set(KindInt, KindFloat, KindVector, KindMatrix, KindArray, KindStruct, KindBool, KindPointer, KindOther)

// noNodeIndex describes the fault of an id that must be the index of a node, or a number of indexes: a 32-bit integer
// constant.
func (m *Module) noNodeIndex(id uint32) string {
	t, def := m.TypeOf(spirv.ID(id)), m.Def(spirv.ID(id))
	switch {
	case t == nil || !t.is('t'):
		return m.describe(t) + ": want a 32-bit integer constant"
	case !constant(def.Op):
		return "no constant"
	}
	return ""
}

// arrayNumber returns the rule that a decoration's operand is a node index.
func arrayNumber(kind spirv.Decoration) func(*extension) {
	return eachDecoration(kind, func(c *extension, in *spirv.Instruction, _ spirv.ID, args []uint32) {
		if text := c.noNodeIndex(args[0]); text != "" {
			c.faultAt(in, "%s: %%%d is %s", kind, args[0], text)
		}
	})
}

func boolResult(op spirv.Op) func(*extension) {
	return eachOp(func(c *extension, in *spirv.Instruction) {
		if t := c.Type(in.Type); t.Kind != KindBool {
			c.faultAt(in, "result type %s", c.typeText(t))
		}
	}, op)
}

// eachAllocation visits the allocations of the right type, with that of the
// array.
func eachAllocation(visit func(c *extension, in *spirv.Instruction, array spirv.ID)) func(*extension) {
	return eachOp(func(c *extension, in *spirv.Instruction) {
		if t := c.Type(in.Type); t.Kind == KindPointer && t.Elem != nil && t.Elem.Kind == KindNodePayloadArray {
			visit(c, in, t.Elem.ID)
		}
	}, spirv.OpAllocateNodePayloadsAMDX)
}

// eachIndirect visits the members that hold the number of workgroups of a payload.
func eachIndirect(visit func(c *extension, in *spirv.Instruction, member uint32, t *Type)) func(*extension) {
	return func(c *extension) {
		c.eachMember(spirv.DecorationPayloadDispatchIndirectAMDX, func(in *spirv.Instruction, id spirv.ID, member uint32, _ []uint32) {
			visit(c, in, member, c.Type(id).Members[member])
		})
	}
}

// indirectAbsent reports dynamic nodes whose payloads have no number of workgroups: each starts one.
func (c *extension) indirectAbsent() {
	for i, in := range c.Inputs(nil) {
		e := &c.EntryPoints[i]
		if in.Variable == 0 || (&GraphNode{Entry: e}).launchKind() != "dynamic" {
			continue
		}
		t := c.TypeOf(in.Variable).Elem
		if t.Kind == KindNodePayloadArray {
			t = t.Elem
		}
		if !c.HasIndirect(t) {
			c.faultAt(c.Def(in.Variable), "no member of the input of %q has PayloadDispatchIndirectAMDX: each payload starts one workgroup", e.Name)
		}
	}
}

// HasIndirect reports a member with PayloadDispatchIndirectAMDX, also of a structure within a structure.
func (m *Module) HasIndirect(t *Type) bool { return m.holdsIndirect(t, map[*Type]bool{}) }

// holdsIndirect looks into each type once: structures may hold one another many times.
func (m *Module) holdsIndirect(t *Type, seen map[*Type]bool) bool {
	if t.Kind != KindStruct || seen[t] {
		return false
	}
	seen[t] = true
	for i, member := range t.Members {
		if m.MemberDecorated(t.ID, i, spirv.DecorationPayloadDispatchIndirectAMDX) || m.holdsIndirect(member, seen) {
			return true
		}
	}
	return false
}

// payloadLimit returns the NodeMaxPayloadsAMDX that counts for an array: where it
// shares the limits of another, that one's.
func (m *Module) payloadLimit(array spirv.ID) (uint32, bool) {
	if with, ok := m.Decoration(array, spirv.DecorationNodeSharesPayloadLimitsWithAMDX); ok {
		array = spirv.ID(with)
	}
	most, ok := m.Decoration(array, spirv.DecorationNodeMaxPayloadsAMDX)
	if !ok {
		return 0, false
	}
	return m.constantValue(most)
}

func (m *Module) payloadArray(id spirv.ID) bool {
	t := m.Type(id)
	return t != nil && t.Kind == KindNodePayloadArray
}

// arrayPointer reports a pointer to a payload array, to the payload itself or
// to a copy of the array, as compilers keep in Function variables.
func (m *Module) arrayPointer(id uint32) bool {
	t := m.TypeOf(spirv.ID(id))
	return t != nil && t.Kind == KindPointer && t.Elem != nil && t.Elem.Kind == KindNodePayloadArray &&
		(t.Storage == spirv.StorageClassNodePayloadAMDX || t.Storage == spirv.StorageClassFunction)
}

// nodeName reports a string constant of the extension; OpString is none.
func (m *Module) nodeName(id uint32) bool {
	op := m.Def(spirv.ID(id)).Op
	return op == spirv.OpConstantStringAMDX || op == spirv.OpSpecConstantStringAMDX
}

// queriedArray returns the array type that OpIsNodePayloadValidAMDX asks about, or 0.
func (m *Module) queriedArray(in *spirv.Instruction) spirv.ID {
	id := spirv.ID(in.Operands[0])
	if m.payloadArray(id) {
		return id
	}
	if t := m.TypeOf(id); t != nil && t.Kind == KindPointer && t.Elem != nil && t.Elem.Kind == KindNodePayloadArray {
		return t.Elem.ID
	}
	return 0
}

package validate

import "spvsim/spirv"

// stageRules lists the rules of the interfaces of entry points: inputs, outputs, and the work of mesh shaders.
var stageRules = []rule{
	{name: "location-once", sentence: "[VUID-StandaloneSpirv-OpEntryPoint-08721, 08722] Each OpEntryPoint must not have more than one Input [Output] variable with the same Location and Component [and Index].",
		check: eachInterface(func(c *extension, e *EntryPoint, id spirv.ID, t *Type, seen map[slot]spirv.ID) {
			at, ok := c.Decoration(id, spirv.DecorationLocation)
			if !ok || e.Model != spirv.ExecutionModelFragment && e.Model != spirv.ExecutionModelVertex || c.Decorated(id, spirv.DecorationPerVertexKHR) {
				return
			}
			component, _ := c.Decoration(id, spirv.DecorationComponent)
			index, _ := c.Decoration(id, spirv.DecorationIndex)
			s := &slots{seen: seen, first: slot{t.Storage, index, 0, 0}, id: id}
			if s.assign(t.Elem, at, component); s.conflict != 0 {
				c.faultAt(c.Def(id), "location %d of entry point %q is that of %%%d too", s.location, e.Name, s.conflict)
			}
		})},
	{name: "built-in-location", sentence: "[VUID-StandaloneSpirv-Location-04915] The Location or Component decorations must not be used with BuiltIn. [VUID-StandaloneSpirv-Location-04918] [...] the members of a structure that is no Block, or of a variable with Location, must not be decorated with Location.",
		check: eachInterface(func(c *extension, _ *EntryPoint, id spirv.ID, t *Type, _ map[slot]spirv.ID) {
			located := c.Decorated(id, spirv.DecorationLocation) || c.Decorated(id, spirv.DecorationComponent)
			if located && c.Decorated(id, spirv.DecorationBuiltIn) {
				c.faultAt(c.Def(id), "a built-in with a location")
			}
			inner := base(t.Elem)
			for n := range inner.Members {
				if inner.Kind == KindStruct && c.MemberDecorated(inner.ID, n, spirv.DecorationLocation) && (located || !c.block(inner) || c.MemberDecorated(inner.ID, n, spirv.DecorationBuiltIn)) {
					c.faultAt(c.Def(id), "member %d has a location: want a Block without one, and no built-in", n)
					return
				}
			}
		})},
	{name: "built-in-once", sentence: "[VUID-StandaloneSpirv-OpEntryPoint-09658, 09659] Each OpEntryPoint must not have two or more Input [Output] variables decorated with the same BuiltIn.",
		check: func(c *extension) {
			for i := range c.EntryPoints {
				seen := map[[2]uint32]bool{}
				for _, id := range c.EntryPoints[i].Interface {
					t := c.TypeOf(id)
					if t == nil || t.Kind != KindPointer || t.Elem == nil || !stageClasses[t.Storage] {
						continue
					}
					for _, kind := range c.builtInsOf(id, t) {
						if key := [2]uint32{uint32(t.Storage), kind}; seen[key] {
							c.faultAt(c.Def(id), "a second variable with the built-in %s in %s", spirv.BuiltIn(kind), t.Storage)
						} else {
							seen[key] = true
						}
					}
				}
			}
		}},
	{name: "push-constants", sentence: "[VUID-StandaloneSpirv-OpVariable-06673] There must not be more than one variable in the PushConstant storage class listed in the Interface for each OpEntryPoint.",
		check: func(c *extension) {
			for i := range c.EntryPoints {
				first := spirv.ID(0)
				for _, id := range c.EntryPoints[i].Interface {
					if t := c.TypeOf(id); t == nil || t.Kind != KindPointer || t.Storage != spirv.StorageClassPushConstant {
						continue
					}
					if first != 0 {
						c.faultAt(c.Def(id), "entry point %q has push constants in %%%d already", c.EntryPoints[i].Name, first)
					}
					first = id
				}
			}
		}},
	{name: "component", sentence: "[VUID-StandaloneSpirv-Component-04921, 04922, 10583] The Component decoration must not specify [...] a sequence of components that is larger than 3. [...] must only be on a scalar or a vector, or an array of them.",
		check: func(c *extension) {
			test := func(in *spirv.Instruction, first uint32, t *Type) {
				for t.Kind == KindArray {
					t = t.Elem
				}
				n := uint32(t.components())
				if t.width() == 64 {
					n *= 2
				}
				switch {
				case !t.Scalar() && t.Kind != KindVector:
					c.faultAt(in, "Component of %s: want a scalar or a vector", c.typeText(t))
				case first > 3 || first+n > 4:
					c.faultAt(in, "Component %d of %s: it ends at %d, want 3 at most", first, c.typeText(t), first+n-1)
				}
			}
			c.eachDecoration(spirv.DecorationComponent, func(in *spirv.Instruction, target spirv.ID, a []uint32) {
				if t := c.TypeOf(target); t != nil && t.Kind == KindPointer && t.Elem != nil {
					test(in, a[0], t.Elem)
				}
			})
			c.eachMember(spirv.DecorationComponent, func(in *spirv.Instruction, structure spirv.ID, member uint32, a []uint32) {
				test(in, a[0], c.Type(structure).Members[member])
			})
		}},
	{name: "flat", sentence: "[VUID-StandaloneSpirv-Flat-04744] Any variable with integer or double-precision floating-point type and with Input storage class in a fragment shader, must be decorated Flat. (glslang leaves it out for some built-ins.)", warning: true,
		check: eachInterface(func(c *extension, e *EntryPoint, id spirv.ID, t *Type, _ map[slot]spirv.ID) {
			whole := t.Elem.is('i') || t.Elem.is('F') && t.Elem.Width == 64
			if e.Model == spirv.ExecutionModelFragment && t.Storage == spirv.StorageClassInput && whole && !c.Decorated(id, spirv.DecorationFlat) {
				c.faultAt(c.Def(id), "an input of %s without Flat", c.typeText(t.Elem))
			}
		})},
	{name: "interpolation-stage", sentence: "[VUID-StandaloneSpirv-Flat-06201, 06202] The Flat, NoPerspective, Sample, and Centroid decorations must not be used on variables with the Output storage class in a fragment shader [or] the Input storage class in a vertex shader. [VUID-StandaloneSpirv-PerVertexKHR-06777] PerVertexKHR must only be used [...] in a fragment shader. [Index] Only valid with the Fragment Execution Model.",
		check: eachInterface(func(c *extension, e *EntryPoint, id spirv.ID, t *Type, _ map[slot]spirv.ID) {
			fragment, input := e.Model == spirv.ExecutionModelFragment, t.Storage == spirv.StorageClassInput
			for _, d := range c.Decorations(id) {
				switch d.Kind {
				case spirv.DecorationFlat, spirv.DecorationNoPerspective, spirv.DecorationSample, spirv.DecorationCentroid:
					if fragment && !input || e.Model == spirv.ExecutionModelVertex && input {
						c.faultAt(c.Def(id), "%s in %s of entry point %q, of %s", d.Kind, t.Storage, e.Name, e.Model)
					}
				case spirv.DecorationPerVertexKHR, spirv.DecorationIndex:
					if !fragment {
						c.faultAt(c.Def(id), "%s in entry point %q, of %s: want Fragment", d.Kind, e.Name, e.Model)
					}
				}
			}
		})},
	{name: "interface-type", sentence: "[VUID-StandaloneSpirv-OpTypeFloat-10370, 10823] OpVariable of bfloat16 or an 8-bit float must not be declared with a Storage Class of Input or Output. [VUID-StandaloneSpirv-Input-09557] Any variable in Input or Output must not contain a PhysicalStorageBuffer pointer.",
		check: eachOp(func(c *extension, in *spirv.Instruction) {
			t := c.TypeOf(in.Result)
			if !stageClasses[t.Storage] || t.Elem == nil {
				return
			}
			if p := heldPointer(t.Elem, map[*Type]bool{}); p != nil {
				c.faultAt(in, "a pointer to %s in %s", p.Storage, t.Storage)
			}
			eachScalar(t.Elem, func(s *Type) {
				if s.Encoded {
					c.faultAt(in, "%s in %s", c.typeText(s), t.Storage)
				}
			})
		}, spirv.OpVariable)},
	{name: "mesh-arrays", sentence: "[MeshEXT] All Output variables that are user-defined, or per vertex or primitive, must be arrays. [PerPrimitiveEXT] Only valid on a variable or member of Output in MeshEXT, or of Input in Fragment.",
		check: eachInterface(func(c *extension, e *EntryPoint, id spirv.ID, t *Type, _ map[slot]spirv.ID) {
			if e.Model != spirv.ExecutionModelMeshEXT {
				return
			}
			if t.Storage == spirv.StorageClassOutput && t.Elem.Kind != KindArray {
				c.faultAt(c.Def(id), "an output of %s: want an array", c.typeText(t.Elem))
			}
			if t.Storage == spirv.StorageClassInput && c.Decorated(id, spirv.DecorationPerPrimitiveEXT) {
				c.faultAt(c.Def(id), "PerPrimitiveEXT on an input of entry point %q", e.Name)
			}
		})},
	{name: "mesh-indices", sentence: "[VUID-PrimitivePointIndicesEXT-07042, 07046, PrimitiveLineIndicesEXT-07048, 07052, PrimitiveTriangleIndicesEXT-07054, 07058, CullPrimitiveEXT-10589] [The built-in] must be used with [its] Execution Mode. The size of the array [...] must match the value specified by OutputPrimitivesEXT.",
		check: meshIndices},
	{name: "mesh-counts", sentence: "[OpSetMeshOutputsEXT, VUID-MeshEXT-07332, 07333] The Vertex Count must be less than or equal to OutputVertices, the Primitive Count to OutputPrimitivesEXT.",
		check: func(c *extension) {
			for i := range c.EntryPoints {
				e := &c.EntryPoints[i]
				c.Module.eachReached(e.Func, func(in *spirv.Instruction) {
					if in.Op != spirv.OpSetMeshOutputsEXT {
						return
					}
					for n, kind := range []spirv.ExecutionMode{spirv.ExecutionModeOutputVertices, spirv.ExecutionModeOutputPrimitivesEXT} {
						count, known := c.constantValue(in.Operands[n])
						if mode := e.Mode(kind); known && mode != nil && len(mode.Args) > 0 && count > mode.Args[0] {
							c.faultAt(in, "%d: entry point %q has %s %d", count, e.Name, kind, mode.Args[0])
						}
					}
				})
			}
		}},
	{name: "mesh-read", sentence: "[VUID-StandaloneSpirv-MeshEXT-07107] OpLoad must not be used to load an Output variable in the MeshEXT Execution Model.",
		check: func(c *extension) {
			for i := range c.EntryPoints {
				if e := &c.EntryPoints[i]; e.Model == spirv.ExecutionModelMeshEXT {
					c.Module.eachReached(e.Func, func(in *spirv.Instruction) {
						if in.Op != spirv.OpLoad {
							return
						}
						if t := c.TypeOf(spirv.ID(in.Operands[0])); t.Kind == KindPointer && t.Storage == spirv.StorageClassOutput {
							c.faultAt(in, "a load of an output in %q", e.Name)
						}
					})
				}
			}
		}},
}

// A slot is one component of a location.
type slot struct {
	class               spirv.StorageClass
	index               uint32
	location, component uint32
}

// slots notes which slots a variable takes.
type slots struct {
	seen     map[slot]spirv.ID
	first    slot
	id       spirv.ID
	conflict spirv.ID // a variable that has one of them already
	location uint32   // where
	visited  int      // looked at
}

// mostLocations bounds the locations that are looked at, above any device's.
const mostLocations = 1 << 10

// mostParts bounds the parts of a type that are looked at: structures may hold one another many times.
const mostParts = 1 << 14

// assign notes a type from a location on, and returns how many locations it takes. Members have theirs one after another.
func (s *slots) assign(t *Type, at, component uint32) uint32 {
	if s.visited++; at > mostLocations || s.conflict != 0 || s.visited > mostParts {
		return 1
	}
	n := uint32(0)
	switch t.Kind {
	case KindArray, KindMatrix:
		for range min(uint32(max(t.Count, 1)), mostLocations) {
			n += s.assign(t.Elem, at+n, component)
		}
		return n
	case KindStruct:
		for _, member := range t.Members {
			n += s.assign(member, at+n, 0)
		}
		return n
	}
	count := uint32(t.components())
	if t.Scalar() || t.Kind == KindVector {
		if t.width() == 64 {
			count *= 2
		}
	}
	for i := range count {
		p := s.first
		p.location, p.component = at+(component+i)/4, (component+i)%4
		if other := s.seen[p]; other != 0 {
			s.conflict, s.location = other, p.location
			return 1
		}
		s.seen[p] = s.id
	}
	return (component + count + 3) / 4
}

// eachInterface visits the inputs and outputs of each entry point, each once, with the slots that preceding ones take.
func (c *extension) eachInterface(visit func(e *EntryPoint, id spirv.ID, t *Type, seen map[slot]spirv.ID)) {
	for i := range c.EntryPoints {
		taken, listed := map[slot]spirv.ID{}, map[spirv.ID]bool{}
		for _, id := range c.EntryPoints[i].Interface {
			if t := c.TypeOf(id); t != nil && t.Kind == KindPointer && t.Elem != nil && stageClasses[t.Storage] && !listed[id] {
				listed[id] = true
				visit(&c.EntryPoints[i], id, t, taken)
			}
		}
	}
}

// eachInterface returns the rule that visits the inputs and outputs of each entry point.
func eachInterface(visit func(c *extension, e *EntryPoint, id spirv.ID, t *Type, seen map[slot]spirv.ID)) func(*extension) {
	return func(c *extension) {
		c.eachInterface(func(e *EntryPoint, id spirv.ID, t *Type, seen map[slot]spirv.ID) { visit(c, e, id, t, seen) })
	}
}

// builtInsOf returns the built-ins that a variable is or holds.
func (c *extension) builtInsOf(id spirv.ID, t *Type) (list []uint32) {
	if kind, ok := c.Decoration(id, spirv.DecorationBuiltIn); ok {
		return []uint32{kind}
	}
	inner := base(t.Elem)
	for n := range inner.Members {
		if kind, ok := c.MemberDecoration(inner.ID, n, spirv.DecorationBuiltIn); ok && inner.Kind == KindStruct {
			list = append(list, kind)
		}
	}
	return list
}

// indexModes maps the built-ins for the indices of primitives to their execution modes.
var indexModes = map[spirv.BuiltIn]spirv.ExecutionMode{
	spirv.BuiltInPrimitivePointIndicesEXT:    spirv.ExecutionModeOutputPoints,
	spirv.BuiltInPrimitiveLineIndicesEXT:     spirv.ExecutionModeOutputLinesEXT,
	spirv.BuiltInPrimitiveTriangleIndicesEXT: spirv.ExecutionModeOutputTrianglesEXT,
}

func meshIndices(c *extension) {
	c.eachInterface(func(e *EntryPoint, id spirv.ID, t *Type, _ map[slot]spirv.ID) {
		kind, ok := c.Decoration(id, spirv.DecorationBuiltIn)
		mode, indices := indexModes[spirv.BuiltIn(kind)]
		if !ok || e.Model != spirv.ExecutionModelMeshEXT || !indices && spirv.BuiltIn(kind) != spirv.BuiltInCullPrimitiveEXT {
			return
		}
		if indices && e.Mode(mode) == nil {
			c.faultAt(c.Def(id), "%s in entry point %q: want the mode %s", spirv.BuiltIn(kind), e.Name, mode)
		}
		if most := e.Mode(spirv.ExecutionModeOutputPrimitivesEXT); most != nil && len(most.Args) > 0 && t.Elem.Kind == KindArray && t.Elem.Count > 0 && uint32(t.Elem.Count) != most.Args[0] {
			c.faultAt(c.Def(id), "%d of %s: entry point %q has OutputPrimitivesEXT %d", t.Elem.Count, spirv.BuiltIn(kind), e.Name, most.Args[0])
		}
	})
}

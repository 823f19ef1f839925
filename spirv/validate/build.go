package validate

import (
	"context"

	"spvsim/spirv"
)

// Check builds the indexed view of a decoded module and tests the rules. Errors wrap ErrInvalid or ErrUnsupported.
// Unsupported features are reported first, because the rules don't cover them.
func Check(raw *spirv.Module) (*Module, error) { return CheckContext(context.Background(), raw) }

// CheckContext is Check that stops with the context's error when the context ends.
func CheckContext(ctx context.Context, raw *spirv.Module) (*Module, error) {
	m, err := check(ctx, raw)
	return m, withSource(raw.Source, err)
}

func check(ctx context.Context, raw *spirv.Module) (*Module, error) {
	if err := supported(raw); err != nil {
		return nil, err
	}
	raw, err := typedVariables(raw)
	if err != nil {
		return nil, err
	}
	m, err := build(ctx, raw)
	if err != nil {
		return nil, err
	}
	m.imply()
	if err := runRules(ctx, m); err != nil {
		return nil, err
	}
	if m.Kernels() {
		m.orderBlocks()
	}
	return m, nil
}

type checker struct {
	m        *Module
	pointers []*Type
}

func build(ctx context.Context, raw *spirv.Module) (*Module, error) {
	n := raw.Bound
	m := &Module{
		Raw: raw, defs: make([]*spirv.Instruction, n), types: make([]*Type, n),
		names: make([]string, n), decorations: make([][]Decoration, n),
		members: map[memberKey][]Decoration{}, memberNames: map[memberKey]string{},
		imports: map[spirv.ID]string{}, strings: map[spirv.ID]string{},
		functions:    map[spirv.ID]*Function{},
		Capabilities: map[spirv.Capability]bool{}, Extensions: map[string]bool{},
		Lines: make([]uint32, len(raw.Instructions)),
	}
	c := &checker{m: m}
	for _, step := range []func() error{c.define, c.uses, c.global, c.modes, c.declare, c.body, c.entries} {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	c.m.eachLine(func(i int, _ spirv.ID, line uint32) { c.m.Lines[i] = line })
	return m, nil
}

// defIndex returns the position of an instruction, which is one of Raw.
func (m *Module) defIndex(in *spirv.Instruction) int { return in.Word }

// define records the result ids.
func (c *checker) define() error {
	for i := range c.m.Raw.Instructions {
		in := &c.m.Raw.Instructions[i]
		if in.Result == 0 {
			continue
		}
		if first := c.m.defs[in.Result]; first != nil {
			return FaultAt(in, "ids", "%%%d is defined already at word %d", in.Result, first.Word)
		}
		c.m.defs[in.Result] = in
	}
	return nil
}

// uses tests that every id operand is defined somewhere.
func (c *checker) uses() error {
	ctx := spirv.NewContext(int(min(c.m.Raw.Bound, 1<<16)))
	var in *spirv.Instruction
	visit := func(index int, id spirv.ID) error {
		if c.m.Def(id) == nil {
			return FaultAt(in, "ids", "operand %d: %%%d is not defined", index, id)
		}
		return nil
	}
	for i := range c.m.Raw.Instructions {
		in = &c.m.Raw.Instructions[i]
		if in.Type != 0 && c.m.Def(in.Type) == nil {
			return FaultAt(in, "ids", "type %%%d is not defined", in.Type)
		}
		if err := spirv.WalkIDs(in, ctx, visit); err != nil {
			return err
		}
		ctx.Note(in)
	}
	return nil
}

// globals has a row for each instruction of the module's preamble that the view keeps.
var globals = map[spirv.Op]func(c *checker, in *spirv.Instruction) error{
	spirv.OpCapability: func(c *checker, in *spirv.Instruction) error {
		c.m.Capabilities[spirv.Capability(in.Operands[0])] = true
		return nil
	},
	spirv.OpExtension: func(c *checker, in *spirv.Instruction) error {
		s, _ := spirv.DecodeString(in.Operands)
		c.m.Extensions[s] = true
		return nil
	},
	spirv.OpExtInstImport: func(c *checker, in *spirv.Instruction) error {
		c.m.imports[in.Result], _ = spirv.DecodeString(in.Operands)
		return nil
	},
	spirv.OpMemoryModel: func(c *checker, in *spirv.Instruction) error {
		c.m.Addressing = spirv.AddressingModel(in.Operands[0])
		c.m.Memory = spirv.MemoryModel(in.Operands[1])
		return nil
	},
	spirv.OpString: func(c *checker, in *spirv.Instruction) error {
		c.m.strings[in.Result], _ = spirv.DecodeString(in.Operands)
		return nil
	},
	spirv.OpName: func(c *checker, in *spirv.Instruction) error {
		c.m.names[in.Operands[0]], _ = spirv.DecodeString(in.Operands[1:])
		return nil
	},
	spirv.OpMemberName: func(c *checker, in *spirv.Instruction) error {
		s, _ := spirv.DecodeString(in.Operands[2:])
		c.m.memberNames[memberKey{spirv.ID(in.Operands[0]), in.Operands[1]}] = s
		return nil
	},
	spirv.OpEntryPoint:           (*checker).entryPoint,
	spirv.OpDecorate:             (*checker).decorate,
	spirv.OpDecorateId:           (*checker).decorate,
	spirv.OpDecorateString:       (*checker).decorate,
	spirv.OpMemberDecorate:       (*checker).decorateMember,
	spirv.OpMemberDecorateString: (*checker).decorateMember,
	spirv.OpGroupDecorate:        (*checker).groupDecorate,
	spirv.OpGroupMemberDecorate:  (*checker).groupMemberDecorate,
}

func (c *checker) global() error {
	for i := range c.m.Raw.Instructions {
		in := &c.m.Raw.Instructions[i]
		if row := globals[in.Op]; row != nil {
			if err := row(c, in); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) entryPoint(in *spirv.Instruction) error {
	name, n := spirv.DecodeString(in.Operands[2:])
	e := EntryPoint{Name: name, Model: spirv.ExecutionModel(in.Operands[0]), Func: spirv.ID(in.Operands[1]), Word: in.Word}
	for _, w := range in.Operands[2+n:] {
		e.Interface = append(e.Interface, spirv.ID(w))
	}
	c.m.EntryPoints = append(c.m.EntryPoints, e)
	return nil
}

func (c *checker) decorate(in *spirv.Instruction) error {
	o := in.Operands
	c.m.decorations[o[0]] = append(c.m.decorations[o[0]], Decoration{Kind: spirv.Decoration(o[1]), Args: o[2:]})
	return nil
}

func (c *checker) decorateMember(in *spirv.Instruction) error {
	o := in.Operands
	k := memberKey{spirv.ID(o[0]), o[1]}
	c.m.members[k] = append(c.m.members[k], Decoration{Kind: spirv.Decoration(o[2]), Args: o[3:]})
	return nil
}

// maxGrouped bounds the decorations that groups multiply out to, so that a
// small module cannot ask for a lot of memory.
const maxGrouped = 1 << 20

func (c *checker) group(in *spirv.Instruction, targets int) ([]Decoration, error) {
	group := c.m.Decorations(spirv.ID(in.Operands[0]))
	if len(group)*targets > maxGrouped {
		return nil, FaultAt(in, "decorations", "the group has too many decorations")
	}
	return group, nil
}

func (c *checker) groupDecorate(in *spirv.Instruction) error {
	group, err := c.group(in, len(in.Operands))
	if err != nil {
		return err
	}
	for _, w := range in.Operands[1:] {
		if w == in.Operands[0] {
			return FaultAt(in, "decorations", "the group is its own target")
		}
		c.m.decorations[w] = append(c.m.decorations[w], group...)
	}
	return nil
}

func (c *checker) groupMemberDecorate(in *spirv.Instruction) error {
	group, err := c.group(in, len(in.Operands))
	if err != nil {
		return err
	}
	for i := 1; i+1 < len(in.Operands); i += 2 {
		k := memberKey{spirv.ID(in.Operands[i]), in.Operands[i+1]}
		c.m.members[k] = append(c.m.members[k], group...)
	}
	return nil
}

// modes returns the execution modes to the entry points of their function.
func (c *checker) modes() error {
	for i := range c.m.Raw.Instructions {
		in := &c.m.Raw.Instructions[i]
		if in.Op != spirv.OpExecutionMode && in.Op != spirv.OpExecutionModeId {
			continue
		}
		mode := Mode{Kind: spirv.ExecutionMode(in.Operands[1]), Args: in.Operands[2:],
			IDs: in.Op == spirv.OpExecutionModeId, Word: in.Word}
		found := false
		for j := range c.m.EntryPoints {
			if e := &c.m.EntryPoints[j]; e.Func == spirv.ID(in.Operands[0]) {
				e.Modes, found = append(e.Modes, mode), true
			}
		}
		if !found {
			return FaultAt(in, "entry points", "%%%d is not an entry point", in.Operands[0])
		}
	}
	return nil
}

// declare builds the types, in the order of the module.
func (c *checker) declare() error {
	for i := range c.m.Raw.Instructions {
		in := &c.m.Raw.Instructions[i]
		if !declaresType(in.Op) || in.Result == 0 || c.m.types[in.Result] != nil {
			continue
		}
		t := &Type{ID: in.Result, Kind: KindOther, Def: in}
		if make := typeMakers[in.Op]; make != nil {
			if err := make(c, in, t); err != nil {
				return err
			}
		}
		c.m.types[in.Result] = t
	}
	for _, t := range c.pointers {
		if t.Elem = c.m.Type(spirv.ID(t.Def.Operands[1])); t.Elem == nil {
			return FaultAt(t.Def, "types", "%%%d is not a type", t.Def.Operands[1])
		}
	}
	return nil
}

// declaresType goes by the class of the grammar, which calls the payload
// array of the provisional extension reserved.
func declaresType(op spirv.Op) bool {
	g := op.Grammar()
	return g != nil && (g.Class == "Type-Declaration" || op == spirv.OpTypeNodePayloadArrayAMDX)
}

// declaredType returns a type that another is made of, which is before it.
func (c *checker) declaredType(in *spirv.Instruction, id uint32) (*Type, error) {
	t := c.m.Type(spirv.ID(id))
	if t != nil {
		return t, nil
	}
	// Only pointers declared forward may come later.
	if def := c.m.Def(spirv.ID(id)); def != nil && def.Op == spirv.OpTypePointer {
		return c.forward(def), nil
	}
	return nil, FaultAt(in, "types", "%%%d is not a type declared before", id)
}

// forward declares a pointer type ahead of its place.
func (c *checker) forward(def *spirv.Instruction) *Type {
	t := &Type{ID: def.Result, Kind: KindPointer, Storage: spirv.StorageClass(def.Operands[0]), Def: def}
	c.m.types[def.Result] = t
	c.pointers = append(c.pointers, t)
	return t
}

// terminators end a block.
func terminator(op spirv.Op) bool {
	switch op {
	case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue,
		spirv.OpKill, spirv.OpUnreachable, spirv.OpTerminateInvocation, spirv.OpIgnoreIntersectionKHR,
		spirv.OpTerminateRayKHR, spirv.OpEmitMeshTasksEXT:
		return true
	}
	return false
}

// body cuts the functions into blocks.
func (c *checker) body() error {
	var f *Function
	list := c.m.Raw.Instructions
	for i := 0; i < len(list); i++ {
		in := &list[i]
		switch {
		case in.Op == spirv.OpFunction:
			if f != nil {
				return FaultAt(in, "functions", "a function within a function")
			}
			f = &Function{ID: in.Result, Def: in, byID: map[spirv.ID]*Block{}}
			if f.Type = c.m.Type(spirv.ID(in.Operands[1])); f.Type == nil || f.Type.Kind != KindFunction {
				return FaultAt(in, "functions", "%%%d is not a function type", in.Operands[1])
			}
		case f == nil:
			if in.Op == spirv.OpLabel || in.Op == spirv.OpFunctionEnd || in.Op == spirv.OpFunctionParameter {
				return FaultAt(in, "functions", "outside of a function")
			}
		case in.Op == spirv.OpFunctionParameter:
			f.Params = append(f.Params, *in)
		case in.Op == spirv.OpFunctionEnd:
			if err := c.finish(f); err != nil {
				return err
			}
			f = nil
		case in.Op == spirv.OpLabel:
			b, err := c.block(list, i)
			if err != nil {
				return err
			}
			f.Blocks, f.byID[b.ID] = append(f.Blocks, b), b
			i += len(b.Code)
		case !debugLine(in):
			return FaultAt(in, "functions", "outside of a block")
		}
	}
	if f != nil {
		return FaultAt(f.Def, "functions", "the function has no OpFunctionEnd")
	}
	return nil
}

func debugLine(in *spirv.Instruction) bool {
	return in.Op == spirv.OpLine || in.Op == spirv.OpNoLine || in.Op == spirv.OpExtInst
}

func (c *checker) finish(f *Function) error {
	if len(f.Params) != len(f.Type.Members) {
		return FaultAt(f.Def, "functions", "%d parameters: the type has %d", len(f.Params), len(f.Type.Members))
	}
	for i := range f.Params {
		if f.Params[i].Type != f.Type.Members[i].ID {
			return FaultAt(&f.Params[i], "functions", "the type of the parameter is not the function type's")
		}
	}
	c.m.Functions = append(c.m.Functions, f)
	c.m.functions[f.ID] = f
	return nil
}

// block returns the block whose label is at index i of list.
func (c *checker) block(list []spirv.Instruction, i int) (*Block, error) {
	for j := i + 1; j < len(list); j++ {
		in := &list[j]
		if terminator(in.Op) {
			return &Block{ID: list[i].Result, Code: list[i+1 : j+1 : j+1], First: i + 1}, nil
		}
		if in.Op == spirv.OpLabel || in.Op == spirv.OpFunction || in.Op == spirv.OpFunctionEnd {
			break
		}
	}
	return nil, FaultAt(&list[i], "functions", "the block has no terminator")
}

func (c *checker) entries() error {
	for _, e := range c.m.EntryPoints {
		if f := c.m.Function(e.Func); f == nil || len(f.Blocks) == 0 {
			return Fault{Word: e.Word, Op: spirv.OpEntryPoint, Rule: "entry points",
				Text: "the entry point is not a function with a body"}
		}
	}
	return nil
}

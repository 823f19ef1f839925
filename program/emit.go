package program

import (
	"context"
	"fmt"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/program/opt"
	"spvsim/spirv/validate"
)

// emitter turns the ordered blocks into wave instructions.
type emitter struct {
	fitted
	f           *ir.Func
	expand      func(in *isa.Inst) []isa.Class
	pairs       Pairs
	first       []*ir.Value // by id of a packed pair's second value: its first; shorter than the ids of what spilling added
	pre         []*ir.Value // values in registers from the wave's start
	invertLoops bool        // loops end with the test that they begin with

	insts []isa.Inst
	start []int32 // by place: the block's first instruction
	fixes []fix
	masks []int // by place: scalar word in which lanes wait, -1 if none

	workgroupBarriers barrierPlaces
	tables            *descriptorPlan // nil where buffers are pointers
	grid              *gridPlan       // nil where a wave has the numbers of workgroups, or needs none
	beforeGFX10       bool            // every instruction issues for four cycles
	limits            bool            // a register bounds accesses to the LDS
	limit             int             // its word
	limited           []int           // places at which it is set
	current           int             // the place that is being emitted

	scalarWords, vectorRows int
	spareRows               []int    // pairs of rows that cycles of moves have needed, and that are free
	modRow                  int      // the first of three rows for sources with signs, -1 until needed
	scratch                 []uint32 // by local id: first word
	scratchWords            uint32
	uses                    []int // by value id
	waveSize                int
	vectorRegs              int                       // as the driver counts them
	moved                   []int                     // by id of an access: registers that the driver copies for it; nil where that is not modelled
	projs                   map[*ir.Value][]*ir.Value // the further results of operations that have several
}

// A fix is a branch whose target block has no address yet. Place len(order) is the end of the program.
type fix struct{ inst, target int }

// emit lowers a function whose uniform values are marked.
func emit(ctx context.Context, f *ir.Func, t *Target) (*Program, error) {
	waveSize := t.WaveSize
	oneReturn(f)
	oneLatch(f)
	pre := hoistPreset(f)
	legalise(f, waveSize)
	dropBarriers(f, t)
	if err := checkTables(f); err != nil {
		return nil, err
	}
	var first []*ir.Value
	if t.Pairs.Packed {
		first = opt.Superwords(f)
	}
	x := fit(ctx, f, pre, t)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := x.regs.allocate(f, x.fl, x.lv, waveSize); err != nil {
		return nil, err
	}
	e := &emitter{fitted: x, f: f, expand: t.expand, pairs: t.Pairs, invertLoops: !t.Descriptors, pre: pre, first: first,
		scalarWords: x.regs.scalarWords, vectorRows: x.regs.vectorRows, modRow: -1, waveSize: waveSize, beforeGFX10: t.LoadsGrid, limits: t.LimitsLDS, projs: findResults(f)}
	e.countUses()
	e.placeLocals()
	e.placeMasks()
	if t.Descriptors {
		e.planDescriptors()
	}
	e.allocateAsDriver(pre, t)
	if t.LoadsGrid {
		e.planGrid()
	}
	if err := e.findWorkgroupBarriers(); err != nil {
		return nil, err
	}
	e.unpackIDs(t)
	e.setScratch(t)
	for i := range e.fl.Blocks {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		e.block(i)
	}
	e.finish()
	return e.program(pre, t), nil
}

// maxTable bounds the blocks times the values of a function: which values are
// live where takes a bit of each, some times over.
const maxTable = 1 << 33

func checkTables(f *ir.Func) error {
	if n, m := f.NumBlocks(), f.NumValues(); n*m > maxTable {
		return fmt.Errorf("program: %w: %s has %d blocks and %d values: want at most %d as their product", validate.ErrUnsupported, f.Name, n, m, maxTable)
	}
	return nil
}

func (e *emitter) program(pre []*ir.Value, t *Target) *Program {
	waveSize := t.WaveSize
	p := &Program{
		Name: e.f.Name, WaveSize: waveSize, Insts: e.insts,
		LocalSize: e.f.LocalSize, LDSBytes: e.f.LDSBytes, LDSArguments: e.f.LDSArguments, LDSVariables: e.f.LDSVariables, CheckedVariables: e.f.CheckedVariables,
		PushBytes: e.f.PushBytes, TableBytes: e.tableBytes(),
		ScratchWords: e.scratchWords, Bindings: e.f.Bindings, Strings: e.f.Strings, Constants: e.f.Constants, Variables: e.f.Variables, Relocations: e.f.Relocations, Kernel: e.f.Kernel,
		VectorRows: e.vectorRows, ScalarWords: e.scalarWords, Node: e.f.Node, Fragment: e.f.Fragment,
		VectorRegs: e.vectorRegs, ScalarRegs: e.regs.scalarRegs + besideValues(e.f, e.fl, waveSize), Spills: e.spills,
	}
	for _, v := range pre {
		if g := e.regs.groups[v.ID]; g != nil && e.uses[v.ID] > 0 {
			p.Prologue = append(p.Prologue, isa.Inst{Op: v.Op, T: v.T, Imm: v.Imm, Uniform: v.Uniform, Dst: e.reg(v), Origin: isa.Origin{SPIRV: v.SPIRV}})
		}
	}
	for _, list := range [][]isa.Inst{p.Prologue, p.Insts} {
		for i := range list {
			in := &list[i]
			isa.Resolve(in)
			in.SetDeps(p.VectorRows)
			p.UsesBarrier = p.UsesBarrier || in.Op == isa.Barrier
		}
	}
	linkMicros(p.Insts)
	return p
}

// allocateAsDriver counts the vector registers that the driver would allocate, where that is modelled, otherwise those of
// this allocation.
func (e *emitter) allocateAsDriver(pre []*ir.Value, t *Target) {
	most, lanes := t.vectorLimit(e.f), e.spills.laneRegs(t.WaveSize)
	n := e.regs.vectorRows
	if t.Descriptors && t.Opt.Registers.All > 0 && n <= most {
		n, e.moved = vectorDemand(e.f, e.fl, e.lv, pre, e.uses, t, n)
	}
	if e.spills.Any() && e.fits { // a driver moves values together rather than spill more
		n = min(n, most-lanes)
	}
	e.vectorRegs = n + lanes
}

// gather emits the copies that put the operands of an access into consecutive registers.
func (e *emitter) gather(v *ir.Value) {
	if e.moved == nil {
		return
	}
	for range e.moved[v.ID] {
		e.insts = append(e.insts, isa.Inst{Op: isa.Micro, T: isa.I32, Class: isa.ClassVALU32, Imm: uint64(isa.Mov), Origin: v.Origin})
	}
}

// besideValues counts the scalar registers that a driver uses in addition to values: a four-word descriptor for each
// binding and for constant data, VCC, and the mask words at the deepest nesting.
func besideValues(f *ir.Func, fl *flow, waveSize int) int {
	opens := make([]int, len(fl.Blocks)) // masks of blocks whose immediate dominator is here
	for j := range fl.Blocks {
		if d := fl.Idom[j]; fl.reconverges[j] && d < j {
			opens[d]++
		}
	}
	depth, deepest := 0, 0
	for i := range fl.Blocks {
		if d := fl.Idom[i]; fl.reconverges[i] && d < i {
			depth--
		}
		depth += opens[i]
		deepest = max(deepest, depth)
	}
	descriptors := len(f.Bindings)
	if len(f.Constants) > 0 {
		descriptors++
	}
	return 4*descriptors + 2 + deepest*waveSize/32
}

func (e *emitter) countUses() {
	e.uses = make([]int, e.f.NumValues())
	for _, b := range e.fl.Blocks {
		for _, list := range [][]*ir.Value{b.Phis, b.Code} {
			for _, v := range list {
				for _, a := range v.Args {
					e.uses[a.ID]++
				}
			}
		}
		if b.Cond != nil {
			e.uses[b.Cond.ID]++
		}
	}
}

// placeLocals assigns scratch words to locals that stayed in memory.
func (e *emitter) placeLocals() {
	e.scratch = make([]uint32, 0, len(e.f.Locals))
	place := map[*ir.Local]bool{}
	for _, b := range e.fl.Blocks {
		for _, v := range b.Code {
			if v.Mem != nil && v.Mem.Local != nil {
				place[v.Mem.Local] = true
			}
		}
	}
	for i, l := range e.f.Locals {
		l.ID = i
		e.scratch = append(e.scratch, e.scratchWords)
		if place[l] {
			e.scratchWords += uint32(len(l.Slots)) * l.SlotWords
		}
	}
}

// placeMasks assigns a scalar word to each block that lanes wait for. The words are zero when a wave starts, and are
// zeroed when lanes join.
func (e *emitter) placeMasks() {
	e.masks = make([]int, len(e.fl.Blocks))
	for i := range e.masks {
		if e.masks[i] = -1; e.fl.reconverges[i] {
			e.masks[i] = e.scalarWords
			e.scalarWords++
		}
	}
	e.start = make([]int32, len(e.fl.Blocks)+1)
}

func (e *emitter) mask(place int) isa.Reg { return isa.S(e.masks[place]) }

// reg returns the operand of a value. The caller widens literals of Bool to lane masks where it needs them.
func (e *emitter) reg(v *ir.Value) isa.Reg {
	switch v.Op {
	case isa.Const:
		return isa.Lit(v.Imm)
	case isa.Undef:
		return isa.Lit(0)
	}
	g := e.regs.groups[v.ID]
	if g.scalar {
		return isa.S(g.reg)
	}
	return isa.V(g.reg)
}

// operand is reg, with truth literals in the form that the instruction reads.
func (e *emitter) operand(v *ir.Value, perLane bool) isa.Reg {
	r := e.reg(v)
	if perLane && r.Kind == isa.Imm && v.R == isa.Bool && r.Val != 0 {
		r.Val = ^uint64(0)
	}
	return r
}

func (e *emitter) add(in isa.Inst) *isa.Inst {
	if e.expand != nil {
		if steps := e.expand(&in); len(steps) > 0 {
			last := len(steps) - 1
			for _, c := range steps[:last] {
				e.insts = append(e.insts, isa.Inst{Op: isa.Micro, T: in.T, Class: c, Imm: uint64(in.Op), Origin: in.Origin})
			}
			in.Class = steps[last]
		}
	}
	e.insts = append(e.insts, in)
	return &e.insts[len(e.insts)-1]
}

// linkMicros makes the steps of an expanded operation depend on one another: each has the operation's sources and
// destinations, so that the scoreboard chains them.
func linkMicros(insts []isa.Inst) {
	for i := len(insts) - 2; i >= 0; i-- {
		if insts[i].Op == isa.Micro {
			insts[i].Deps, insts[i].Writes = insts[i+1].Deps, insts[i+1].Writes
		}
	}
}

func (e *emitter) block(i int) {
	b := e.fl.Blocks[i]
	e.start[i] = int32(len(e.insts))
	if e.fl.reconverges[i] && !e.onlyEndsWave(i) {
		e.control(isa.Inst{Op: isa.MaskJoin, T: isa.I64, Dst: e.mask(i), Src: src(e.mask(i))}, b)
		if k := e.orEnd(e.fl.nextWithoutLanes(i)); !e.fl.full[i] && !e.workgroupBarriers.anyIn(i, k) {
			e.branch(isa.Inst{Op: isa.BranchExecZ}, k, b)
		}
	}
	e.skipLoop(i, b)
	from := len(e.insts)
	e.current = i
	e.loadGrid(i)
	e.loadDescriptors(i)
	for k, v := range b.Code {
		e.value(v)
		if k > 0 && v.ID < len(e.first) && e.first[v.ID] == b.Code[k-1] {
			e.pack()
		}
	}
	e.copies(e.lv.copies[b.ID], b)
	e.pair(from)
	e.terminator(i, b)
}

// onlyEndsWave reports the last block where it does nothing but end the wave, for which no lane need be on.
func (e *emitter) onlyEndsWave(i int) bool {
	b := e.fl.Blocks[i]
	return i == len(e.fl.Blocks)-1 && len(b.Code) == 0 && b.Term == ir.Return
}

func src(regs ...isa.Reg) (s [4]isa.Reg) {
	copy(s[:], regs)
	return s
}

func (e *emitter) value(v *ir.Value) {
	if literal(v) || v.Op == isa.Proj {
		return
	}
	in := isa.Inst{Op: v.Op, T: v.T, From: v.From, Imm: v.Imm, Uniform: v.Uniform, Origin: v.Origin}
	if v.R != isa.Void && e.uses[v.ID] > 0 {
		in.Dst = e.reg(v)
	}
	switch {
	case v.Mem != nil:
		e.gather(v)
		e.memory(&in, v)
	case v.Op == isa.MatrixMulAdd:
		e.matrix(&in, v)
	case v.Op == isa.DebugPrint:
		for _, a := range v.Args {
			in.Print = append(in.Print, isa.PrintArg{Reg: e.operand(a, true), T: a.R})
		}
		in.Class = isa.ClassOf(&in)
	default:
		for k, a := range v.Args {
			in.Src[k] = e.operand(a, !v.Uniform || v.Op.Has(isa.FlagCrossLane))
		}
		in.Folded = v.Folded
		in.Class = isa.ClassOf(&in)
		if in.Mod = v.Mod; in.Mod.Any() {
			in.ModRow = e.sourceRows()
		}
	}
	e.add(in)
}

func (e *emitter) terminator(i int, b *ir.Block) {
	switch b.Term {
	case ir.Jump:
		e.goTo(i, e.fl.Position[b.Succs[0].ID], b)
	case ir.Cond:
		e.conditional(i, b)
	default:
		e.endLanes(i, b)
	}
}

// endLanes ends the active lanes. The wave continues with the lanes that wait.
func (e *emitter) endLanes(i int, b *ir.Block) {
	if e.fl.next(i, len(e.fl.Blocks)) < 0 {
		e.control(isa.Inst{Op: isa.End, Class: isa.ClassEnd}, b)
		return
	}
	e.control(isa.Inst{Op: isa.MaskKill}, b)
	e.jump(i, e.nextReconvergence(i), b)
}

// nextReconvergence returns the next block at which lanes may wait, or the program's end.
func (e *emitter) nextReconvergence(i int) int { return e.orEnd(e.fl.next(i, len(e.fl.Blocks))) }

func (e *emitter) orEnd(place int) int {
	if place < 0 {
		return len(e.fl.Blocks)
	}
	return place
}

// waitsForReconvergence reports that the way from place i to place j passes a block that lanes
// wait for, so that the active lanes have to wait too.
func (e *emitter) waitsForReconvergence(i, j int) bool { return j > i && e.fl.next(i, j) >= 0 }

// goTo moves the active lanes from place i to place j.
func (e *emitter) goTo(i, j int, b *ir.Block) {
	if e.waitsForReconvergence(i, j) {
		e.control(isa.Inst{Op: isa.MaskPark, T: isa.I64, Dst: e.mask(j)}, b)
		j = e.nextReconvergence(i)
	}
	e.jump(i, j, b)
}

// jump branches to place j unless it is the next, or repeats a loop header.
func (e *emitter) jump(i, j int, b *ir.Block) {
	if j <= i && e.invertLoop(i, j) {
		return
	}
	e.fall(i, j, b)
}

func (e *emitter) conditional(i int, b *ir.Block) {
	t, f := e.fl.Position[b.Succs[0].ID], e.fl.Position[b.Succs[1].ID]
	switch {
	case t == f:
		e.goTo(i, t, b)
	case divergent(b):
		e.split(i, t, f, b)
	default:
		e.choose(i, t, f, b)
	}
}

// choose emits a branch that all lanes take alike.
func (e *emitter) choose(i, t, f int, b *ir.Block) {
	cond := src(e.operand(b.Cond, false))
	switch {
	case !e.waitsForReconvergence(i, t) && (t != i+1 || e.waitsForReconvergence(i, f)):
		e.branch(isa.Inst{Op: isa.BranchTrue, Src: cond}, t, b)
		e.goTo(i, f, b)
	case !e.waitsForReconvergence(i, f):
		e.branch(isa.Inst{Op: isa.BranchFalse, Src: cond}, f, b)
		e.goTo(i, t, b)
	default:
		over := len(e.insts)
		e.control(isa.Inst{Op: isa.BranchFalse, Class: isa.ClassBranch, Src: cond}, b)
		e.goTo(i, t, b)
		if !branchesAway(e.insts[len(e.insts)-1]) {
			e.branch(isa.Inst{Op: isa.Branch}, e.nextReconvergence(i), b)
		}
		e.insts[over].Target = int32(len(e.insts))
		e.goTo(i, f, b)
	}
}

func branchesAway(in isa.Inst) bool { return in.Op == isa.Branch || in.Op == isa.End }

// split emits a divergent branch: lanes that go to the farther target wait there.
func (e *emitter) split(i, t, f int, b *ir.Block) {
	cond := src(e.operand(b.Cond, true))
	near, far, invert := t, f, uint64(0)
	if f < t {
		near, far, invert = f, t, 1
	}
	e.breaks(i, far, b)
	e.control(isa.Inst{Op: isa.MaskSplit, T: isa.I64, Dst: e.mask(far), Src: cond, Imm: invert}, b)
	switch {
	case near <= i: // a loop's back edge
		e.branch(isa.Inst{Op: isa.BranchExecNZ}, near, b)
		e.jump(i, e.nextReconvergence(i), b)
	case e.waitsForReconvergence(i, near):
		e.control(isa.Inst{Op: isa.MaskPark, T: isa.I64, Dst: e.mask(near)}, b)
		e.jump(i, e.nextReconvergence(i), b)
	default:
		if k := e.nextReconvergence(i); k != near && !e.workgroupBarriers.anyIn(i+1, k) {
			e.branch(isa.Inst{Op: isa.BranchExecZ}, k, b)
		}
		e.jump(i, near, b)
	}
}

func (e *emitter) control(in isa.Inst, b *ir.Block) {
	if in.Class == isa.ClassNone {
		in.Class = isa.ClassSALU
	}
	in.Line = b.Line
	e.insts = append(e.insts, in)
}

func (e *emitter) branch(in isa.Inst, place int, b *ir.Block) {
	in.Class = isa.ClassBranch
	e.fixes = append(e.fixes, fix{len(e.insts), place})
	e.control(in, b)
}

// finish appends the end of the program where a branch needs it and resolves
// the targets.
func (e *emitter) finish() {
	end := int32(len(e.insts))
	needed := end == 0 || !branchesAway(e.insts[end-1])
	for _, f := range e.fixes {
		needed = needed || f.target == len(e.fl.Blocks)
	}
	if needed {
		e.insts = append(e.insts, isa.Inst{Op: isa.End, Class: isa.ClassEnd})
	}
	e.start[len(e.fl.Blocks)] = end
	for _, f := range e.fixes {
		e.insts[f.inst].Target = e.start[f.target]
	}
	if !e.invertLoops { // as Mesa
		e.dropSkips()
	}
}

package frontend

import (
	"math"

	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// workgroups holds the operations among the waves of a workgroup.
type workgroups struct {
	*groups
	groupLDS  uint32 // byte offset of their scratch
	groupUsed bool
}

// groupArithmetic pairs the instructions of OpGroup* with their operators.
var groupArithmetic = map[spirv.Op]isa.GroupOperator{
	spirv.OpGroupIAdd: isa.GroupIAdd, spirv.OpGroupFAdd: isa.GroupFAdd,
	spirv.OpGroupFMin: isa.GroupFMin, spirv.OpGroupUMin: isa.GroupUMin, spirv.OpGroupSMin: isa.GroupSMin,
	spirv.OpGroupFMax: isa.GroupFMax, spirv.OpGroupUMax: isa.GroupUMax, spirv.OpGroupSMax: isa.GroupSMax,
	spirv.OpGroupIMulKHR: isa.GroupIMul, spirv.OpGroupFMulKHR: isa.GroupFMul,
	spirv.OpGroupBitwiseAndKHR: isa.GroupAnd, spirv.OpGroupBitwiseOrKHR: isa.GroupOr, spirv.OpGroupBitwiseXorKHR: isa.GroupXor,
	spirv.OpGroupLogicalAndKHR: isa.GroupAnd, spirv.OpGroupLogicalOrKHR: isa.GroupOr, spirv.OpGroupLogicalXorKHR: isa.GroupXor,
}

// combineOps maps the group operators to operations on two values.
var combineOps = map[isa.GroupOperator]isa.Op{
	isa.GroupIAdd: isa.IAdd, isa.GroupFAdd: isa.FAdd,
	isa.GroupFMin: isa.FMin, isa.GroupUMin: isa.UMin, isa.GroupSMin: isa.SMin,
	isa.GroupFMax: isa.FMax, isa.GroupUMax: isa.UMax, isa.GroupSMax: isa.SMax,
	isa.GroupIMul: isa.IMul, isa.GroupFMul: isa.FMul,
	isa.GroupAnd: isa.And, isa.GroupOr: isa.Or, isa.GroupXor: isa.Xor,
}

func workgroupRows() map[spirv.Op]row[*workgroups] {
	rows := map[spirv.Op]row[*workgroups]{
		spirv.OpGroupAll:       {translate: func(b *workgroups) { b.groupVote(isa.VoteAll, isa.GroupAnd) }},
		spirv.OpGroupAny:       {translate: func(b *workgroups) { b.groupVote(isa.VoteAny, isa.GroupOr) }},
		spirv.OpGroupBroadcast: {translate: (*workgroups).groupBroadcast},
		spirv.OpControlBarrier: {translate: (*workgroups).controlBarrier},
	}
	for op, g := range groupArithmetic {
		rows[op] = row[*workgroups]{translate: func(b *workgroups) { b.groupArithmetic(g) }}
	}
	return rows
}

func ballotRowsAMD() map[spirv.Op]row[*workgroups] {
	rows := map[spirv.Op]row[*workgroups]{}
	for op, g := range groupNonUniformAMD {
		rows[op] = row[*workgroups]{translate: func(b *workgroups) { b.groupNonUniform(g) }}
	}
	return rows
}

// workgroupScope reports scope Workgroup of operand 0, else Subgroup.
func (b *workgroups) workgroupScope() bool {
	switch s := spirv.Scope(b.constBits(b.arg(0))); s {
	case spirv.ScopeWorkgroup:
		return true
	case spirv.ScopeSubgroup:
	default:
		b.unsupported("scope %s", s)
	}
	return false
}

// scratchObject identifies that scratch: no variable has this id.
const scratchObject = math.MaxInt32

func (b *workgroups) waves() uint32 {
	n := uint32(b.f.Invocations())
	return (n + uint32(b.opt.WaveSize) - 1) / uint32(b.opt.WaveSize)
}

// scratch returns the LDS for one 64-bit value of each wave, which all workgroup operations of the entry point share,
// separated by barriers.
func (b *workgroups) scratch() uint32 {
	if !b.groupUsed {
		b.groupUsed = true
		b.groupLDS = roundUp(b.f.LDSBytes, baseAlign)
		b.f.LDSBytes = b.groupLDS + 8*b.waves()
	}
	return b.groupLDS
}

// slotPointer returns the scratch of one wave.
func (b *workgroups) slotPointer(wave *ir.Value) pointer {
	p := pointer{space: isa.SpaceLDS, offset: b.scratch(), object: scratchObject, align: 8}
	p.index = b.op(isa.IMul, isa.I32, wave, b.i32(8))
	return p
}

// fixedSlot returns the scratch of the i-th wave.
func (b *workgroups) fixedSlot(i uint32) pointer {
	return pointer{space: isa.SpaceLDS, offset: b.scratch() + 8*i, object: scratchObject, align: 8}
}

func (b *workgroups) putSlot(p pointer, v *ir.Value) {
	m, args := b.mem(p, v.R, 0, 1)
	b.emit(isa.Store, v.R, isa.Void, append(args, v)...).Mem = m
}

func (b *workgroups) getSlot(p pointer, t isa.Type) *ir.Value {
	return b.loadChunk(p, chunk{t: t, n: 1})[0]
}

// sync makes each wave's writes to LDS visible to all waves.
func (b *workgroups) sync() { b.syncAs(0) }

// syncAs is sync with a barrier of the given Imm.
func (b *workgroups) syncAs(imm uint64) {
	b.emit(isa.MemoryBarrier, isa.Void, isa.Void)
	b.emit(isa.Barrier, isa.Void, isa.Void).Imm = imm
}

// gatherWaves shares one value of each wave: every wave gets all of them.
func (b *workgroups) gatherWaves(v *ir.Value) []*ir.Value {
	b.sync() // the scratch may still be read by the operation before
	b.putSlot(b.slotPointer(b.builtin(spirv.BuiltInSubgroupId)[0]), v)
	b.sync()
	return b.slots(v.R)
}

// gatherSome is gatherWaves where waves may have no active lane. Such waves pass the barriers and store nothing, and
// count with the operator's identity, which the waves with active lanes first store in all slots.
func (b *workgroups) gatherSome(g isa.GroupOperator) func(v *ir.Value) []*ir.Value {
	return func(v *ir.Value) []*ir.Value {
		b.syncAs(1)
		for i := range b.waves() {
			b.putSlot(b.fixedSlot(i), b.constant(v.R, g.Identity(v.R)))
		}
		b.syncAs(1)
		b.putSlot(b.slotPointer(b.builtin(spirv.BuiltInSubgroupId)[0]), v)
		b.syncAs(1)
		return b.slots(v.R)
	}
}

// slots returns the values of all waves' scratch.
func (b *workgroups) slots(t isa.Type) []*ir.Value {
	out := make([]*ir.Value, b.waves())
	for i := range out {
		out[i] = b.getSlot(b.fixedSlot(uint32(i)), t)
	}
	return out
}

func (b *workgroups) groupVote(op isa.Op, g isa.GroupOperator) {
	v := b.emit(op, isa.Bool, isa.Bool, b.scalarOf(b.arg(1)))
	if b.workgroupScope() {
		all := b.join(combineOps[g], b.gatherWaves(b.word(v)))
		v = b.unword(all, isa.Bool)
	}
	b.set(v)
}

func (b *workgroups) groupArithmetic(g isa.GroupOperator) {
	kind := spirv.GroupOperation(b.arg(1))
	op, ok := groupKinds[kind]
	if !ok || kind == spirv.GroupOperationClusteredReduce {
		b.unsupported("group operation %s", kind)
	}
	whole := b.workgroupScope()
	b.exchange(2, func(v *ir.Value) *ir.Value {
		r := b.groupOp(op, g, 0, v)
		if !whole {
			return r
		}
		if op == isa.Reduce {
			return b.join(combineOps[g], b.gatherWaves(r))
		}
		return b.scanWaves(g, v, r, b.gatherWaves)
	})
}

// scanWaves combines the scan within a wave with the values of the waves before it.
func (b *workgroups) scanWaves(g isa.GroupOperator, v, scan *ir.Value, gather func(*ir.Value) []*ir.Value) *ir.Value {
	sums := gather(b.groupOp(isa.Reduce, g, 0, v))
	wave := b.builtin(spirv.BuiltInSubgroupId)[0]
	before := b.constant(v.R, g.Identity(v.R))
	for i, sum := range sums[:len(sums)-1] {
		is := b.compare(isa.ULt, isa.I32, b.i32(uint32(i)), wave)
		before = b.selectValue(is, b.op(combineOps[g], v.R, before, sum), before)
	}
	return b.op(combineOps[g], v.R, before, scan)
}

// groupBroadcast reads the value of the invocation with a LocalInvocationId;
// within a subgroup, of a lane.
func (b *workgroups) groupBroadcast() {
	if !b.workgroupScope() {
		b.broadcast(1, 2)
		return
	}
	own := b.truth(true)
	id := b.builtin(spirv.BuiltInLocalInvocationId)
	for i, v := range b.leaves(b.arg(2)) {
		if i < len(id) {
			own = b.op(isa.And, isa.Bool, own, b.compare(isa.IEq, isa.I32, id[i], b.widen(v, isa.I32)))
		}
	}
	b.exchange(1, func(v *ir.Value) *ir.Value { return b.shareOne(own, v) })
}

// shareOne hands the value of the one invocation where own is true to all: the
// others contribute zero bits, which are joined across the lanes and waves.
func (b *workgroups) shareOne(own, v *ir.Value) *ir.Value {
	t := isa.IntType(v.R.Bits())
	bits := b.selectValue(own, b.retype(v, t), b.constant(t, 0))
	all := b.join(isa.Or, b.gatherWaves(b.groupOp(isa.Reduce, isa.GroupOr, 0, bits)))
	return b.retype(all, v.R)
}

// groupNonUniformAMD pairs its group instructions with their operators.
var groupNonUniformAMD = map[spirv.Op]isa.GroupOperator{
	spirv.OpGroupIAddNonUniformAMD: isa.GroupIAdd, spirv.OpGroupFAddNonUniformAMD: isa.GroupFAdd,
	spirv.OpGroupFMinNonUniformAMD: isa.GroupFMin, spirv.OpGroupUMinNonUniformAMD: isa.GroupUMin, spirv.OpGroupSMinNonUniformAMD: isa.GroupSMin,
	spirv.OpGroupFMaxNonUniformAMD: isa.GroupFMax, spirv.OpGroupUMaxNonUniformAMD: isa.GroupUMax, spirv.OpGroupSMaxNonUniformAMD: isa.GroupSMax,
}

// groupNonUniform carries out a group instruction that may stand in control
// flow which some invocations do not take: they contribute the identity.
func (b *workgroups) groupNonUniform(g isa.GroupOperator) {
	kind := spirv.GroupOperation(b.arg(1))
	op, ok := groupKinds[kind]
	if !ok || kind == spirv.GroupOperationClusteredReduce {
		b.unsupported("group operation %s", kind)
	}
	if !b.workgroupScope() {
		b.exchange(2, func(v *ir.Value) *ir.Value { return b.groupOp(op, g, 0, v) })
		return
	}
	b.exchange(2, func(v *ir.Value) *ir.Value {
		r, gather := b.groupOp(op, g, 0, v), b.gatherSome(g)
		if op == isa.Reduce {
			return b.join(combineOps[g], gather(r))
		}
		return b.scanWaves(g, v, r, gather)
	})
}

func (b *workgroups) controlBarrier() {
	scope := spirv.Scope(b.constBits(b.arg(0)))
	b.fence(b.fenceScope(1), b.constBits(b.arg(2)))
	switch scope {
	case spirv.ScopeWorkgroup:
		b.emit(isa.Barrier, isa.Void, isa.Void)
	case spirv.ScopeSubgroup: // lanes run in lock-step
		if b.opt.Check && orders(b.constBits(b.arg(2))) {
			b.emit(isa.LaneOrder, isa.Void, isa.Void)
		}
	case spirv.ScopeInvocation:
	default:
		b.unsupported("a control barrier of scope %s", scope)
	}
}

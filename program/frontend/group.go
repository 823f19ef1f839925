package frontend

import (
	"fmt"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
	"spvsim/spirv/validate"
)

// groups holds the operations among the lanes of a wave.
type groups struct{ *inputs }

// reductions pairs each arithmetic group instruction with its operator.
var reductions = map[spirv.Op]isa.GroupOperator{
	spirv.OpGroupNonUniformIAdd:       isa.GroupIAdd,
	spirv.OpGroupNonUniformFAdd:       isa.GroupFAdd,
	spirv.OpGroupNonUniformIMul:       isa.GroupIMul,
	spirv.OpGroupNonUniformFMul:       isa.GroupFMul,
	spirv.OpGroupNonUniformSMin:       isa.GroupSMin,
	spirv.OpGroupNonUniformUMin:       isa.GroupUMin,
	spirv.OpGroupNonUniformFMin:       isa.GroupFMin,
	spirv.OpGroupNonUniformSMax:       isa.GroupSMax,
	spirv.OpGroupNonUniformUMax:       isa.GroupUMax,
	spirv.OpGroupNonUniformFMax:       isa.GroupFMax,
	spirv.OpGroupNonUniformBitwiseAnd: isa.GroupAnd,
	spirv.OpGroupNonUniformBitwiseOr:  isa.GroupOr,
	spirv.OpGroupNonUniformBitwiseXor: isa.GroupXor,
	spirv.OpGroupNonUniformLogicalAnd: isa.GroupAnd,
	spirv.OpGroupNonUniformLogicalOr:  isa.GroupOr,
	spirv.OpGroupNonUniformLogicalXor: isa.GroupXor,
}

func groupRows() map[spirv.Op]row[*groups] {
	rows := map[spirv.Op]row[*groups]{
		spirv.OpGroupNonUniformElect:          subgroup(func(b *groups) { b.set(b.emit(isa.Elect, isa.Bool, isa.Bool)) }),
		spirv.OpGroupNonUniformAll:            subgroup(func(b *groups) { b.vote(isa.VoteAll, 1) }),
		spirv.OpGroupNonUniformAny:            subgroup(func(b *groups) { b.vote(isa.VoteAny, 1) }),
		spirv.OpGroupNonUniformAllEqual:       subgroup(func(b *groups) { b.allEqual(1) }),
		spirv.OpGroupNonUniformBroadcast:      subgroup(func(b *groups) { b.broadcast(1, 2) }),
		spirv.OpGroupNonUniformBroadcastFirst: subgroup(func(b *groups) { b.broadcastFirst(1) }),

		spirv.OpGroupNonUniformBallot:           subgroup(func(b *groups) { b.set(b.ballotWords(b.ballot(1))...) }),
		spirv.OpGroupNonUniformInverseBallot:    subgroup(func(b *groups) { b.set(b.emit(isa.LaneOfMask, isa.Bool, isa.Bool, b.mask(1))) }),
		spirv.OpGroupNonUniformBallotBitExtract: subgroup((*groups).ballotBit),
		spirv.OpGroupNonUniformBallotBitCount:   subgroup((*groups).ballotCount),
		spirv.OpGroupNonUniformBallotFindLSB:    subgroup(func(b *groups) { b.ballotFind(isa.FindILsb) }),
		spirv.OpGroupNonUniformBallotFindMSB:    subgroup(func(b *groups) { b.ballotFind(isa.FindUMsb) }),

		spirv.OpGroupNonUniformShuffle:     subgroup(func(b *groups) { b.shuffle(1, b.index32(2)) }),
		spirv.OpGroupNonUniformShuffleXor:  subgroup(func(b *groups) { b.shuffleBy(isa.Xor) }),
		spirv.OpGroupNonUniformShuffleUp:   subgroup(func(b *groups) { b.shuffleBy(isa.ISub) }),
		spirv.OpGroupNonUniformShuffleDown: subgroup(func(b *groups) { b.shuffleBy(isa.IAdd) }),
		spirv.OpGroupNonUniformRotateKHR:   subgroup((*groups).rotate),

		spirv.OpGroupNonUniformQuadBroadcast: subgroup((*groups).quadBroadcast),
		spirv.OpGroupNonUniformQuadSwap:      subgroup((*groups).quadSwap),

		spirv.OpSubgroupBallotKHR:          {translate: func(b *groups) { b.set(b.ballotWords(b.ballot(0))...) }},
		spirv.OpSubgroupFirstInvocationKHR: {translate: func(b *groups) { b.broadcastFirst(0) }},
		spirv.OpSubgroupReadInvocationKHR:  {translate: func(b *groups) { b.broadcast(0, 1) }},
		spirv.OpSubgroupAllKHR:             {translate: func(b *groups) { b.vote(isa.VoteAll, 0) }},
		spirv.OpSubgroupAnyKHR:             {translate: func(b *groups) { b.vote(isa.VoteAny, 0) }},
		spirv.OpSubgroupAllEqualKHR:        {translate: func(b *groups) { b.allEqual(0) }},
	}
	return rows
}

// subgroup makes a row whose operand 0 is a scope, which must be Subgroup.
func subgroup(do func(b *groups)) row[*groups] {
	return row[*groups]{translate: func(b *groups) {
		if s := spirv.Scope(b.constBits(b.arg(0))); s != spirv.ScopeSubgroup {
			b.unsupported("scope %s", s)
		}
		do(b)
	}}
}

// index32 returns an operand as a 32-bit integer.
func (b *groups) index32(i int) *ir.Value { return b.widen(b.scalarOf(b.arg(i)), isa.I32) }

// lane returns the invocation's own lane.
func (b *groups) lane() *ir.Value { return b.builtin(spirv.BuiltInSubgroupLocalInvocationId)[0] }

// exchange applies an operation that moves words between lanes to each
// component; booleans travel as words.
func (b *groups) exchange(i int, f func(v *ir.Value) *ir.Value) {
	out := lists.Map(b.leaves(b.arg(i)), func(v *ir.Value) *ir.Value { return b.unword(f(b.word(v)), v.R) })
	b.set(out...)
}

func (b *groups) vote(op isa.Op, i int) { b.set(b.emit(op, isa.Bool, isa.Bool, b.scalarOf(b.arg(i)))) }

func (b *groups) allEqual(i int) {
	var equal []*ir.Value
	for _, v := range b.leaves(b.arg(i)) {
		v = b.word(v)
		equal = append(equal, b.compare(isa.VoteAllEqual, v.R, v))
	}
	b.set(b.join(isa.And, equal))
}

// broadcast reads one lane, the same for all. It takes the first active lane's index, so that the index is uniform for
// the machine too.
func (b *groups) broadcast(value, index int) {
	at := b.index32(index)
	if at.Op != isa.Const {
		at = b.op(isa.ReadFirstLane, isa.I32, at)
	}
	b.exchange(value, func(v *ir.Value) *ir.Value { return b.op(isa.ReadLane, v.R, v, at) })
}

func (b *groups) broadcastFirst(i int) {
	b.exchange(i, func(v *ir.Value) *ir.Value { return b.op(isa.ReadFirstLane, v.R, v) })
}

// ballot returns the mask of lanes in which operand i is true.
func (b *groups) ballot(i int) *ir.Value {
	return b.emit(isa.Ballot, isa.I64, isa.I64, b.scalarOf(b.arg(i)))
}

// mask returns the mask in the four words of operand i, cut at the wave's size.
func (b *groups) mask(i int) *ir.Value {
	words := b.leaves(b.arg(i))
	if len(words) != 4 || words[0].R != isa.I32 {
		b.invalid("%%%d is not a vector of four 32-bit integers", b.arg(i))
	}
	high := words[1]
	if b.opt.WaveSize == 32 {
		high = b.i32(0)
	}
	return b.emit(isa.Pack64, isa.I64, isa.I64, words[0], high)
}

func (b *groups) ballotBit() {
	at := b.widen(b.index32(2), isa.I64)
	bit := b.op(isa.And, isa.I64, b.op(isa.Shr, isa.I64, b.mask(1), at), b.constant(isa.I64, 1))
	b.set(b.compare(isa.INe, isa.I64, bit, b.constant(isa.I64, 0)))
}

// ballotCount counts the bits of all lanes, or of those up to or below the invocation's own.
func (b *groups) ballotCount() {
	mask := b.mask(2)
	switch g := spirv.GroupOperation(b.arg(1)); g {
	case spirv.GroupOperationReduce:
		words := b.ballotWords(mask)
		b.set(b.op(isa.IAdd, isa.I32, b.op(isa.BitCount, isa.I32, words[0]), b.op(isa.BitCount, isa.I32, words[1])))
	case spirv.GroupOperationInclusiveScan:
		own := b.word(b.emit(isa.LaneOfMask, isa.Bool, isa.Bool, mask))
		b.set(b.emit(isa.MaskedBitCount, isa.I32, isa.I32, mask, own))
	case spirv.GroupOperationExclusiveScan:
		b.set(b.emit(isa.MaskedBitCount, isa.I32, isa.I32, mask, b.i32(0)))
	default:
		b.unsupported("group operation %s", g)
	}
}

// ballotFind finds the first or last bit of a mask.
func (b *groups) ballotFind(op isa.Op) {
	words := b.ballotWords(b.mask(1))
	low := b.op(op, isa.I32, words[0])
	if b.opt.WaveSize == 32 {
		b.set(low)
		return
	}
	high := b.op(isa.IAdd, isa.I32, b.op(op, isa.I32, words[1]), b.i32(32))
	if op == isa.FindILsb {
		b.set(b.selectValue(b.compare(isa.INe, isa.I32, words[0], b.i32(0)), low, high))
		return
	}
	b.set(b.selectValue(b.compare(isa.INe, isa.I32, words[1], b.i32(0)), high, low))
}

func (b *groups) shuffle(value int, at *ir.Value) {
	b.exchange(value, func(v *ir.Value) *ir.Value { return b.op(isa.Shuffle, v.R, v, at) })
}

// shuffleBy reads the lane at a distance from the own.
func (b *groups) shuffleBy(op isa.Op) { b.shuffle(1, b.op(op, isa.I32, b.lane(), b.index32(2))) }

// rotate reads the lane delta further, within the cluster.
func (b *groups) rotate() {
	cluster := uint32(b.opt.WaveSize)
	if len(b.in.Operands) > 3 {
		cluster = b.clusterSize(3)
	}
	lane := b.lane()
	if cluster > uint32(b.opt.WaveSize) {
		lane = b.groupOp(isa.Reduce, isa.GroupIAdd, int(cluster), lane) // for CheckClusters to find
	}
	inside := b.op(isa.And, isa.I32, b.op(isa.IAdd, isa.I32, lane, b.index32(2)), b.i32(cluster-1))
	b.shuffle(1, b.op(isa.Or, isa.I32, inside, b.op(isa.And, isa.I32, lane, b.i32(^(cluster-1)))))
}

// clusterSize may exceed the wave's size: that is a fault only if the operation is executed, and the code may be dead
// (see CheckClusters).
func (b *groups) clusterSize(i int) uint32 {
	n := b.constBits(b.arg(i))
	if n == 0 || n&(n-1) != 0 || n > 1<<31 {
		b.invalid("cluster size %d: want a power of two up to the wave size, %d", n, b.opt.WaveSize)
	}
	return uint32(n)
}

// CheckClusters refuses clusters above the wave's size in an optimised function: shaders choose among sizes by a
// specialization constant or by the wave's size, and only one choice survives.
func CheckClusters(m *validate.Module, f *ir.Func, waveSize int) error {
	for _, blk := range f.Blocks {
		for _, v := range blk.Code {
			if v.Op != isa.Reduce && v.Op != isa.InclusiveScan && v.Op != isa.ExclusiveScan {
				continue
			}
			_, cluster := isa.SplitGroupImm(v.Imm)
			if in := m.Def(spirv.ID(v.SPIRV)); cluster > waveSize && in != nil {
				return &Error{Word: in.Word, Op: in.Op, ID: in.Result, Err: validate.ErrInvalid, source: m.Raw.Source,
					Text: fmt.Sprintf("cluster size %d: want a power of two up to the wave size, %d", cluster, waveSize)}
			}
		}
	}
	return nil
}

func (b *groups) quadBroadcast() {
	at := b.index32(2)
	b.exchange(1, func(v *ir.Value) *ir.Value { return b.op(isa.QuadBroadcast, v.R, v, at) })
}

func (b *groups) quadSwap() {
	direction := b.constBits(b.arg(2))
	if direction > 2 {
		b.invalid("direction %d: want 0 to 2", direction)
	}
	b.exchange(1, func(v *ir.Value) *ir.Value {
		r := b.op(isa.QuadSwap, v.R, v)
		r.Imm = direction
		return r
	})
}

// groupKinds maps the group operations to those of isa.
var groupKinds = map[spirv.GroupOperation]isa.Op{
	spirv.GroupOperationReduce:          isa.Reduce,
	spirv.GroupOperationInclusiveScan:   isa.InclusiveScan,
	spirv.GroupOperationExclusiveScan:   isa.ExclusiveScan,
	spirv.GroupOperationClusteredReduce: isa.Reduce,
}

func (b *groups) reduction(g isa.GroupOperator) {
	kind := spirv.GroupOperation(b.arg(1))
	op, ok := groupKinds[kind]
	if !ok {
		b.unsupported("group operation %s", kind)
	}
	cluster := 0
	if kind == spirv.GroupOperationClusteredReduce {
		if cluster = int(b.clusterSize(3)); cluster == b.opt.WaveSize {
			cluster = 0
		}
	}
	b.exchange(2, func(v *ir.Value) *ir.Value { return b.groupOp(op, g, cluster, v) })
}

func (b *groups) groupOp(op isa.Op, g isa.GroupOperator, cluster int, v *ir.Value) *ir.Value {
	r := b.op(op, v.R, v)
	r.Imm = isa.GroupImm(g, cluster)
	return r
}

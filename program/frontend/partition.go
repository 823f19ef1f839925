package frontend

import (
	"spvsim/isa"
	"spvsim/program/ir"
	"spvsim/spirv"
)

// Operations of partitions of a subgroup (SPV_EXT_shader_subgroup_partitioned). No AMD GPU has instructions for them: a
// loop handles one partition at a time, the lanes that agree with the first remaining lane (Mesa: nir_lower_subgroups).

func partitionRows() map[spirv.Op]row[*builder] {
	rows := map[spirv.Op]row[*builder]{spirv.OpGroupNonUniformPartitionEXT: {translate: (*builder).partition, splits: true}}
	for op, g := range reductions {
		whole := subgroup(func(b *groups) { b.reduction(g) })
		parts := subgroup(func(b *groups) {})
		rows[op] = row[*builder]{translate: func(b *builder) {
			if !partitioned(b.in) {
				whole.translate(b.groups)
				return
			}
			parts.translate(b.groups)
			b.reduceParts(g)
		}}
	}
	return rows
}

// partitionKinds maps the group operations of partitions to those of isa.
var partitionKinds = map[spirv.GroupOperation]isa.Op{
	spirv.GroupOperationPartitionedReduceEXT:        isa.Reduce,
	spirv.GroupOperationPartitionedInclusiveScanEXT: isa.InclusiveScan,
	spirv.GroupOperationPartitionedExclusiveScanEXT: isa.ExclusiveScan,
}

// partitioned reports a reduction or scan of each partition.
func partitioned(in *spirv.Instruction) bool {
	if _, ok := reductions[in.Op]; !ok || len(in.Operands) < 2 {
		return false
	}
	_, ok := partitionKinds[spirv.GroupOperation(in.Operands[1])]
	return ok
}

// partition sets the result to the mask of lanes with an equal value. Zeros are equal, and so are NaNs with the same
// bits.
func (b *builder) partition() {
	var key []*ir.Value
	for _, v := range b.leaves(b.arg(0)) {
		bits := b.retype(b.word(v), isa.IntType(b.word(v).R.Bits()))
		if v.R.IsFloat() {
			bits = b.selectValue(b.compare(isa.FOrdEq, v.R, v, b.constant(v.R, 0)), b.constant(bits.R, 0), bits)
		}
		key = append(key, bits)
	}
	b.set(b.byPartition(key, func(same *ir.Value) []*ir.Value {
		return b.ballotWords(b.emit(isa.Ballot, isa.I64, isa.I64, same))
	})...)
}

// reduceParts combines the values of the lanes in each lane's ballot, which is one partition.
func (b *builder) reduceParts(g isa.GroupOperator) {
	if len(b.in.Operands) < 4 {
		b.invalid("%s without a ballot", spirv.GroupOperation(b.arg(1)))
	}
	op, values := partitionKinds[spirv.GroupOperation(b.arg(1))], b.leaves(b.arg(2))
	b.set(b.byPartition([]*ir.Value{b.groups.mask(3)}, func(*ir.Value) (out []*ir.Value) {
		for _, v := range values {
			out = append(out, b.unword(b.groups.groupOp(op, g, 0, b.word(v)), v.R))
		}
		return out
	})...)
}

// byPartition runs do for the lanes of one key at a time, and returns each lane's results. The first remaining lane
// always agrees with itself, so the loop ends.
func (b *builder) byPartition(key []*ir.Value, do func(same *ir.Value) []*ir.Value) []*ir.Value {
	head, inside, again, after := b.newBlock(), b.newBlock(), b.newBlock(), b.newBlock()
	for _, n := range []*ir.Block{head, inside, again, after} {
		n.Line = b.line
	}
	b.blk.SetSuccs(ir.Jump, nil, head)
	head.Merge, head.Continue, head.Unroll = after, again, 2
	b.blk = head
	same := b.truth(true)
	for _, v := range key {
		same = b.op(isa.And, isa.Bool, same, b.compare(isa.IEq, v.R, v, b.op(isa.ReadFirstLane, v.R, v)))
	}
	head.SetSuccs(ir.Cond, same, inside, again)
	again.SetSuccs(ir.Jump, nil, head)
	b.blk = inside
	out := do(same)
	inside.SetSuccs(ir.Jump, nil, after)
	b.blk = after
	for i, v := range out {
		out[i] = b.phi(after, v.R)
		out[i].Args = []*ir.Value{v}
	}
	return out
}

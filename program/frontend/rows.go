package frontend

import "spvsim/spirv"

// A row translates one opcode, by a method of the part T.
type row[T any] struct {
	translate func(b T)
	constant  bool // allowed within OpSpecConstantOp too
	splits    bool // may end the current block and continue in another
}

// pure makes a row without side effects.
func pure[T any](do func(b T)) row[T] { return row[T]{translate: do, constant: true} }

// rows has a row for each opcode that a function may hold. Other opcodes are refused by name.
var rows = map[spirv.Op]row[*builder]{}

// Each part adds its table to rows.
func init() {
	for _, own := range []map[spirv.Op]row[*maths]{
		arithmeticRows(), bitRows(), compareRows(), convertRows(), compositeRows(), intelRows(), kernelRows(),
	} {
		attach(own, func(b *builder) *maths { return b.maths })
	}
	attach(memoryRows(), func(b *builder) *pointers { return b.pointers })
	attach(imageRows(), func(b *builder) *images { return b.images })
	attach(sampleRows(), func(b *builder) *samplers { return b.samplers })
	attach(atomicRows(), func(b *builder) *atomics { return b.atomics })
	attach(groupRows(), func(b *builder) *groups { return b.groups })
	attach(quadRows(), func(b *builder) *quads { return b.quads })
	attach(workgroupRows(), func(b *builder) *workgroups { return b.workgroups })
	attach(ballotRowsAMD(), func(b *builder) *workgroups { return b.workgroups })
	attach(clockRows(), func(b *builder) *gcn { return b.gcn })
	attach(payloadRows(), func(b *builder) *payloads { return b.payloads })
	attach(meshRows(), func(b *builder) *meshes { return b.meshes })
	attach(fragmentRows(), func(b *builder) *fragments { return b.fragments })
	attach(matrixRows(), func(b *builder) *matrices { return b.matrices })
	attach(partitionRows(), func(b *builder) *builder { return b })
	attach(asyncRows(), func(b *builder) *builder { return b })
	attach(controlRows(), func(b *builder) *builder { return b })
}

// attach adds the rows of a part.
func attach[T any](own map[spirv.Op]row[T], part func(b *builder) T) {
	for op, r := range own {
		if _, twice := rows[op]; twice {
			panic("frontend: two rows for " + op.String())
		}
		rows[op] = row[*builder]{translate: func(b *builder) { r.translate(part(b)) }, constant: r.constant, splits: r.splits}
	}
}

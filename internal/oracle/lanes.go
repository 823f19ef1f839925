package oracle

import (
	"math/bits"

	"spvsim/internal/lists"
	"spvsim/isa"
	"spvsim/program/ir"
)

// rows has a row for each operation that depends on more than its lane's sources.
var rows map[isa.Op]func(w *wave, v *ir.Value)

func init() {
	rows = map[isa.Op]func(w *wave, v *ir.Value){
		isa.Nop:           func(*wave, *ir.Value) {},
		isa.MemoryBarrier: func(*wave, *ir.Value) {},
		isa.Const:         perLane(func(_ *wave, v *ir.Value, _ int, _ *lane) uint64 { return v.Imm }),
		isa.Undef:         perLane(func(*wave, *ir.Value, int, *lane) uint64 { return 0 }),
		isa.Proj:          perLane(func(_ *wave, v *ir.Value, _ int, l *lane) uint64 { return l.wide[v.Args[0].ID][v.Imm] }),
		isa.DebugPrint:    (*wave).print,

		isa.LaneID:         perLane(func(_ *wave, _ *ir.Value, i int, _ *lane) uint64 { return uint64(i) }),
		isa.LocalIDX:       local(0),
		isa.LocalIDY:       local(1),
		isa.LocalIDZ:       local(2),
		isa.LocalIndex:     perLane(func(w *wave, v *ir.Value, i int, _ *lane) uint64 { return uint64(w.workgroupPosition(v, i)) }),
		isa.WorkgroupIDX:   group(0),
		isa.WorkgroupIDY:   group(1),
		isa.WorkgroupIDZ:   group(2),
		isa.NumWorkgroupsX: groups(0),
		isa.NumWorkgroupsY: groups(1),
		isa.NumWorkgroupsZ: groups(2),
		isa.SubgroupID:     perLane(func(w *wave, _ *ir.Value, _ int, _ *lane) uint64 { return uint64(w.n) }),
		isa.NumSubgroups:   perLane(func(w *wave, _ *ir.Value, _ int, _ *lane) uint64 { return uint64(len(w.g.waves)) }),
		isa.PushWord:       perLane((*wave).pushWord),
		isa.Clock:          perLane(func(w *wave, _ *ir.Value, _ int, _ *lane) uint64 { return w.g.m.clock }),
		isa.Realtime:       perLane(func(w *wave, _ *ir.Value, _ int, _ *lane) uint64 { return w.g.m.clock }),

		isa.Ballot:       uniform((*wave).trueMask),
		isa.VoteAny:      uniform(func(w *wave, v *ir.Value) uint64 { return truth(w.trueMask(v) != 0) }),
		isa.VoteAll:      uniform(func(w *wave, v *ir.Value) uint64 { return truth(w.trueMask(v) == w.mask) }),
		isa.VoteAllEqual: uniform((*wave).allEqual),
		isa.Elect: perLane(func(w *wave, _ *ir.Value, i int, _ *lane) uint64 {
			return truth(i == bits.TrailingZeros64(w.mask))
		}),
		isa.LaneOfMask: perLane(func(_ *wave, v *ir.Value, i int, l *lane) uint64 { return l.value(v.Args[0]) >> i & 1 }),
		isa.MaskedBitCount: perLane(func(_ *wave, v *ir.Value, i int, l *lane) uint64 {
			below := l.value(v.Args[0]) & (1<<i - 1)
			return uint64(uint32(bits.OnesCount64(below)) + uint32(l.value(v.Args[1])))
		}),
		isa.ReadFirstLane: uniform(func(w *wave, v *ir.Value) uint64 { return w.valueIn(v.Args[0], uint64(w.first())) }),
		isa.ReadLane: uniform(func(w *wave, v *ir.Value) uint64 {
			return w.valueIn(v.Args[0], w.lanes[w.first()].value(v.Args[1]))
		}),
		isa.Shuffle: snapshot(func(w *wave, v *ir.Value, _ int, l *lane) uint64 { return w.valueIn(v.Args[0], l.value(v.Args[1])) }),
		isa.QuadBroadcast: snapshot(func(w *wave, v *ir.Value, i int, l *lane) uint64 {
			return w.valueIn(v.Args[0], uint64(i&^3)|l.value(v.Args[1])&3)
		}),
		isa.QuadSwap: snapshot(func(w *wave, v *ir.Value, i int, _ *lane) uint64 { return w.valueIn(v.Args[0], uint64(i)^(v.Imm+1)) }),
		isa.QuadAll: snapshot(func(w *wave, v *ir.Value, i int, _ *lane) uint64 {
			quad := w.mask & (15 << (i &^ 3))
			return truth(w.trueMask(v)&quad == quad)
		}),
		isa.QuadAny: snapshot(func(w *wave, v *ir.Value, i int, _ *lane) uint64 { return truth(w.trueMask(v)&(15<<(i&^3)) != 0) }),
		isa.SwizzleQuad: snapshot(func(w *wave, v *ir.Value, i int, _ *lane) uint64 {
			return w.valueIn(v.Args[0], uint64(i&^3)|v.Imm>>(2*(i&3))&3)
		}),
		isa.SwizzleMirror:  snapshot(swizzleMasked),
		isa.SwizzleEight:   snapshot(swizzleMasked),
		isa.SwizzleSixteen: snapshot(swizzleMasked),
		isa.SwizzleMasked:  snapshot(swizzleMasked),
		isa.WriteLane: perLane(func(_ *wave, v *ir.Value, i int, l *lane) uint64 {
			if l.value(v.Args[2]) == uint64(i) {
				return l.value(v.Args[1])
			}
			return l.value(v.Args[0])
		}),
		isa.Reduce:        snapshot(func(w *wave, v *ir.Value, i int, _ *lane) uint64 { return w.fold(v, i, w.cluster(v, i)) }),
		isa.InclusiveScan: snapshot(func(w *wave, v *ir.Value, i int, _ *lane) uint64 { return w.fold(v, i, w.cluster(v, i)&upTo(i+1)) }),
		isa.ExclusiveScan: snapshot(func(w *wave, v *ir.Value, i int, _ *lane) uint64 { return w.fold(v, i, w.cluster(v, i)&upTo(i)) }),
	}
}

func truth(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

// upTo returns the bits of the lanes below n.
func upTo(n int) uint64 {
	if n == 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

type laneFunc func(w *wave, v *ir.Value, i int, l *lane) uint64

func perLane(f laneFunc) func(*wave, *ir.Value) {
	return func(w *wave, v *ir.Value) {
		w.eachLane(w.mask, func(i int, l *lane) { l.values[v.ID] = f(w, v, i, l) })
	}
}

// snapshot computes all lanes before it writes any.
func snapshot(f laneFunc) func(*wave, *ir.Value) {
	return func(w *wave, v *ir.Value) {
		out := make([]uint64, len(w.lanes))
		w.eachLane(w.mask, func(i int, l *lane) { out[i] = f(w, v, i, l) })
		w.eachLane(w.mask, func(i int, l *lane) { l.values[v.ID] = out[i] })
	}
}

func uniform(f func(w *wave, v *ir.Value) uint64) func(*wave, *ir.Value) {
	return func(w *wave, v *ir.Value) {
		x := f(w, v)
		w.eachLane(w.mask, func(_ int, l *lane) { l.values[v.ID] = x })
	}
}

func swizzleMasked(w *wave, v *ir.Value, i int, _ *lane) uint64 {
	from := (uint64(i)&v.Imm | v.Imm>>5) ^ v.Imm>>10
	return w.valueIn(v.Args[0], from&31|uint64(i)&32)
}

// workgroupPosition returns the position of a lane in its workgroup, in the order of
// LocalInvocationIndex.
func (w *wave) workgroupPosition(v *ir.Value, i int) uint32 {
	n := uint32(w.n*w.g.m.d.WaveSize + i)
	if v.Imm == 0 {
		return n
	}
	return isa.QuadPlace(n, w.g.m.f.LocalSize)
}

func local(k int) func(*wave, *ir.Value) {
	return perLane(func(w *wave, v *ir.Value, i int, _ *lane) uint64 {
		at, size := w.workgroupPosition(v, i), w.g.m.f.LocalSize
		return uint64([3]uint32{at % size[0], at / size[0] % size[1], at / size[0] / size[1]}[k])
	})
}

func group(k int) func(*wave, *ir.Value) {
	return perLane(func(w *wave, _ *ir.Value, _ int, _ *lane) uint64 { return uint64(w.g.id[k]) })
}

func groups(k int) func(*wave, *ir.Value) {
	return perLane(func(w *wave, _ *ir.Value, _ int, _ *lane) uint64 { return uint64(w.g.m.d.Groups[k]) })
}

// first returns the lowest active lane.
func (w *wave) first() int { return bits.TrailingZeros64(w.mask) }

// valueIn returns the value of x in a lane; 0 when the lane is outside or not active.
func (w *wave) valueIn(x *ir.Value, lane uint64) uint64 {
	if lane >= uint64(len(w.lanes)) || w.mask>>lane&1 == 0 {
		return 0
	}
	return w.lanes[lane].value(x)
}

func (w *wave) pushWord(v *ir.Value, _ int, _ *lane) uint64 {
	push := w.g.m.d.Push
	if v.Imm+4 > uint64(len(push)) {
		return 0
	}
	return loadBytes(push[v.Imm : v.Imm+4])
}

func (w *wave) trueMask(v *ir.Value) uint64 {
	m := uint64(0)
	w.eachLane(w.mask, func(i int, l *lane) { m |= (l.value(v.Args[0]) & 1) << i })
	return m
}

func (w *wave) allEqual(v *ir.Value) uint64 {
	op := isa.IEq
	if v.T.IsFloat() {
		op = isa.FOrdEq
	}
	all, first := uint64(1), w.lanes[w.first()].value(v.Args[0])
	w.eachLane(w.mask, func(_ int, l *lane) { all &= isa.Eval(op, v.T, 0, 0, first, l.value(v.Args[0])) })
	return all
}

// cluster returns the mask of the active lanes in the cluster of lane i.
func (w *wave) cluster(v *ir.Value, i int) uint64 {
	_, n := isa.SplitGroupImm(v.Imm)
	if n == 0 {
		return w.mask
	}
	start := i / n * n
	return w.mask & (upTo(n) << start)
}

// operators maps the operators of reductions to operations.
var operators = map[isa.GroupOperator]isa.Op{
	isa.GroupIAdd: isa.IAdd, isa.GroupIMul: isa.IMul, isa.GroupFAdd: isa.FAdd, isa.GroupFMul: isa.FMul,
	isa.GroupSMin: isa.SMin, isa.GroupUMin: isa.UMin, isa.GroupFMin: isa.FMin,
	isa.GroupSMax: isa.SMax, isa.GroupUMax: isa.UMax, isa.GroupFMax: isa.FMax,
	isa.GroupAnd: isa.And, isa.GroupOr: isa.Or, isa.GroupXor: isa.Xor,
}

// fold combines the lanes of a mask in ascending order. For an empty mask it returns the identity.
func (w *wave) fold(v *ir.Value, _ int, mask uint64) uint64 {
	g, _ := isa.SplitGroupImm(v.Imm)
	sum, any := g.Identity(v.T), false
	w.eachLane(mask, func(_ int, l *lane) {
		x := l.value(v.Args[0])
		if any {
			x = isa.Eval(operators[g], v.T, 0, 0, sum, x)
		}
		sum, any = x, true
	})
	return sum
}

func (w *wave) print(v *ir.Value) {
	if w.g.m.d.Print == nil {
		return
	}
	w.eachLane(w.mask, func(_ int, l *lane) {
		args := lists.Map(v.Args, l.value)
		w.g.m.d.Print(w.g.m.f.Strings[v.Imm], args)
	})
}

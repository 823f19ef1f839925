package program

import (
	"spvsim/isa"
	"spvsim/program/ir"
)

// pack turns a node whose workgroups are one invocation, each with its own payload, into a node that runs a workgroup
// in each lane of a wave: the input is an array with the payload of each lane, and allocations of a workgroup become
// allocations of its lane. It reports whether the node was packed.
func pack(f *ir.Func) bool {
	if !packable(f) {
		return false
	}
	entry := f.Blocks[0]
	lane := f.NewValue(isa.LaneID, isa.I32, isa.I32)
	lane.Block = entry
	eachValue(f, func(v *ir.Value) {
		switch {
		case oneInvocation[v.Op]:
			toConst(v, 0)
		case v.Op == isa.PayloadLength && v.Args[0].Op == isa.PayloadIn:
			toConst(v, 1)
		case v.Op == isa.PayloadElem && v.Args[0].Op == isa.PayloadIn:
			v.Args[1] = lane
		case v.Op == isa.PayloadAlloc:
			v.Op = isa.PayloadAllocLane
		}
	})
	entry.Code = append([]*ir.Value{lane}, entry.Code...)
	return true
}

// oneInvocation lists the operations that are zero in a workgroup of one invocation.
var oneInvocation = map[isa.Op]bool{
	isa.LaneID: true, isa.LocalIndex: true, isa.LocalIDX: true, isa.LocalIDY: true, isa.LocalIDZ: true,
}

func toConst(v *ir.Value, x uint64) { v.Op, v.Imm, v.Args = isa.Const, x, nil }

func eachValue(f *ir.Func, do func(v *ir.Value)) {
	for _, b := range f.Blocks {
		for _, list := range [][]*ir.Value{b.Phis, b.Code} {
			for _, v := range list {
				do(v)
			}
		}
	}
}

// packable reports whether a node may be packed: one invocation a workgroup, one workgroup and payload a launch, and no
// operation by which lanes of a wave observe each other.
func packable(f *ir.Func) bool {
	n := f.Node
	if n == nil || n.Mesh != nil || n.SharesInput != nil || f.LocalSize != [3]uint32{1, 1, 1} || f.LDSBytes > 0 {
		return false
	}
	coalesced := n.Launch == Coalescing && (n.Input == nil || n.Input.MaxPayloads == 1)
	if !coalesced && (n.Launch != Static || n.Workgroups != [3]uint32{1, 1, 1}) {
		return false
	}
	ok := true
	eachValue(f, func(v *ir.Value) { ok = ok && packableValue(v) })
	return ok
}

// mayPack lists the operations across lanes that have a meaning for each lane.
var mayPack = map[isa.Op]bool{isa.PayloadAlloc: true, isa.PayloadAllocLane: true, isa.PayloadEnqueue: true}

func packableValue(v *ir.Value) bool {
	if v.Op.Has(isa.FlagCrossLane) && !mayPack[v.Op] || v.Op == isa.Barrier || v.Op == isa.PayloadFinish {
		return false
	}
	for k, a := range v.Args {
		if a.Op != isa.PayloadIn {
			continue
		}
		element := v.Op == isa.PayloadElem && k == 0 && v.Args[1].Op == isa.Const && v.Args[1].Imm == 0
		if !element && v.Op != isa.PayloadLength {
			return false
		}
	}
	return true
}

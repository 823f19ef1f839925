package isa

import (
	"math/rand/v2"
	"testing"
)

// Where the processor has no wide instructions, the loops do the same.
func TestLoopsWithoutWideInstructions(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2: the loops are tested as they are")
	}
	wideRows = false
	defer func() { wideRows = true }()
	r := rand.New(rand.NewPCG(11, 12))
	check := func(key loopKey) {
		for range 60 {
			checkLanes(t, r, key.op, key.t, key.from, []RegKind{Vector, Scalar, Imm})
		}
	}
	for key := range unaryRows {
		check(key)
	}
	for key := range binaryRows {
		check(key)
	}
	for key := range testRows32 {
		check(key)
	}
	for key := range ternaryRows {
		check(key)
	}
	check(loopKey{Select, I32, Void})
}

// Each operation with a wide form takes it, unless its sources are the same in all lanes.
func TestWideFormsAreTaken(t *testing.T) {
	if !wideRows {
		t.Skip("the processor has no AVX2")
	}
	for key := range testRows32 {
		in := &Inst{Op: key.op, T: key.t, Src: [4]Reg{V(0), S(0)}}
		if resolveRows(key, in) == nil {
			t.Errorf("%s: no wide form", Disasm(in))
		}
		if in.Src[0] = S(1); resolveRows(key, in) != nil {
			t.Errorf("%s: a wide form for one value", Disasm(in))
		}
	}
}

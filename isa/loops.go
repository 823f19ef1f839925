package isa

import (
	"math"
	"math/bits"
)

//go:generate go run ./gen

// A loopKey names an operation with its own loops. from is Void except for conversions.
type loopKey struct {
	op      Op
	t, from Type
}

// loopForms holds the loops of an operation by the kinds of its sources: bit k of the index is set if source k is
// scalar or a literal.
type loopForms [16]func(*State, *Inst)

// resolveLoop finds the loop for the instruction's operation, types and operand
// kinds; nil when there is none.
func resolveLoop(in *Inst) func(*State, *Inst) {
	key := in.loopKey()
	if f := resolveRows(key, in); f != nil {
		return f
	}
	form := in.scalarSources()
	for _, table := range []map[loopKey]loopForms{intLoops, int3Loops, floatLoops, halfLoops, wideLoops, compareLoops, ownLoops} {
		if forms, ok := table[key]; ok {
			return forms[form]
		}
	}
	return nil
}

func (in *Inst) loopKey() loopKey {
	key := loopKey{op: in.Op, t: in.T}
	if src := Table[in.Op].Sig.Src; len(src) > 0 && src[0] == OfFrom {
		key.from = in.From
	}
	return key
}

const (
	fuseLiterals = 16 // that a program's steps find after its vector file
	fuseValues   = 16 // that are the same in all lanes, of one step
	fuseRows     = 24 // that one step writes
)

// scalarSources returns a mask whose bit k is set if source k is the same in all lanes.
func (in *Inst) scalarSources() (form int) {
	for k := range NumSources(in.Op) {
		if in.Src[k].Kind != Vector {
			form |= 1 << k
		}
	}
	return form
}

// target returns the row that a loop over all lanes writes: the destination itself if all lanes are active, else a
// scratch row, from which merge copies the active ones. Values of inactive lanes are dropped.
func (st *State) target(in *Inst) []uint32 {
	if st.Exec == st.Full {
		return st.row(in.Dst, 0)
	}
	return st.Tmp[3][:st.Lanes]
}

// merge copies the active lanes of target's row to the destination.
func (st *State) merge(in *Inst, d []uint32) {
	if st.Exec != st.Full {
		mergeRow(st.row(in.Dst, 0), d, st.Exec)
	}
}

func mergeRowGo(d, s []uint32, lanes uint64) {
	d = d[:len(s)]
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes)
		d[l] = s[l]
	}
}

// targetWide and mergeWide are target and merge for results of two rows.
func (st *State) targetWide(in *Inst) (lo, hi []uint32) {
	if st.Exec == st.Full {
		lo = st.row(in.Dst, 0)
		return lo, st.row(in.Dst, 1)[:len(lo)]
	}
	lo = st.Tmp[3][:st.Lanes]
	return lo, st.Tmp[2][:len(lo)]
}

func (st *State) mergeWide(in *Inst, lo, hi []uint32) {
	if st.Exec == st.Full {
		return
	}
	dst, dstHi := st.row(in.Dst, 0)[:len(lo)], st.row(in.Dst, 1)[:len(lo)]
	for rest := st.Exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		dst[l], dstHi[l] = lo[l], hi[l]
	}
}

// broadcast returns the row of a 32-bit source; scalars are spread over scratch row k.
func (st *State) broadcast(r Reg, k int) []uint32 {
	if r.Kind == Vector {
		return st.row(r, 0)
	}
	row, x := st.Tmp[k][:st.Lanes], uint32(st.word(r))
	for i := range row {
		row[i] = x
	}
	return row
}

func float(x uint32) float32  { return math.Float32frombits(x) }
func word32(f float32) uint32 { return math.Float32bits(f) }

func double(x uint64) float64 { return math.Float64frombits(x) }
func word64(f float64) uint64 { return math.Float64bits(f) }

func fmin32(x, y uint32) uint32 {
	if m := min(float(x), float(y)); m == m {
		return word32(m)
	}
	return otherThanNaN(x, y)
}

func fmax32(x, y uint32) uint32 {
	if m := max(float(x), float(y)); m == m {
		return word32(m)
	}
	return otherThanNaN(x, y)
}

// otherThanNaN returns y if x is a NaN, else x.
func otherThanNaN(x, y uint32) uint32 {
	if f := float(x); f != f {
		return y
	}
	return x
}

func ftou32(f float32) uint32 {
	if f > -1 && f < 1<<32 {
		return uint32(int64(f))
	}
	return uint32(ftou(float64(f), 32))
}

func ftos32(f float32) uint32 {
	if f >= -1<<31 && f < 1<<31 {
		return uint32(int32(f))
	}
	return uint32(ftos(float64(f), 32))
}

func extract32(base, offset, count uint32) uint32 {
	return uint32(bituextract(uint64(base), uint64(offset), uint64(count), 32))
}

// ownLoops holds handwritten loops: those with a mask, a copy, or a short cut.
var ownLoops = map[loopKey]loopForms{
	{Mov, I8, Void}:        {0: copyRow},
	{Mov, I16, Void}:       {0: copyRow},
	{Mov, I32, Void}:       {0: copyRow},
	{Mov, F16, Void}:       {0: copyRow},
	{Mov, F32, Void}:       {0: copyRow},
	{Select, I8, Void}:     {1: selectVV, 3: selectAny, 5: selectAny, 7: selectAny},
	{Select, I16, Void}:    {1: selectVV, 3: selectAny, 5: selectAny, 7: selectAny},
	{Select, I32, Void}:    {1: selectVV, 3: selectAny, 5: selectAny, 7: selectAny},
	{Select, F16, Void}:    {1: selectVV, 3: selectAny, 5: selectAny, 7: selectAny},
	{Select, F32, Void}:    {1: selectVV, 3: selectAny, 5: selectAny, 7: selectAny},
	{DivSelect, I32, Void}: {1: divSelectAny, 3: divSelectAny, 5: divSelectAny, 7: divSelectAny, 9: divSelectAny, 11: divSelectAny, 13: divSelectAny},
	{Fma, F32, Void}:       {fmaAny, fmaAny, fmaAny, fmaAny, fmaAny, fmaAny, fmaAny},
}

func copyRow(st *State, in *Inst) {
	d := st.target(in)
	copy(d, st.row(in.Src[0], 0))
	st.merge(in, d)
}

func selectVV(st *State, in *Inst) {
	st.selectRow(in, st.row(in.Src[1], 0), st.row(in.Src[2], 0))
}

func selectAny(st *State, in *Inst) {
	st.selectRow(in, st.broadcast(in.Src[1], 1), st.broadcast(in.Src[2], 2))
}

func (st *State) selectRow(in *Inst, b, c []uint32) {
	d, m := st.target(in), st.word(in.Src[0])
	chooseRow(d, b, c, m)
	st.merge(in, d)
}

func chooseRowGo(d, a, b []uint32, lanes uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		chosen := -uint32(lanes & 1)
		d[i] = b[i] ^ (a[i]^b[i])&chosen
		lanes >>= 1
	}
}

func divSelectAny(st *State, in *Inst) {
	divisor := st.Tmp[0][:st.Lanes] // the result may go to its row
	if in.Src[3].Kind == Vector {
		copy(divisor, st.row(in.Src[3], 0))
	} else if divisor = nil; uint32(st.word(in.Src[3])) == 0 {
		divisor = st.broadcast(in.Src[3], 0)
	}
	st.selectRow(in, st.broadcast(in.Src[1], 1), st.broadcast(in.Src[2], 2))
	if divisor == nil { // no lane divides by zero
		return
	}
	dst := st.row(in.Dst, 0)
	for l, by := range divisor[:len(dst)] {
		if by == 0 && st.Exec>>l&1 != 0 {
			dst[l] = 0
		}
	}
}

func fmaAny(st *State, in *Inst) {
	d := st.target(in)
	fmaRow(d, st.broadcast(in.Src[0], 0), st.broadcast(in.Src[1], 1), st.broadcast(in.Src[2], 2))
	st.merge(in, d)
}

package isa

import (
	"math"
	"sync"
)

// The meaning of products of matrices. An element of the sum starts as that of C, and the products are added one after
// the other, k ascending:
//
//   - Floats: the product is exact, and each sum is rounded once to nearest even,
//     to 32 bits, or to 64 for products of F64. Accumulators of 16 bits are
//     widened first and rounded once at the end. Subnormals are kept; a NaN is the
//     quiet one without payload. How many products the machines add at once,
//     and how they round in between, is not published.
//   - Integers: the products and their sum are exact; C is added last, and the
//     result wraps, or saturates if the instruction says so.
//
// Every lane takes part, whatever the execution mask (CDNA3 ISA 7.1; RDNA3 ISA 7.9: EXEC is ignored). Only active lanes
// are written, so that other lanes keep their values across divergent control flow.

// A tile holds the elements of the matrices, row by row. A deep product is computed in slices along k.
const (
	sliceDepth = 32
	maxSlices  = 4 // of the deepest product
	factorLen  = MatrixTile * sliceDepth
	sumLen     = MatrixTile * MatrixTile
)

// elementMap maps the parts of registers to elements of a tile: by register, then lane and part.
type elementMap struct {
	perReg, lanes int // lanes with distinct elements
	elements      [][]uint16
}

// A matrixPlan holds the layout of an instruction's operands.
type matrixPlan struct {
	op      *MatrixOp
	k       int
	a, b, c elementMap
}

// plans holds the plans of each instruction for waves of 32 and of 64 lanes, made for the first product.
var plans = sync.OnceValue(func() [][2]matrixPlan {
	list := make([][2]matrixPlan, len(MatrixOps))
	for i := range MatrixOps {
		for wide, lanes := range []int{32, 64} {
			o := &MatrixOps[i]
			list[i][wide] = matrixPlan{o, o.K, newElementMap(o, UseA, lanes), newElementMap(o, UseB, lanes), newElementMap(o, UseC, lanes)}
		}
	}
	return list
})

func newElementMap(o *MatrixOp, use MatrixUse, lanes int) elementMap {
	f := o.Unit.Fragment(use, [...]Type{o.A, o.B, o.C}[use], o.K, lanes)
	p := elementMap{perReg: f.PerReg, lanes: lanes}
	if f.Step == [2]int{} {
		p.lanes = MatrixTile
	}
	for r := 0; r < len(f.Offsets); r += f.PerReg {
		list := make([]uint16, 0, p.lanes*f.PerReg)
		for l := range p.lanes {
			for e := r; e < r+f.PerReg; e++ {
				k := f.DepthPosition(e, l)
				at := k*MatrixTile + l%MatrixTile
				if use == UseA {
					at = k/sliceDepth*factorLen + l%MatrixTile*min(o.K, sliceDepth) + k%sliceDepth
				}
				list = append(list, uint16(at))
			}
		}
		p.elements = append(p.elements, list)
	}
	return p
}

func matrixMulAdd(st *State, in *Inst) {
	m := SplitMatrixImm(in.Imm)
	p := &plans()[m.Op][st.Lanes/64]
	switch p.op.C {
	case I32:
		p.integers(st, in, m)
	case F64:
		p.doubles(st, in)
	default:
		p.floats(st, in)
	}
}

// rowOf returns the row of a register; of a scalar one or a literal, a row of it.
func (st *State) rowOf(r Reg) []uint32 {
	if r.Kind == Vector {
		return st.row(r, 0)
	}
	row := st.Tmp[0][:st.Lanes]
	FillRow(row, uint32(st.word(r)), st.Full, st.Full)
	return row
}

// gather decodes the elements of a tile from its registers.
func (p *elementMap) gather(st *State, regs []Reg, t Type, out []float32) {
	for r, at := range p.elements {
		row := st.rowOf(regs[r])[:p.lanes]
		switch {
		case t == F32:
			for l, w := range row {
				out[at[l]] = float(w)
			}
		case t == F16 && p.perReg == 2:
			for l, w := range row {
				out[at[2*l]], out[at[2*l+1]] = halfQuick(w&0xffff), halfQuick(w>>16)
			}
		case t == BF16 && p.perReg == 2:
			for l, w := range row {
				out[at[2*l]], out[at[2*l+1]] = float(w<<16), float(w&0xffff0000)
			}
		case t == E4M3 || t == E5M2:
			value := &byteFloats[t-E4M3]
			for l, w := range row {
				to := at[4*l : 4*l+4]
				out[to[0]], out[to[1]], out[to[2]], out[to[3]] = value[w&0xff], value[w>>8&0xff], value[w>>16&0xff], value[w>>24]
			}
		default: // accumulators of 16 bits
			p.gatherNarrow(row, at, t, out)
		}
	}
}

func (p *elementMap) gatherNarrow(row []uint32, at []uint16, t Type, out []float32) {
	for l, w := range row {
		for n := range p.perReg {
			out[at[l*p.perReg+n]] = decodeNarrow(t, w)
			w >>= t.Bits()
		}
	}
}

// decodeNarrow returns the value of a 16-bit float in the low half of a word.
func decodeNarrow(t Type, w uint32) float32 {
	if t == F16 {
		return halfQuick(w & 0xffff)
	}
	return float(w << 16)
}

// byteFloats holds the values of the 8-bit floats.
var byteFloats = func() (table [2][256]float32) {
	for i, t := range []Type{E4M3, E5M2} {
		for b := range table[i] {
			table[i][b] = float32(smallFloat(t, uint64(b)))
		}
	}
	return table
}()

// halfQuick is half by one multiplication, which renormalises subnormals.
func halfQuick(h uint32) float32 {
	if h&0x7c00 == 0x7c00 {
		return half(h)
	}
	return float(h&0x8000<<16|h&0x7fff<<13) * 0x1p112
}

// floats computes products with sums of 32 bits.
func (p *matrixPlan) floats(st *State, in *Inst) {
	if p.k > sliceDepth {
		var a, b [maxSlices * factorLen]float32
		p.floatsIn(st, in, a[:], b[:])
		return
	}
	var a, b [factorLen]float32 // fewer to clear
	p.floatsIn(st, in, a[:], b[:])
}

// floatsIn is floats with space for A and B.
func (p *matrixPlan) floatsIn(st *State, in *Inst, a, b []float32) {
	var c [sumLen]float32
	x := in.Matrix
	p.a.gather(st, x.A, p.op.A, a)
	p.b.gather(st, x.B, p.op.B, b)
	p.c.gather(st, x.C, p.op.C, c[:])
	p.multiply(&c, a, b)
	var words [sumLen]uint32
	for i, v := range c {
		words[i] = encodeSum(p.op.C, v)
	}
	p.c.scatter(st, x.D, &words, p.op.C.Bits())
}

func encodeSum(t Type, v float32) uint32 {
	switch {
	case v != v:
		return uint32(quietNaNs[t])
	case t == F32:
		return word32(v)
	}
	return uint32(FloatBits(t, float64(v)))
}

// quietNaNs holds the NaNs of the types with infinities, without sign and payload.
var quietNaNs = [E5M2 + 1]uint64{F16: 0x7e00, BF16: 0x7fc0, F32: 0x7fc00000, F64: 0x7ff8 << 48}

// scatter writes the elements of a tile to the active lanes of its registers.
func (p *elementMap) scatter(st *State, regs []Reg, words *[sumLen]uint32, bits uint) {
	for r, at := range p.elements {
		if regs[r].Kind != Vector {
			continue // not used
		}
		row := st.row(regs[r], 0)
		for l := range row {
			if st.Exec>>l&1 == 0 {
				continue
			}
			if p.perReg == 1 {
				row[l] = words[at[l]]
				continue
			}
			row[l] = words[at[2*l]] | words[at[2*l+1]]<<bits
		}
	}
}

// multiply computes c += a * b, slice by slice.
func (p *matrixPlan) multiply(c *[sumLen]float32, a, b []float32) {
	for k := 0; k < p.k; k += sliceDepth {
		matrixProduct(c, (*[factorLen]float32)(a[k*MatrixTile:]), (*[factorLen]float32)(b[k*MatrixTile:]), min(p.k, sliceDepth))
	}
}

// matrixProductGo computes c += a * b for tiles of k columns and rows.
func matrixProductGo(c *[sumLen]float32, a, b *[factorLen]float32, k int) {
	for i := range MatrixTile {
		for n := range k {
			x := a[i*k+n]
			row := b[n*MatrixTile : (n+1)*MatrixTile]
			sum := c[i*MatrixTile : (i+1)*MatrixTile]
			for j, y := range row {
				sum[j] = fma32(x, y, sum[j])
			}
		}
	}
}

// fma32 returns x*y + z with one rounding.
func fma32(x, y, z float32) float32 {
	sum := float32(addToOdd(float64(x)*float64(y), float64(z)))
	if sum != sum {
		return float(uint32(fmaNaN(F32, uint64(word32(x)), uint64(word32(y)), uint64(word32(z)))))
	}
	return sum
}

// integers computes products of bytes with sums of 32 bits. The sum of 64 products is below 2^22, so floats hold it
// exactly.
func (p *matrixPlan) integers(st *State, in *Inst, m MatrixImm) {
	if p.k > sliceDepth {
		var a, b [maxSlices * factorLen]float32
		p.integersIn(st, in, m, a[:], b[:])
		return
	}
	var a, b [factorLen]float32 // fewer to clear
	p.integersIn(st, in, m, a[:], b[:])
}

// integersIn is integers with space for A and B.
func (p *matrixPlan) integersIn(st *State, in *Inst, m MatrixImm, a, b []float32) {
	var sum [sumLen]float32
	var c [sumLen]uint32
	x := in.Matrix
	p.a.bytes(st, x.A, m.SignedA, a)
	p.b.bytes(st, x.B, m.SignedB, b)
	for r, at := range p.c.elements {
		for l, w := range st.rowOf(x.C[r])[:p.c.lanes] {
			c[at[l]] = w
		}
	}
	p.multiply(&sum, a, b)
	for i, s := range sum {
		c[i] = addTotal(c[i], int32(s), m)
	}
	p.c.scatter(st, x.D, &c, 32)
}

// bytes gathers integers of 8 bits.
func (p *elementMap) bytes(st *State, regs []Reg, signed bool, out []float32) {
	for r, at := range p.elements {
		for l, w := range st.rowOf(regs[r])[:p.lanes] {
			to := at[4*l : 4*l+4]
			if signed {
				out[to[0]], out[to[1]], out[to[2]], out[to[3]] = float32(int8(w)), float32(int8(w>>8)), float32(int8(w>>16)), float32(int8(w>>24))
			} else {
				out[to[0]], out[to[1]], out[to[2]], out[to[3]] = float32(uint8(w)), float32(uint8(w>>8)), float32(uint8(w>>16)), float32(w>>24)
			}
		}
	}
}

// addTotal adds the products to an element of C.
func addTotal(c uint32, sum int32, m MatrixImm) uint32 {
	switch {
	case !m.Saturate:
		return c + uint32(sum)
	case m.Total:
		return uint32(max(math.MinInt32, min(math.MaxInt32, int64(int32(c))+int64(sum))))
	}
	return uint32(max(0, min(math.MaxUint32, int64(c)+int64(sum))))
}

// doubles computes products of F64.
func (p *matrixPlan) doubles(st *State, in *Inst) {
	var a, b [factorLen]float64
	var c [sumLen]float64
	x := in.Matrix
	p.a.wide(st, x.A, a[:])
	p.b.wide(st, x.B, b[:])
	p.c.wide(st, x.C, c[:])
	for i := range MatrixTile {
		for n := range p.k {
			for j := range MatrixTile {
				at := i*MatrixTile + j
				c[at] = math.FMA(a[i*p.k+n], b[n*MatrixTile+j], c[at])
			}
		}
	}
	for r, at := range p.c.elements {
		if x.D[r].Kind != Vector {
			continue
		}
		out := st.sinkFor(x.D[r], F64)
		for l, i := range at {
			if st.Exec>>l&1 == 0 {
				continue
			}
			bits := math.Float64bits(c[i])
			if c[i] != c[i] {
				bits = quietNaNs[F64]
			}
			out.set(l, bits)
		}
	}
}

func (p *elementMap) wide(st *State, regs []Reg, out []float64) {
	for r, at := range p.elements {
		v := st.viewOf(regs[r], F64)
		for l := range p.lanes {
			out[at[l]] = math.Float64frombits(v.lane(l))
		}
	}
}

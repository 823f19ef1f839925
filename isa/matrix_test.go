package isa

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A spot is the position of an element: register, lowest bit in it, lane.
type spot struct{ reg, bit, lane int }

// The layouts as AMD's matrix instruction calculator prints them, by the unit,
// the bits of an element and the lanes of the wave: along is k for A and B, the
// row for C and D; across is the row of A and the column of B, C and D.
var layouts = map[string]func(along, across int) spot{
	"cdna2 factor 8/64":  func(k, i int) spot { return spot{0, 8 * (k % 4), 16*(k/4) + i} },
	"cdna2 factor 16/64": func(k, i int) spot { return spot{k / 2 % 2, 16 * (k % 2), 16*(k/4) + i} },
	"cdna2 factor 32/64": func(k, i int) spot { return spot{0, 0, 16*k + i} },
	"cdna2 factor 64/64": func(k, i int) spot { return spot{0, 0, 16*k + i} },
	"cdna2 sum 32/64":    func(i, j int) spot { return spot{i % 4, 0, 16*(i/4) + j} },
	"cdna2 sum 64/64":    func(i, j int) spot { return spot{2 * (i / 4), 0, 16*(i%4) + j} },

	"cdna3 factor 8/64":  func(k, i int) spot { return spot{k / 4 % 2, 8 * (k % 4), 16*(k/8) + i} },
	"cdna3 factor 16/64": func(k, i int) spot { return spot{k / 2 % 2, 16 * (k % 2), 16*(k/4) + i} },
	"cdna3 factor 32/64": func(k, i int) spot { return spot{0, 0, 16*k + i} },
	"cdna3 factor 64/64": func(k, i int) spot { return spot{0, 0, 16*k + i} },
	"cdna3 sum 32/64":    func(i, j int) spot { return spot{i % 4, 0, 16*(i/4) + j} },
	"cdna3 sum 64/64":    func(i, j int) spot { return spot{2 * (i / 4), 0, 16*(i%4) + j} },

	// Of CDNA4, by the depth of the product: the ROCm blog "Matrix Core Programming on AMD CDNA3 and CDNA4 architecture".
	"cdna4 factor 8/64 of 32":  func(k, i int) spot { return spot{k / 4 % 2, 8 * (k % 4), 16*(k/8) + i} },
	"cdna4 factor 8/64 of 64":  func(k, i int) spot { return spot{k / 4 % 4, 8 * (k % 4), 16*(k/16) + i} },
	"cdna4 factor 8/64 of 128": func(k, i int) spot { return spot{4*(k/64) + k/4%4, 8 * (k % 4), 16*(k/16%4) + i} },
	"cdna4 factor 16/64 of 16": func(k, i int) spot { return spot{k / 2 % 2, 16 * (k % 2), 16*(k/4) + i} },
	"cdna4 factor 16/64 of 32": func(k, i int) spot { return spot{k / 2 % 4, 16 * (k % 2), 16*(k/8) + i} },
	"cdna4 factor 32/64 of 4":  func(k, i int) spot { return spot{0, 0, 16*k + i} },
	"cdna4 factor 64/64 of 4":  func(k, i int) spot { return spot{0, 0, 16*k + i} },
	"cdna4 sum 32/64":          func(i, j int) spot { return spot{i % 4, 0, 16*(i/4) + j} },
	"cdna4 sum 64/64":          func(i, j int) spot { return spot{2 * (i / 4), 0, 16*(i%4) + j} },

	"rdna3 factor 8/32":  func(k, i int) spot { return spot{k / 4, 8 * (k % 4), i} }, // and i+16
	"rdna3 factor 16/32": func(k, i int) spot { return spot{k / 2, 16 * (k % 2), i} },
	"rdna3 factor 8/64":  func(k, i int) spot { return spot{k / 4, 8 * (k % 4), i} }, // and i+16, i+32, i+48
	"rdna3 factor 16/64": func(k, i int) spot { return spot{k / 2, 16 * (k % 2), i} },
	"rdna3 sum 32/32":    func(i, j int) spot { return spot{i / 2, 0, 16*i%32 + j} },
	"rdna3 sum 16/32":    func(i, j int) spot { return spot{i / 2, 0, 16*i%32 + j} },
	"rdna3 sum 32/64":    func(i, j int) spot { return spot{i / 4, 0, 16*i%64 + j} },
	"rdna3 sum 16/64":    func(i, j int) spot { return spot{i / 4, 0, 16*i%64 + j} },

	"rdna4 factor 8/32":  func(k, i int) spot { return spot{k / 4 % 2, 8 * (k % 4), 16*(k/8) + i} },
	"rdna4 factor 16/32": func(k, i int) spot { return spot{2*(k/8) + k/2%2, 16 * (k % 2), 16*(k/4%2) + i} },
	"rdna4 factor 8/64":  func(k, i int) spot { return spot{0, 8 * (k % 4), 32*(k/4%2) + 16*(k/8%2) + i} },
	"rdna4 factor 16/64": func(k, i int) spot { return spot{k / 2 % 2, 16 * (k % 2), 32*(k/8%2) + 16*(k/4%2) + i} },
	"rdna4 sum 32/32":    func(i, j int) spot { return spot{i % 8, 0, 16*(i/8) + j} },
	"rdna4 sum 16/32":    func(i, j int) spot { return spot{i / 2 % 4, 16 * (i % 2), 16*(i/8) + j} },
	"rdna4 sum 32/64":    func(i, j int) spot { return spot{i % 4, 0, 32*(i/4%2) + 16*(i/8) + j} },
	"rdna4 sum 16/64":    func(i, j int) spot { return spot{i / 2 % 2, 16 * (i % 2), 32*(i/4%2) + 16*(i/8) + j} },
}

// gprs are the registers of A or B, and of C, as the calculator lists them.
var gprs = map[string][2]int{
	"cdna2 mfma_f32_16x16x16f16/64": {2, 4}, "cdna2 mfma_i32_16x16x16i8/64": {1, 4}, "cdna2 mfma_f64_16x16x4f64/64": {2, 8},
	"cdna3 mfma_f32_16x16x16_f16/64": {2, 4}, "cdna3 mfma_i32_16x16x32_i8/64": {2, 4},
	"cdna3 mfma_f32_16x16x4_f32/64": {1, 4}, "cdna3 mfma_f64_16x16x4_f64/64": {2, 8},
	"cdna4 mfma_f32_16x16x32_f16/64": {4, 4}, "cdna4 mfma_i32_16x16x64_i8/64": {4, 4}, "cdna4 mfma_f32_16x16x128_f8f6f4 cbsz:0 blgp:0/64": {8, 4},
	"rdna3 wmma_f32_16x16x16_f16/32": {8, 8}, "rdna3 wmma_f32_16x16x16_f16/64": {8, 4},
	"rdna3 wmma_f16_16x16x16_f16/32": {8, 8}, "rdna3 wmma_i32_16x16x16_iu8/64": {4, 4},
	"rdna4 wmma_f32_16x16x16_f16/32": {4, 8}, "rdna4 wmma_f16_16x16x16_f16/64": {2, 2},
	"rdna4 wmma_i32_16x16x16_iu8/32": {2, 8}, "rdna4 wmma_f32_16x16x16_fp8_bf8/64": {1, 4},
}

func TestRegistersOfMatrixInstructions(t *testing.T) {
	for i := range MatrixOps {
		o := &MatrixOps[i]
		for _, lanes := range wavesOf(o.Unit) {
			want, ok := gprs[fmt.Sprintf("%s/%d", o, lanes)]
			a, c := o.Unit.Fragment(UseA, o.A, o.K, lanes), o.Unit.Fragment(UseC, o.C, o.K, lanes)
			if got := [2]int{a.Registers(o.A.Bits()), c.Registers(o.C.Bits())}; ok && got != want {
				t.Errorf("%s, wave%d: %v registers, want %v", o, lanes, got, want)
			}
			if a.Depth != o.K {
				t.Errorf("%s: the tiles of A are %d deep", o, a.Depth)
			}
		}
	}
}

func wavesOf(u MatrixUnit) []int {
	if u.mfma() {
		return []int{64}
	}
	return []int{32, 64}
}

// A product is one matrix instruction with its operands as plain matrices.
type product struct {
	o       *MatrixOp
	lanes   int
	imm     MatrixImm
	a, b, c [][]uint64
	st      *State
	in      *Inst
}

const (
	rowsOfA = 0
	rowsOfB = 20
	rowsOfC = 40
)

func newProduct(op, lanes int, imm MatrixImm, element func(Type) uint64) *product {
	o := &MatrixOps[op]
	imm.Op = op
	p := &product{o: o, lanes: lanes, imm: imm}
	p.a, p.b, p.c = matrixOf(16, o.K, o.A, element), matrixOf(o.K, 16, o.B, element), matrixOf(16, 16, o.C, element)
	p.st = NewState(lanes, 60, 4)
	ab, c := o.MatrixCounts(lanes)
	p.in = &Inst{Op: MatrixMulAdd, Imm: imm.Bits(), Matrix: &MatrixOperands{}}
	p.in.Matrix.A, p.in.Matrix.B = registers(rowsOfA, ab, o.A), registers(rowsOfB, ab, o.B)
	p.in.Matrix.C = registers(rowsOfC, c, o.C)
	p.in.Matrix.D = p.in.Matrix.C
	Resolve(p.in)
	return p
}

func registers(first, n int, t Type) (list []Reg) {
	for i := range n {
		list = append(list, V(first+i*max(1, int(t.Bits())/32)))
	}
	return list
}

func matrixOf(rows, columns int, t Type, element func(Type) uint64) [][]uint64 {
	m := make([][]uint64, rows)
	for i := range m {
		for range columns {
			m[i] = append(m[i], element(t))
		}
	}
	return m
}

func (p *product) layout(use string, t Type) func(along, across int) spot {
	name := fmt.Sprintf("%s %s %d/%d", p.o.Unit, use, t.Bits(), p.lanes)
	if p.o.Unit == CDNA4 && use == "factor" {
		name += fmt.Sprintf(" of %d", p.o.K)
	}
	return layouts[name]
}

// put writes an element to its spot, and in RDNA 3's factors to that of the
// other lanes that hold it.
func (p *product) put(first int, s spot, t Type, x uint64, everywhere bool) {
	for lane := s.lane; lane < p.lanes; lane += 16 {
		p.st.V[(first+s.reg)*p.lanes+lane] |= uint32(x << s.bit)
		if t.Bits() == 64 {
			p.st.V[(first+s.reg+1)*p.lanes+lane] = uint32(x >> 32)
		}
		if !everywhere {
			return
		}
	}
}

func (p *product) run() [][]uint64 {
	all := p.o.Unit == RDNA3
	factor, sum := p.layout("factor", p.o.A), p.layout("sum", p.o.C)
	for i := range 16 {
		for k := range p.o.K {
			p.put(rowsOfA, factor(k, i), p.o.A, p.a[i][k], all)
			p.put(rowsOfB, factor(k, i), p.o.B, p.b[k][i], all)
		}
		for j := range 16 {
			p.put(rowsOfC, sum(i, j), p.o.C, p.c[i][j], false)
		}
	}
	p.in.Exec(p.st, p.in)
	d := matrixOf(16, 16, p.o.C, func(Type) uint64 { return 0 })
	for i := range d {
		for j := range d[i] {
			s := sum(i, j)
			x := uint64(p.st.V[(rowsOfC+s.reg)*p.lanes+s.lane])
			if p.o.C.Bits() == 64 {
				x |= uint64(p.st.V[(rowsOfC+s.reg+1)*p.lanes+s.lane]) << 32
			}
			d[i][j] = x >> s.bit & p.o.C.Mask()
		}
	}
	return d
}

// want returns an element of the result, by the meaning that matrixexec.go states,
// through the scalar operations.
func (p *product) want(i, j int) uint64 {
	if p.o.C == I32 {
		return p.wantInteger(i, j)
	}
	wide := F32
	if p.o.C == F64 {
		wide = F64
	}
	sum := Eval(FConvert, wide, p.o.C, 0, p.c[i][j])
	for k := range p.o.K {
		x, y := Eval(FConvert, wide, p.o.A, 0, p.a[i][k]), Eval(FConvert, wide, p.o.B, 0, p.b[k][j])
		sum = Eval(Fma, wide, wide, 0, x, y, sum)
	}
	if v := FloatOf(wide, sum); v != v {
		return quietNaNs[p.o.C]
	}
	return Eval(FConvert, p.o.C, wide, 0, sum)
}

func (p *product) wantInteger(i, j int) uint64 {
	extend := func(x uint64, signed bool) int64 {
		if signed {
			return int64(int8(x))
		}
		return int64(x)
	}
	c := p.c[i][j]
	sum := int64(c)
	if p.imm.Total {
		sum = int64(int32(c))
	}
	for k := range p.o.K {
		sum += extend(p.a[i][k], p.imm.SignedA) * extend(p.b[k][j], p.imm.SignedB)
	}
	low, high := int64(0), int64(math.MaxUint32)
	if p.imm.Total {
		low, high = math.MinInt32, math.MaxInt32
	}
	if p.imm.Saturate {
		sum = max(low, min(high, sum))
	}
	return uint64(uint32(sum))
}

func (p *product) check(t *testing.T, what string) {
	t.Helper()
	d := p.run()
	for i := range d {
		for j := range d[i] {
			if want := p.want(i, j); d[i][j] != want {
				t.Fatalf("%s, wave%d, %s: element %d, %d is %#x: want %#x", p.o, p.lanes, what, i, j, d[i][j], want)
			}
		}
	}
}

// Elements: any bits, infinities, NaNs and subnormals among them; and numbers
// near one, so that sums cancel and round.
func elements(r *rand.Rand) map[string]func(Type) uint64 {
	return map[string]func(Type) uint64{
		"any bits": func(t Type) uint64 { return r.Uint64() & t.Mask() },
		"near one": func(t Type) uint64 {
			if !t.IsFloat() {
				return r.Uint64() & t.Mask()
			}
			return FloatBits(t, math.Ldexp(r.Float64()-0.5, r.IntN(8)))
		},
	}
}

func TestEveryMatrixInstructionMultiplies(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 2))
	for op := range MatrixOps {
		for _, lanes := range wavesOf(MatrixOps[op].Unit) {
			for what, element := range elements(r) {
				for range 8 {
					newProduct(op, lanes, MatrixImm{SignedA: true, SignedB: true, Total: true}, element).check(t, what)
				}
			}
		}
	}
}

func TestSignsAndSaturationOfMatrixProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 3))
	edges := func(t Type) uint64 { // bytes and sums at the ends of their ranges
		if t == I32 {
			return uint64([]uint32{0, 0x7fffffff, 0x80000000, 0xffffffff, 100}[r.IntN(5)])
		}
		return []uint64{0, 0x7f, 0x80, 0xff}[r.IntN(4)]
	}
	for op := range MatrixOps {
		if MatrixOps[op].C != I32 {
			continue
		}
		for bits := range uint64(16) {
			imm := SplitMatrixImm(bits)
			if imm.Bits() != bits {
				t.Fatalf("%+v packs to %d", imm, imm.Bits())
			}
			for _, lanes := range wavesOf(MatrixOps[op].Unit) {
				newProduct(op, lanes, imm, edges).check(t, fmt.Sprintf("%+v", imm))
			}
		}
	}
}

func TestMatrixProductsWriteActiveLanesOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 4))
	for op := range MatrixOps {
		for _, lanes := range wavesOf(MatrixOps[op].Unit) {
			p := newProduct(op, lanes, MatrixImm{}, func(t Type) uint64 { return r.Uint64() & t.Mask() })
			whole := newProduct(op, lanes, MatrixImm{}, zeroElement)
			whole.a, whole.b, whole.c = p.a, p.b, p.c
			whole.run()
			p.st.Exec = 0x0f0f0f0f0f0f0f0f & p.st.Full
			before := newProduct(op, lanes, MatrixImm{}, zeroElement)
			before.a, before.b, before.c = p.a, p.b, p.c
			before.st.Exec = 0
			before.run()
			p.run()
			for row := rowsOfC; row < 60; row++ {
				for l := range lanes {
					want := before.st
					if p.st.Exec>>l&1 != 0 {
						want = whole.st
					}
					if got := p.st.V[row*lanes+l]; got != want.V[row*lanes+l] {
						t.Fatalf("%s, wave%d: row %d of lane %d is %#x: want %#x", p.o, lanes, row, l, got, want.V[row*lanes+l])
					}
				}
			}
		}
	}
}

func zeroElement(Type) uint64 { return 0 }

func TestMatrixProductInGoIsThatOfTheProcessor(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 5))
	for _, k := range []int{4, 16, 32} {
		var a, b [factorLen]float32
		var c [sumLen]float32
		for i := range a {
			a[i], b[i] = r.Float32()-0.5, r.Float32()-0.5
		}
		for i := range c {
			c[i] = r.Float32() * 1e-3
		}
		d := c
		matrixProduct(&c, &a, &b, k)
		matrixProductGo(&d, &a, &b, k)
		if c != d {
			t.Errorf("k = %d: the products differ", k)
		}
	}
}

func TestMatrixProductsAllocateNothing(t *testing.T) {
	for op := range MatrixOps {
		for _, lanes := range wavesOf(MatrixOps[op].Unit) {
			p := newProduct(op, lanes, MatrixImm{}, zeroElement)
			if n := testing.AllocsPerRun(5, func() { p.in.Exec(p.st, p.in) }); n != 0 {
				t.Errorf("%s: %v allocations", p.o, n)
			}
		}
	}
}

func TestMatrixInstructionsDependOnTheirRegisters(t *testing.T) {
	for op := range MatrixOps {
		o := &MatrixOps[op]
		p := newProduct(op, 64, MatrixImm{}, zeroElement)
		p.in.SetDeps(60)
		ab, c := o.MatrixCounts(64)
		wide := max(1, int(o.C.Bits())/32)
		if got, want := len(p.in.Writes), c*wide; got != want {
			t.Errorf("%s writes %d rows: want %d", o, got, want)
		}
		if got, want := len(p.in.Deps), (2*ab+c)*wide; got != want {
			t.Errorf("%s reads and writes %d rows: want %d", o, got, want)
		}
	}
}

func BenchmarkMatrixProduct(b *testing.B) {
	for op := range MatrixOps {
		lanes := wavesOf(MatrixOps[op].Unit)[0]
		p := newProduct(op, lanes, MatrixImm{}, zeroElement)
		b.Run(MatrixOps[op].String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.in.Exec(p.st, p.in)
			}
		})
	}
}

func TestListingOfMatrixProducts(t *testing.T) {
	p := newProduct(0, 64, MatrixImm{}, zeroElement)
	if got, want := Disasm(p.in), "v_mfma_f32_16x16x16f16 v[40:43], v[0:1], v[20:21], v[40:43]"; got != want {
		t.Errorf("%s: want %s", got, want)
	}
	p.in.Matrix.C = slices.Clone(p.in.Matrix.C)
	for i := range p.in.Matrix.C {
		p.in.Matrix.C[i] = Lit(0x3f800000)
	}
	if got, want := Disasm(p.in), "v_mfma_f32_16x16x16f16 v[40:43], v[0:1], v[20:21], 1.0 1.0 1.0 1.0"; got != want {
		t.Errorf("%s: want %s", got, want)
	}
}

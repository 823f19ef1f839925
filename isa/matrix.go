package isa

import (
	"fmt"
	"slices"
)

// A MatrixUnit is a generation of matrix unit: it determines the products, and how the elements of a matrix are laid
// out in the registers of a wave.
type MatrixUnit uint8

// Matrix units.
const (
	NoMatrixUnit MatrixUnit = iota
	CDNA2                   // v_mfma
	CDNA3                   // v_mfma, of bytes twice as deep
	CDNA4                   // v_mfma, of narrow formats twice as deep again
	RDNA3                   // v_wmma, both halves of a wave hold all of A and B
	RDNA4                   // v_wmma, A and B once in a wave
	numMatrixUnits
)

var matrixUnitNames = [numMatrixUnits]string{"none", "cdna2", "cdna3", "cdna4", "rdna3", "rdna4"}

func (u MatrixUnit) String() string { return matrixUnitNames[u] }

func FindMatrixUnit(name string) (MatrixUnit, bool) {
	i := slices.Index(matrixUnitNames[:], name)
	return MatrixUnit(max(i, 0)), i >= 0
}

// A MatrixUse is the role of a matrix in D = A*B + C.
type MatrixUse uint8

// Uses; C and D have one layout.
const (
	UseA MatrixUse = iota
	UseB
	UseC
)

func (u MatrixUse) String() string { return [...]string{"A", "B", "accumulator"}[u] }

// A MatrixOp is a matrix instruction of a unit: D[M][N] = A[M][K] * B[K][N] + C.
type MatrixOp struct {
	Unit    MatrixUnit
	Name    string // the machine's
	K       int    // M and N are MatrixTile
	A, B, C Type
	Class   Class
}

// MatrixTile is the number of rows and of columns of every product here. CDNA also has products of 32 and of 4, of the
// same rate or a lower one.
const MatrixTile = 16

// MatrixOps lists the instructions of all units (AMD matrix instruction calculator; CDNA2, CDNA3, CDNA4, RDNA3 and RDNA4
// instruction set manuals). CDNA3's 8-bit floats differ from SPIR-V's in encoding and bias; here they are SPIR-V's. Of
// CDNA4's products of 8-bit floats, those of depth 32 have half the rate of these and are left out: a class has one time.
var MatrixOps = []MatrixOp{
	{CDNA2, "mfma_f32_16x16x16f16", 16, F16, F16, F32, ClassMatrixF16},
	{CDNA2, "mfma_f32_16x16x16bf16_1k", 16, BF16, BF16, F32, ClassMatrixBF16},
	{CDNA2, "mfma_i32_16x16x16i8", 16, I8, I8, I32, ClassMatrixI8},
	{CDNA2, "mfma_f32_16x16x4f32", 4, F32, F32, F32, ClassMatrixF32},
	{CDNA2, "mfma_f64_16x16x4f64", 4, F64, F64, F64, ClassMatrixF64},

	{CDNA3, "mfma_f32_16x16x16_f16", 16, F16, F16, F32, ClassMatrixF16},
	{CDNA3, "mfma_f32_16x16x16_bf16", 16, BF16, BF16, F32, ClassMatrixBF16},
	{CDNA3, "mfma_i32_16x16x32_i8", 32, I8, I8, I32, ClassMatrixI8},
	{CDNA3, "mfma_f32_16x16x32_fp8_fp8", 32, E4M3, E4M3, F32, ClassMatrixF8},
	{CDNA3, "mfma_f32_16x16x32_fp8_bf8", 32, E4M3, E5M2, F32, ClassMatrixF8},
	{CDNA3, "mfma_f32_16x16x32_bf8_fp8", 32, E5M2, E4M3, F32, ClassMatrixF8},
	{CDNA3, "mfma_f32_16x16x32_bf8_bf8", 32, E5M2, E5M2, F32, ClassMatrixF8},
	{CDNA3, "mfma_f32_16x16x4_f32", 4, F32, F32, F32, ClassMatrixF32},
	{CDNA3, "mfma_f64_16x16x4_f64", 4, F64, F64, F64, ClassMatrixF64},

	{RDNA3, "wmma_f32_16x16x16_f16", 16, F16, F16, F32, ClassMatrixF16},
	{RDNA3, "wmma_f16_16x16x16_f16", 16, F16, F16, F16, ClassMatrixF16},
	{RDNA3, "wmma_f32_16x16x16_bf16", 16, BF16, BF16, F32, ClassMatrixBF16},
	{RDNA3, "wmma_bf16_16x16x16_bf16", 16, BF16, BF16, BF16, ClassMatrixBF16},
	{RDNA3, "wmma_i32_16x16x16_iu8", 16, I8, I8, I32, ClassMatrixI8},

	{RDNA4, "wmma_f32_16x16x16_f16", 16, F16, F16, F32, ClassMatrixF16},
	{RDNA4, "wmma_f16_16x16x16_f16", 16, F16, F16, F16, ClassMatrixF16},
	{RDNA4, "wmma_f32_16x16x16_bf16", 16, BF16, BF16, F32, ClassMatrixBF16},
	{RDNA4, "wmma_bf16_16x16x16_bf16", 16, BF16, BF16, BF16, ClassMatrixBF16},
	{RDNA4, "wmma_i32_16x16x16_iu8", 16, I8, I8, I32, ClassMatrixI8},
	{RDNA4, "wmma_f32_16x16x16_fp8_fp8", 16, E4M3, E4M3, F32, ClassMatrixF8},
	{RDNA4, "wmma_f32_16x16x16_fp8_bf8", 16, E4M3, E5M2, F32, ClassMatrixF8},
	{RDNA4, "wmma_f32_16x16x16_bf8_fp8", 16, E5M2, E4M3, F32, ClassMatrixF8},
	{RDNA4, "wmma_f32_16x16x16_bf8_bf8", 16, E5M2, E5M2, F32, ClassMatrixF8},

	{CDNA4, "mfma_f32_16x16x32_f16", 32, F16, F16, F32, ClassMatrixF16},
	{CDNA4, "mfma_f32_16x16x16_f16", 16, F16, F16, F32, ClassMatrixF16},
	{CDNA4, "mfma_f32_16x16x32_bf16", 32, BF16, BF16, F32, ClassMatrixBF16},
	{CDNA4, "mfma_f32_16x16x16_bf16", 16, BF16, BF16, F32, ClassMatrixBF16},
	{CDNA4, "mfma_i32_16x16x64_i8", 64, I8, I8, I32, ClassMatrixI8},
	{CDNA4, "mfma_i32_16x16x32_i8", 32, I8, I8, I32, ClassMatrixI8},
	{CDNA4, "mfma_f32_16x16x128_f8f6f4 cbsz:0 blgp:0", 128, E4M3, E4M3, F32, ClassMatrixF8},
	{CDNA4, "mfma_f32_16x16x128_f8f6f4 cbsz:0 blgp:1", 128, E4M3, E5M2, F32, ClassMatrixF8},
	{CDNA4, "mfma_f32_16x16x128_f8f6f4 cbsz:1 blgp:0", 128, E5M2, E4M3, F32, ClassMatrixF8},
	{CDNA4, "mfma_f32_16x16x128_f8f6f4 cbsz:1 blgp:1", 128, E5M2, E5M2, F32, ClassMatrixF8},
	{CDNA4, "mfma_f32_16x16x4_f32", 4, F32, F32, F32, ClassMatrixF32},
	{CDNA4, "mfma_f64_16x16x4_f64", 4, F64, F64, F64, ClassMatrixF64},
}

// MatrixOpFor finds the instruction of a unit for tiles of these components, k deep; ok is false when it has none.
func MatrixOpFor(u MatrixUnit, a, b, c Type, k int) (index int, ok bool) {
	index = slices.IndexFunc(MatrixOps, func(o MatrixOp) bool { return o.Unit == u && o.A == a && o.B == b && o.C == c && o.K == k })
	return index, index >= 0
}

// A MatrixImm is a product of matrices as packed in an instruction's Imm: an index of MatrixOps, and the kinds of its
// operands.
type MatrixImm struct {
	Op                      int
	SignedA, SignedB, Total bool // integers with a sign; Total: the sum
	Saturate                bool // the sum saturates
}

// Bits packs it for Inst.Imm.
func (m MatrixImm) Bits() uint64 {
	return uint64(m.Op)<<4 | truth(m.SignedA) | truth(m.SignedB)<<1 | truth(m.Total)<<2 | truth(m.Saturate)<<3
}

// SplitMatrixImm is the inverse of Bits.
func SplitMatrixImm(imm uint64) MatrixImm {
	return MatrixImm{Op: int(imm >> 4), SignedA: imm&1 != 0, SignedB: imm&2 != 0, Total: imm&4 != 0, Saturate: imm&8 != 0}
}

// A Fragment locates the elements of a tile. A tile of A is 16 rows deep columns wide, one of B deep rows of 16
// columns, and one of C is 16 rows (the depth) of 16 columns. Lane l belongs to the row of A or the column of B or C
// with number l mod 16, and holds its elements with these positions along the depth:
//
//	Offsets[e] + Step[0] if bit 4 of l is set + Step[1] if bit 5 is
type Fragment struct {
	Depth   int
	Offsets []int  // by element that a lane holds
	Step    [2]int // 0: the lanes hold the same elements
	PerReg  int    // elements in a 32-bit register
}

// Registers returns the number of 32-bit registers that a tile takes in a lane.
func (f *Fragment) Registers(bits uint) int {
	return len(f.Offsets) / f.PerReg * max(int(bits)/32, 1)
}

// DepthPosition returns the position along the depth of element e in lane l.
func (f *Fragment) DepthPosition(e, l int) int {
	return f.Offsets[e] + l>>4&1*f.Step[0] + l>>5&1*f.Step[1]
}

// mfma reports whether the unit is one of CDNA.
func (u MatrixUnit) mfma() bool { return u == CDNA2 || u == CDNA3 || u == CDNA4 }

// MatrixDepth returns how deep a tile of A or B with these elements is, in a matrix k deep.
func (u MatrixUnit) MatrixDepth(t Type, k int) int {
	switch bits := int(t.Bits()); {
	case bits >= 32 && u.mfma():
		return 4
	case u == CDNA4 && (t == E4M3 || t == E5M2):
		return 128
	case u == CDNA4 && k%(512/bits) == 0:
		return 512 / bits
	case u == CDNA4:
		return 256 / bits
	case u == CDNA3 && bits == 8:
		return 32
	}
	return 16
}

// Fragment returns the layout of a tile of a matrix k deep (AMD matrix instruction calculator; for CDNA4 the ROCm blog
// "Matrix Core Programming on AMD CDNA3 and CDNA4 architecture"). Types that have no product are laid out as others of
// their width.
func (u MatrixUnit) Fragment(use MatrixUse, t Type, k, lanes int) Fragment {
	bits := t.Bits()
	f := Fragment{Depth: MatrixTile, PerReg: max(1, 32/int(bits))}
	groups := lanes / MatrixTile
	if use != UseC {
		f.Depth = u.MatrixDepth(t, k)
	}
	each := f.Depth / groups
	switch {
	case u == RDNA3 && use == UseC: // neighbouring rows in neighbouring groups; narrow elements one a register
		f.PerReg = 1
		f.Step, f.Offsets = [2]int{1, 2}, steps(each, groups)
	case u == RDNA3:
		f.Offsets = steps(f.Depth, 1)
	case u.mfma() && use == UseC && bits == 64:
		f.Step, f.Offsets = [2]int{1, 2}, steps(each, groups)
	case f.Depth == 128: // two runs of 16 bytes a lane
		f.Step = [2]int{16, 32}
		for e := range each {
			f.Offsets = append(f.Offsets, e/16*64+e%16)
		}
	case u == RDNA4 && use != UseC && bits >= 16 && groups == 2:
		f.Step, f.Offsets = [2]int{4, 0}, []int{0, 1, 2, 3, 8, 9, 10, 11}
	case u == RDNA4 && (use == UseC || bits == 8):
		f.Step, f.Offsets = [2]int{8, 4}, steps(each, 1)
	default:
		f.Step, f.Offsets = [2]int{each, 2 * each}, steps(each, 1)
	}
	return f
}

// steps returns n numbers from 0 on, a distance apart.
func steps(n, distance int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i * distance
	}
	return list
}

// MatrixOperands lists the registers of a product, each a 32-bit register of a lane except for 64-bit elements.
type MatrixOperands struct{ A, B, C, D []Reg }

// matrixTypes returns the types of the registers of A and B, and of C and D.
func (o *MatrixOp) matrixTypes() (ab, c Type) { return registerType(o.A), registerType(o.C) }

func registerType(t Type) Type {
	if t.Bits() == 64 {
		return t
	}
	return I32
}

// MatrixCounts returns how many registers an instruction has of A or B, and of C.
func (o *MatrixOp) MatrixCounts(lanes int) (ab, c int) {
	a := o.Unit.Fragment(UseA, o.A, o.K, lanes)
	d := o.Unit.Fragment(UseC, o.C, o.K, lanes)
	return len(a.Offsets) / a.PerReg, len(d.Offsets) / d.PerReg
}

func (o *MatrixOp) String() string { return fmt.Sprint(o.Unit, " ", o.Name) }

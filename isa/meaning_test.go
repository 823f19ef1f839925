package isa

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func f32(f float32) uint64 { return uint64(math.Float32bits(f)) }
func f64(f float64) uint64 { return math.Float64bits(f) }
func i32(i int32) uint64   { return uint64(uint32(i)) }

var (
	nan32 = f32(float32(math.NaN()))
	inf32 = f32(float32(math.Inf(1)))
)

// The rules of the package documentation, and points that are easily wrong.
func TestMeanings(t *testing.T) {
	seen := map[Op]bool{}
	for _, c := range []struct {
		op      Op
		t, from Type
		args    []uint64
		want    uint64
	}{
		{UDiv, I32, Void, []uint64{7, 0}, 0},
		{SDiv, I32, Void, []uint64{7, 0}, 0},
		{UMod, I8, Void, []uint64{7, 0}, 0},
		{SRem, I64, Void, []uint64{7, 0}, 0},
		{SMod, I16, Void, []uint64{7, 0}, 0},
		{SDiv, I32, Void, []uint64{0x80000000, 0xffffffff}, 0x80000000},
		{SDiv, I64, Void, []uint64{1 << 63, ^uint64(0)}, 1 << 63},
		{SDiv, I8, Void, []uint64{0x80, 0xff}, 0x80},
		{SRem, I64, Void, []uint64{1 << 63, ^uint64(0)}, 0},
		{SRem, I32, Void, []uint64{i32(-7), 3}, i32(-1)},
		{SMod, I32, Void, []uint64{i32(-7), 3}, 2},
		{SMod, I32, Void, []uint64{7, i32(-3)}, i32(-2)},
		{SMod, I8, Void, []uint64{0xf9, 3}, 2},
		{SMod, I32, Void, []uint64{i32(-6), 3}, 0},
		{Shl, I32, Void, []uint64{1, 33}, 2},
		{Shr, I8, Void, []uint64{0x80, 9}, 0x40},
		{Sar, I16, Void, []uint64{0x8000, 15}, 0xffff},
		{Sar, I64, Void, []uint64{1 << 63, 127}, ^uint64(0)},
		{UMulHi, I8, Void, []uint64{0xff, 0xff}, 0xfe},
		{SMulHi, I8, Void, []uint64{0x80, 0x7f}, 0xc0},
		{UMulHi, I64, Void, []uint64{^uint64(0), ^uint64(0)}, ^uint64(1)},
		{SMulHi, I64, Void, []uint64{^uint64(0), ^uint64(0)}, 0},
		{SMulHi, I64, Void, []uint64{1 << 63, 1 << 63}, 1 << 62},
		{UAddCarry, I32, Void, []uint64{0xffffffff, 1}, 1},
		{UAddCarry, I64, Void, []uint64{^uint64(0), 1}, 1},
		{UAddCarry, I16, Void, []uint64{0xfffe, 1}, 0},
		{USubBorrow, I32, Void, []uint64{1, 2}, 1},
		{SAbs, I32, Void, []uint64{0x80000000}, 0x80000000},
		{SAbs, I8, Void, []uint64{0xff}, 1},
		{SSign, I16, Void, []uint64{0x8000}, 0xffff},
		{BitCount, I8, Void, []uint64{0xff}, 8},
		{BitReverse, I16, Void, []uint64{1}, 0x8000},
		{BitFieldInsert, I32, Void, []uint64{0xffffffff, 0, 8, 8}, 0xffff00ff},
		{BitFieldInsert, I32, Void, []uint64{0, 0xff, 28, 8}, 0xf0000000},
		{BitFieldInsert, I32, Void, []uint64{5, 0xff, 32, 8}, 5},
		{BitFieldInsert, I64, Void, []uint64{0, ^uint64(0), 0, 64}, ^uint64(0)},
		{BitFieldUExtract, I32, Void, []uint64{0xf0000000, 28, 8}, 0xf},
		{BitFieldSExtract, I32, Void, []uint64{0x00000f00, 8, 4}, 0xffffffff},
		{BitFieldSExtract, I32, Void, []uint64{0xffffffff, 8, 0}, 0},
		{BitFieldSExtract, I8, Void, []uint64{0x80, 4, 200}, 0xf8},
		{FindILsb, I32, Void, []uint64{0}, 0xffffffff},
		{FindILsb, I64, Void, []uint64{1 << 40}, 40},
		{FindUMsb, I16, Void, []uint64{0}, 0xffff},
		{FindUMsb, I32, Void, []uint64{0x80000000}, 31},
		{FindSMsb, I32, Void, []uint64{0xffffffff}, 0xffffffff},
		{FindSMsb, I32, Void, []uint64{0}, 0xffffffff},
		{FindSMsb, I8, Void, []uint64{0xfd}, 1},

		{FMin, F32, Void, []uint64{nan32, f32(2)}, f32(2)},
		{FMax, F32, Void, []uint64{f32(2), nan32}, f32(2)},
		{FMin, F32, Void, []uint64{0, 0x80000000}, 0x80000000},
		{FMax, F32, Void, []uint64{0x80000000, 0}, 0},
		{FMid3, F32, Void, []uint64{f32(3), nan32, f32(2)}, f32(2)},
		{FMid3, F32, Void, []uint64{f32(3), f32(-1), f32(2)}, f32(2)},
		{FMin3, F32, Void, []uint64{nan32, nan32, f32(2)}, f32(2)},
		{SMid3, I8, Void, []uint64{0x80, 0x7f, 0xff}, 0xff},
		{Pack16, I32, Void, []uint64{0x1234, 0xabcd}, 0xabcd1234},
		{Pack8, I32, Void, []uint64{0x12, 0x34, 0x56, 0xff}, 0xff563412},
		{SDot4, I32, Void, []uint64{0x80808080, 0x80808080, 1}, 4*128*128 + 1},
		{SDot4, I32, Void, []uint64{0x7f01ff80, 0x03020101, i32(-5)}, i32(3*127 + 2*1 - 1 - 128 - 5)},
		{SDot4, I32, Void, []uint64{0x80808080, 0x80808080, 0x7fffffff}, 0x8000ffff},
		{UDot4, I32, Void, []uint64{0xffffffff, 0xffffffff, 0xffffffff}, 4*255*255 - 1},
		{SUDot4, I32, Void, []uint64{0x80808080, 0xffffffff, 0}, i32(-4 * 128 * 255)},
		{SUDot4, I32, Void, []uint64{0x00000001, 0x000000ff, 0}, 255},
		{SDot2, I32, Void, []uint64{0x80008000, 0x80008000, 0}, 0x80000000},
		{SDot2, I32, Void, []uint64{0xffff0003, 0x00050007, 0}, 16},
		{UDot2, I32, Void, []uint64{0xffffffff, 0xffffffff, 0}, 0xfffc0002}, // 2 x 65535^2, less 2^32
		{SDot4Sat, I32, Void, []uint64{0x80808080, 0x80808080, 0x7fffffff}, 0x7fffffff},
		{SDot4Sat, I32, Void, []uint64{0x80808080, 0x7f7f7f7f, 0x80000001}, 0x80000000},
		{SDot4Sat, I32, Void, []uint64{0x80808080, 0x80808080, i32(-70000)}, i32(4*128*128 - 70000)},
		{UDot4Sat, I32, Void, []uint64{0x01000000, 0x01000000, 0xffffffff}, 0xffffffff},
		{UDot4Sat, I32, Void, []uint64{0x01000000, 0x01000000, 0xfffffffe}, 0xffffffff},
		{SUDot4Sat, I32, Void, []uint64{0x80000000, 0xff000000, 0x80000000}, 0x80000000},
		{SDot2Sat, I32, Void, []uint64{0x80008000, 0x80008000, 0}, 0x7fffffff},
		{SDot2Sat, I32, Void, []uint64{0x80008000, 0x80008000, i32(-1)}, 0x7fffffff},
		{UDot2Sat, I32, Void, []uint64{0xffffffff, 0xffffffff, 0}, 0xffffffff},
		{FDot2, F32, Void, []uint64{0x3c00_4000, 0x4200_3800, f32(0.5)}, f32(0.5 + 2*0.5 + 1*3)},
		{FDot2, F16, Void, []uint64{0x0000_3c00, 0x0000_1000, 0x6800}, 0x6800}, // 2048 + 2^-11
		{FSign, F32, Void, []uint64{nan32}, 0},
		{FAdd, F32, Void, []uint64{1, 1}, 2}, // subnormals
		{FMul, F32, Void, []uint64{0x00800000, f32(0.5)}, 0x00400000},
		{FMul, F16, Void, []uint64{0x0400, 0x3800}, 0x0200},
		{FNeg, F16, Void, []uint64{0x7e01}, 0xfe01},
		{FMod, F32, Void, []uint64{f32(-7), f32(3)}, f32(2)},
		{FRem, F32, Void, []uint64{f32(-7), f32(3)}, f32(-1)},
		{Round, F32, Void, []uint64{f32(2.5)}, f32(3)},
		{Round, F32, Void, []uint64{f32(-2.5)}, f32(-3)},
		{RoundEven, F32, Void, []uint64{f32(2.5)}, f32(2)},
		{Ldexp, F32, Void, []uint64{f32(1), i32(-149)}, 1},
		{FrexpMant, F32, Void, []uint64{f32(-3)}, f32(-0.75)},
		{FrexpExp, F32, Void, []uint64{f32(-3)}, 2},
		{FrexpExp, F32, Void, []uint64{f32(0.125)}, i32(-2)},
		{FrexpExp, F32, Void, []uint64{inf32}, 0},
		{QuantizeF16, F32, Void, []uint64{f32(65520)}, inf32},
		{QuantizeF16, F32, Void, []uint64{f32(-1e-6)}, 0x80000000},
		{QuantizeF16, F32, Void, []uint64{f32(1 + 0x1p-11)}, f32(1)},
		{IsNan, F32, Void, []uint64{nan32}, 1},
		{IsInf, F64, Void, []uint64{f64(math.Inf(-1))}, 1},
		{FOrdNe, F32, Void, []uint64{nan32, f32(1)}, 0},
		{FUnordNe, F32, Void, []uint64{nan32, f32(1)}, 1},
		{FUnordEq, F32, Void, []uint64{nan32, f32(1)}, 1},
		{FUnordLt, F32, Void, []uint64{nan32, f32(1)}, 1},
		{FUnordLe, F32, Void, []uint64{f32(2), f32(1)}, 0},
		{FOrdLe, F32, Void, []uint64{f32(1), nan32}, 0},
		{FOrdEq, F32, Void, []uint64{0x80000000, 0}, 1},

		{UConvert, I8, I32, []uint64{0x1ff}, 0xff},
		{SConvert, I64, I8, []uint64{0x80}, ^uint64(0x7f)},
		{SConvert, I16, I8, []uint64{0x80}, 0xff80},
		{FToU, I32, F32, []uint64{f32(-3)}, 0},
		{FToU, I32, F32, []uint64{f32(-0.5)}, 0},
		{FToU, I32, F32, []uint64{f32(5e9)}, 0xffffffff},
		{FToU, I64, F32, []uint64{inf32}, ^uint64(0)},
		{FToU, I8, F32, []uint64{f32(255.9)}, 255},
		{FToU, I8, F32, []uint64{f32(256)}, 255},
		{FToU, I32, F32, []uint64{nan32}, 0},
		{FToS, I32, F32, []uint64{nan32}, 0},
		{FToS, I32, F32, []uint64{f32(-3.9)}, i32(-3)},
		{FToS, I32, F32, []uint64{f32(3e9)}, 0x7fffffff},
		{FToS, I32, F32, []uint64{f32(-3e9)}, 0x80000000},
		{FToS, I8, F64, []uint64{f64(-128.5)}, 0x80},
		{FToS, I64, F64, []uint64{f64(1e300)}, 1<<63 - 1},
		{UToF, F32, I64, []uint64{1<<60 + 1<<36 + 1}, f32(0x1.000002p60)}, // twice rounded: 2^60
		{SToF, F32, I64, []uint64{^uint64(1<<60 + 1<<36)}, f32(-0x1.000002p60)},
		{SToF, F64, I16, []uint64{0x8000}, f64(-32768)},
		{UToF, F16, I32, []uint64{65535}, 0x7c00},
		{FConvert, F16, F64, []uint64{f64(1 + 0x1p-11 + 0x1p-40)}, 0x3c01}, // through float32: 0x3c00
		{FConvert, F16, F32, []uint64{f32(65519.996)}, 0x7bff},
		{FConvert, F32, F16, []uint64{0x0001}, f32(0x1p-24)},
		{FConvert, F32, F64, []uint64{f64(1e300)}, inf32},

		{Pack64, I64, Void, []uint64{1, 2}, 2<<32 | 1},
		{Hi32, I32, Void, []uint64{2<<32 | 1}, 2},
		{Lo32, I32, Void, []uint64{2<<32 | 1}, 1},
		{Select, Bool, Void, []uint64{1, 0, 1}, 0},
		{Not, Bool, Void, []uint64{0}, 1},
		{LshlAdd, I32, Void, []uint64{3, 34, 5}, 17},

		// Where nothing is easily wrong, one point of each.
		{Mov, I32, Void, []uint64{7}, 7},
		{ToLanes, Bool, Void, []uint64{1}, 1},
		{ToScalar, I32, Void, []uint64{7}, 7},
		{SaveLane, I32, Void, []uint64{7}, 7}, {RestoreLane, I64, Void, []uint64{1 << 40}, 1 << 40},
		{Unpack16, I32, Void, []uint64{0xabcd1234}, 0x1234},
		{IAdd, I8, Void, []uint64{200, 100}, 44},
		{ISub, I16, Void, []uint64{2, 3}, 0xffff},
		{IMul, I8, Void, []uint64{20, 13}, 4},
		{INeg, I32, Void, []uint64{1}, 0xffffffff},
		{DivSelect, I32, Void, []uint64{1, 5, 6, 9}, 5},
		{DivSelect, I32, Void, []uint64{0, 5, 6, 9}, 6},
		{DivSelect, I32, Void, []uint64{1, 5, 6, 0}, 0},
		{UMin, I8, Void, []uint64{0x80, 1}, 1},
		{UMax, I8, Void, []uint64{0x80, 1}, 0x80},
		{SMin, I8, Void, []uint64{0x80, 1}, 0x80},
		{SMax, I8, Void, []uint64{0x80, 1}, 1},
		{UMin3, I8, Void, []uint64{0x80, 1, 2}, 1},
		{UMax3, I8, Void, []uint64{1, 0x80, 2}, 0x80},
		{UMid3, I8, Void, []uint64{1, 0x80, 2}, 2},
		{SMin3, I8, Void, []uint64{1, 0x80, 2}, 0x80},
		{SMax3, I8, Void, []uint64{1, 0x80, 2}, 2},
		{UMul24, I32, Void, []uint64{0xff000003, 0x1ffffff}, 3 * 0xffffff},
		{IMad, I32, Void, []uint64{3, 5, 7}, 22},
		{IAdd3, I32, Void, []uint64{3, 5, 0xffffffff}, 7},
		{LshlOr, I32, Void, []uint64{3, 4, 5}, 0x35},
		{AddLshl, I32, Void, []uint64{0xffffffff, 4, 33}, 6},
		{AndOr, I32, Void, []uint64{12, 10, 1}, 9},
		{Or3, I32, Void, []uint64{8, 2, 1}, 11},
		{Xor3, I32, Void, []uint64{12, 10, 1}, 7},
		{And, I32, Void, []uint64{12, 10}, 8},
		{Or, I32, Void, []uint64{12, 10}, 14},
		{Xor, I32, Void, []uint64{12, 10}, 6},
		{IEq, I32, Void, []uint64{3, 3}, 1},
		{INe, I32, Void, []uint64{3, 3}, 0},
		{ULt, I8, Void, []uint64{1, 0x80}, 1},
		{ULe, I8, Void, []uint64{0x80, 1}, 0},
		{SLt, I8, Void, []uint64{1, 0x80}, 0},
		{SLe, I8, Void, []uint64{0x80, 1}, 1},
		{FSub, F32, Void, []uint64{f32(1), f32(3)}, f32(-2)},
		{FDiv, F32, Void, []uint64{f32(1), f32(-4)}, f32(-0.25)},
		{FAbs, F32, Void, []uint64{0x80000000}, 0},
		{FMax3, F32, Void, []uint64{f32(1), nan32, f32(2)}, f32(2)},
		{Floor, F32, Void, []uint64{f32(-1.5)}, f32(-2)},
		{Ceil, F32, Void, []uint64{f32(-1.5)}, f32(-1)},
		{Trunc, F32, Void, []uint64{f32(-1.5)}, f32(-1)},
		{Fract, F32, Void, []uint64{f32(-1.25)}, f32(0.75)},
		{Sqrt, F32, Void, []uint64{f32(9)}, f32(3)},
		{Rsq, F32, Void, []uint64{f32(4)}, f32(0.5)},
		{Rcp, F32, Void, []uint64{f32(-4)}, f32(-0.25)},
		{Exp, F32, Void, []uint64{0}, f32(1)},
		{Exp2, F32, Void, []uint64{f32(-3)}, f32(0.125)},
		{Log, F32, Void, []uint64{f32(1)}, 0},
		{Log2, F32, Void, []uint64{f32(0.125)}, f32(-3)},
		{Pow, F32, Void, []uint64{f32(2), f32(-3)}, f32(0.125)},
		{Sin, F32, Void, []uint64{f32(math.Pi / 6)}, f32(0.5)},
		{Cos, F32, Void, []uint64{f32(math.Pi)}, f32(-1)},
		{Tan, F32, Void, []uint64{f32(math.Pi / 4)}, f32(1)},
		{Asin, F32, Void, []uint64{f32(1)}, f32(math.Pi / 2)},
		{Acos, F32, Void, []uint64{f32(-1)}, f32(math.Pi)},
		{Atan, F32, Void, []uint64{f32(-1)}, f32(-math.Pi / 4)},
		{Atan2, F32, Void, []uint64{f32(1), f32(-1)}, f32(3 * math.Pi / 4)},
		{Sinh, F64, Void, []uint64{f64(math.Ln2)}, f64(0.75)},
		{Cosh, F64, Void, []uint64{f64(math.Ln2)}, f64(1.25)},
		{Tanh, F32, Void, []uint64{f32(math.Ln2)}, f32(0.6)},
		{Asinh, F32, Void, []uint64{f32(0.75)}, f32(math.Ln2)},
		{Acosh, F32, Void, []uint64{f32(1.25)}, f32(math.Ln2)},
		{Atanh, F32, Void, []uint64{f32(0.5)}, f32(0.5493061443340549)},
		{Fma, F32, Void, []uint64{f32(1 + 0x1p-12), f32(1 - 0x1p-12), f32(-1)}, f32(-0x1p-24)},
		{CubeID, F32, Void, []uint64{f32(1), f32(-3), f32(2)}, f32(3)},
		{CubeSC, F32, Void, []uint64{f32(1), f32(2), f32(-3)}, f32(-1)},
		{CubeTC, F32, Void, []uint64{f32(1), f32(-3), f32(2)}, f32(-2)},
		{CubeMA, F32, Void, []uint64{f32(1), f32(-3), f32(2)}, f32(6)},
		{FClass, F32, Void, []uint64{nan32}, 0}, // no kind is asked for: TestKindsOfNumbers
		{DivScale, F32, Void, []uint64{f32(3), f32(3), f32(5)}, f32(3)},
		{DivScale, F32, Void, []uint64{f32(0x1p-130), f32(0x1p-130), f32(1)}, f32(0x1p-66)},
		{DivScale, F32, Void, []uint64{f32(0x1p-120), f32(0x1p-130), f32(0x1p-120)}, f32(0x1p-56)},
		{DivScale, F32, Void, []uint64{f32(0x1p-100), f32(0x1p50), f32(0x1p-100)}, f32(0x1p-36)},
		{DivScaled, F32, Void, []uint64{f32(0x1p50), f32(0x1p-100)}, 1},
		{DivScaled, F32, Void, []uint64{f32(3), f32(5)}, 0},
		{DivFmas, F32, Void, []uint64{f32(2), f32(3), f32(0x1p-70), 1}, f32(6 * 0x1p-64)},
		{DivFmas, F32, Void, []uint64{f32(2), f32(3), f32(4), 0}, f32(10)},
		{DivFixup, F32, Void, []uint64{f32(3), f32(-2), f32(6)}, f32(-3)},
		{DivFixup, F32, Void, []uint64{nan32, f32(0), f32(6)}, inf32},
		{DivFixup, F32, Void, []uint64{nan32, f32(0x1p-126), f32(0x1p127)}, inf32},
		{DivFixup, F32, Void, []uint64{nan32, inf32, f32(-6)}, f32(float32(math.Copysign(0, -1)))},
		{DivFixup, F32, Void, []uint64{f32(1), f32(0), f32(0)}, f32(float32(math.NaN()))},
		{FOrdLt, F32, Void, []uint64{f32(1), f32(2)}, 1},
	} {
		if got := Eval(c.op, c.t, c.from, 0, c.args...); got != c.want {
			t.Errorf("%s.%s.%s %#x = %#x, want %#x", c.op, c.t, c.from, c.args, got, c.want)
		}
		seen[c.op] = true
	}
	for i := range Table {
		if r := &Table[i]; r.Meaning != nil && !seen[r.Op] {
			t.Errorf("%s has no vector", r.Name)
		}
	}
}

// Results are canonical at every width, for all operations and any operands.
func TestMeaningsAreCanonical(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for op := range NumOps {
		for _, ty := range typesOf(op) {
			for _, from := range fromsOf(op, ty) {
				var args [4]uint64
				for range 30 {
					for k := range args {
						args[k] = someBits(r, SourceType(op, k, ty, from))
					}
					if got := Eval(op, ty, from, 0, args[:]...); got&^ResultType(op, ty, from).Mask() != 0 {
						t.Errorf("%s.%s %#x = %#x", op, ty, args, got)
					}
				}
			}
		}
	}
}

// Integers of every width against big integers.
func TestIntegersAgainstBig(t *testing.T) {
	ops := map[Op]func(z, a, b *big.Int) *big.Int{
		IAdd: (*big.Int).Add, ISub: (*big.Int).Sub, IMul: (*big.Int).Mul, SDiv: (*big.Int).Quo, SRem: (*big.Int).Rem,
	}
	rapid.Check(t, func(t *rapid.T) {
		ty := rapid.SampledFrom([]Type{I8, I16, I32, I64}).Draw(t, "type")
		a, b := rapid.Uint64().Draw(t, "a")&ty.Mask(), rapid.Uint64().Draw(t, "b")&ty.Mask()
		x, y := big.NewInt(signed(a, ty.Bits())), big.NewInt(signed(b, ty.Bits()))
		for op, f := range ops {
			if (op == SDiv || op == SRem) && b == 0 {
				continue
			}
			z := f(new(big.Int), x, y)
			want := new(big.Int).And(z, new(big.Int).SetUint64(ty.Mask())).Uint64()
			if got := Eval(op, ty, ty, 0, a, b); got != want {
				t.Fatalf("%s.%s(%#x, %#x) = %#x, want %#x", op, ty, a, b, got, want)
			}
		}
		high := new(big.Int).Mul(x, y)
		want := high.Rsh(high, ty.Bits()).And(high, new(big.Int).SetUint64(ty.Mask())).Uint64()
		if got := Eval(SMulHi, ty, ty, 0, a, b); got != want {
			t.Fatalf("smulhi.%s(%#x, %#x) = %#x, want %#x", ty, a, b, got, want)
		}
	})
}

// Every 16-bit float survives the way through each wider type.
func TestHalfRoundTrip(t *testing.T) {
	for h := range uint64(1 << 16) {
		for _, wide := range []Type{F32, F64} {
			back := Eval(FConvert, F16, wide, 0, Eval(FConvert, wide, F16, 0, h))
			if isNaN := h&0x7fff > 0x7c00; back != h && !(isNaN && back&0x7fff > 0x7c00) {
				t.Fatalf("%#04x by %s = %#04x", h, wide, back)
			}
		}
	}
}

// Each 16-bit float has the value of its sign, exponent and fraction, and converts back; a NaN quiet, with its sign and
// payload.
func TestEveryHalf(t *testing.T) {
	for h := range uint64(1 << 16) {
		exponent, fraction := int(h>>10&31), float64(h&0x3ff)
		want := math.Ldexp(1024+fraction, exponent-25)
		back := h
		switch {
		case exponent == 0:
			want = math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			want, back = math.NaN(), h|0x200
		}
		got := HalfToFloat64(h)
		if math.Abs(got) != want && want == want || math.IsNaN(got) != math.IsNaN(want) || math.Signbit(got) != (h>>15 == 1) {
			t.Fatalf("%#04x = %g, want %g", h, got, want)
		}
		if again := HalfFromFloat64(got); again != back {
			t.Fatalf("%#04x = %g comes back as %#04x, want %#04x", h, got, again, back)
		}
		if bits := math.Float32bits(HalfToFloat32(uint16(h))); want != want && bits != uint32(h>>15<<31|0xff<<23|h&0x3ff<<13) {
			t.Fatalf("NaN %#04x is %#08x in 32 bits", h, bits)
		}
	}
}

// At the ends of the range, and NaNs whose payload 16 bits can't hold.
func TestHalfOfExtremes(t *testing.T) {
	for f, want := range map[uint64]uint64{
		math.Float64bits(65519.99): 0x7bff, math.Float64bits(65520): 0x7c00, math.Float64bits(65536): 0x7c00, math.Float64bits(math.MaxFloat32): 0x7c00, math.Float64bits(math.MaxFloat64): 0x7c00,
		math.Float64bits(math.Inf(1)): 0x7c00, math.Float64bits(math.SmallestNonzeroFloat64): 0, math.Float64bits(0x1p-26): 0, math.Float64bits(0x1p-25): 0, math.Float64bits(0x1.0001p-25): 1,
		math.Float64bits(0x1.8p-24): 2, math.Float64bits(1 + 0x1p-11): 0x3c00, math.Float64bits(1 + 3*0x1p-11): 0x3c02, math.Float64bits(1 - 0x1p-13): 0x3c00, math.Float64bits(0x1.ffep-15): 0x400,
		0x7ff0000000000001: 0x7e00, 0x7ff8000000000001: 0x7e00, 0x7ffc000000000000: 0x7f00, 0x7ff0040000000000: 0x7e01,
	} {
		for _, sign := range []uint64{0, 1} {
			if got := HalfFromFloat64(math.Float64frombits(f | sign<<63)); got != want|sign<<15 {
				t.Errorf("%#x = %#04x, want %#04x", f|sign<<63, got, want|sign<<15)
			}
		}
	}
}

func TestHalfOfTheLoops(t *testing.T) {
	for h := range uint64(1 << 16) {
		got, want := half(uint32(h)), HalfToFloat64(h)
		if float64(got) != want && want == want || math.Signbit(float64(got)) != math.Signbit(want) {
			t.Fatalf("%#04x = %g, want %g", h, got, want)
		}
	}
}

// Between two neighbouring 16-bit floats, everything below the middle goes
// down, everything above goes up, and the middle goes to the even one.
func TestHalfRoundsToNearestEven(t *testing.T) {
	for h := range uint64(0x7bff) {
		low, high := HalfToFloat64(h), HalfToFloat64(h+1)
		middle := (low + high) / 2
		even := h + h&1
		for _, c := range []struct {
			f    float64
			want uint64
		}{{math.Nextafter(middle, 0), h}, {middle, even}, {math.Nextafter(middle, math.Inf(1)), h + 1}} {
			if got := HalfFromFloat64(c.f); got != c.want {
				t.Fatalf("%g = %#04x, want %#04x", c.f, got, c.want)
			}
			if got := HalfFromFloat64(-c.f); got != c.want|0x8000 {
				t.Fatalf("%g = %#04x, want %#04x", -c.f, got, c.want|0x8000)
			}
		}
	}
}

// exactFma is a*b + c rounded once to float32, by big floats.
func exactFma(a, b, c float32) float32 {
	x := new(big.Float).SetPrec(2000).SetFloat64(float64(a))
	x.Mul(x, new(big.Float).SetFloat64(float64(b)))
	x.Add(x, new(big.Float).SetFloat64(float64(c)))
	f, _ := x.Float32()
	return f
}

func finite32(r *rand.Rand) float32 {
	for {
		if f := math.Float32frombits(r.Uint32()); f-f == 0 {
			return f
		}
	}
}

// fmaTriple draws operands whose sum is hard to round: near the middle of two
// floats, among the subnormals, cancelling.
func fmaTriple(r *rand.Rand) (a, b, c float32) {
	a = float32(1 + r.Uint32N(1<<12))
	switch r.IntN(4) {
	case 0: // just beside the middle of c and its neighbour, by less than float64 can resolve
		eps := float32(math.Ldexp(1, -15-r.IntN(9)))
		return 1 + eps, (1 - eps) * 0x1p-24 * float32(1-2*r.IntN(2)), 1 + float32(r.Uint32N(1<<23))*0x1p-23
	case 1:
		return finite32(r), finite32(r), finite32(r)
	case 2:
		return a * 0x1p-75, float32(r.Uint32N(1<<24)) * 0x1p-75, math.Float32frombits(r.Uint32N(1 << 24))
	}
	b = float32(r.Uint32N(1 << 24))
	return a, b, -a * b
}

func TestFmaRoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	differs := 0
	rows := [4][]uint32{make([]uint32, 64), make([]uint32, 64), make([]uint32, 64), make([]uint32, 64)}
	for range 400 {
		for l := range 64 {
			a, b, c := fmaTriple(r)
			rows[1][l], rows[2][l], rows[3][l] = math.Float32bits(a), math.Float32bits(b), math.Float32bits(c)
		}
		for _, f := range []func(d, a, b, c []uint32){fmaRow, fmaRowGo} {
			f(rows[0], rows[1], rows[2], rows[3])
			for l := range 64 {
				a, b, c := float(rows[1][l]), float(rows[2][l]), float(rows[3][l])
				want := math.Float32bits(exactFma(a, b, c))
				if want<<1 == 0 {
					want = math.Float32bits(float32(float64(a)*float64(b) + float64(c))) // the sign of zero
				}
				if got := rows[0][l]; got != want {
					t.Fatalf("fma(%x, %x, %x) = %x, want %x", a, b, c, float(got), float(want))
				}
				if got := Eval(Fma, F32, F32, 0, uint64(rows[1][l]), uint64(rows[2][l]), uint64(rows[3][l])); uint32(got) != want {
					t.Fatalf("Eval fma(%x, %x, %x) = %#x, want %#x", a, b, c, got, want)
				}
				if float32(float64(a)*float64(b)+float64(c)) != float(want) {
					differs++
				}
			}
		}
	}
	if differs == 0 {
		t.Error("no operands for which rounding twice differs: the test tests nothing")
	}
}

// fma of 16-bit floats against exact arithmetic: sums of products of 16-bit
// floats are exact in big floats, and halves are found by comparison.
func TestHalfFmaRoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	for range 20000 {
		a, b, c := r.Uint64N(1<<16), r.Uint64N(1<<16), r.Uint64N(1<<16)
		x, y, z := HalfToFloat64(a), HalfToFloat64(b), HalfToFloat64(c)
		if x-x != 0 || y-y != 0 || z-z != 0 {
			continue
		}
		exact := new(big.Float).SetPrec(200).SetFloat64(x * y)
		exact.Add(exact, new(big.Float).SetFloat64(z))
		// Rounded to odd at 40 bits, the sum still rounds to the same half.
		short := new(big.Float).SetPrec(40).SetMode(big.ToZero).Set(exact)
		f, _ := short.Float64()
		if short.Acc() != big.Exact {
			f = math.Float64frombits(math.Float64bits(f) | 1)
		}
		if want, got := HalfFromFloat64(f), Eval(Fma, F16, F16, 0, a, b, c); got != want && got|want != 0x8000 {
			t.Fatalf("fma(%#04x, %#04x, %#04x) = %#04x, want %#04x", a, b, c, got, want)
		}
	}
}

// + - * / and square root of 32-bit floats are those of the host.
func TestFloat32AgainstHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Uint32().Draw(t, "a"), rapid.Uint32().Draw(t, "b")
		a, b := float(x), float(y)
		for op, want := range map[Op]float32{FAdd: a + b, FSub: a - b, FMul: a * b, FDiv: a / b} {
			got := float(uint32(Eval(op, F32, F32, 0, uint64(x), uint64(y))))
			if got != want && !(got != got && want != want) {
				t.Fatalf("%s(%x, %x) = %x, want %x", op, a, b, got, want)
			}
		}
	})
}

func TestEvalRefusesWhatHasNoMeaning(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Eval of ballot gave a value")
		}
	}()
	Eval(Ballot, I64, Void, 0, 1)
}

// Each kind of number is of the kinds that FClass asks for, and of no other.
func TestKindsOfNumbers(t *testing.T) {
	negativeZero := f32(float32(math.Copysign(0, -1)))
	for _, c := range []struct {
		bits uint64
		kind uint64
	}{{nan32, FClassNaN}, {inf32, FClassPlus}, {f32(float32(math.Inf(-1))), FClassMinus}, {0, FClassZero}, {negativeZero, FClassZero}, {f32(1), 0}, {f32(-0x1p-149), 0}} {
		for _, asked := range []uint64{FClassNaN, FClassPlus, FClassMinus, FClassZero, FClassNaN | FClassPlus | FClassMinus | FClassZero} {
			if got, want := Eval(FClass, F32, F32, asked, c.bits) != 0, c.kind&asked != 0; got != want {
				t.Errorf("%#x is of kinds %#x: %t, want %t", c.bits, asked, got, want)
			}
		}
	}
}

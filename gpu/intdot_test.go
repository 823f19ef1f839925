package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// Integer dot products in every form, on every machine, against sums of exact numbers.

// dotFrame is operationFrame with what dot products take besides.
var dotFrame = strings.NewReplacer(
	"OpCapability Int8\n", "OpCapability Int8\nOpCapability DotProduct\nOpCapability DotProductInputAll\nOpCapability DotProductInput4x8Bit\nOpCapability DotProductInput4x8BitPacked\n",
	"OpExtension \"SPV_EXT_float8\"", "OpExtension \"SPV_EXT_float8\"\nOpExtension \"SPV_KHR_integer_dot_product\"",
	"%%c4 = ", "%%uchar = OpTypeInt 8 0\n%%uc4 = OpTypeVector %%uchar 4\n%%uc3 = OpTypeVector %%uchar 3\n%%c3 = OpTypeVector %%char 3\n"+
		"%%us2 = OpTypeVector %%ushort 2\n%%c4 = ",
).Replace(strings.NewReplacer("%%c0", "%%k0", "%%c1", "%%k1", "%%c2", "%%k2", "%%c3", "%%k3").Replace(operationFrame))

// A dotForm is an instruction on words x and y, taken as so many parts.
type dotForm struct {
	width, parts int  // of an operand; parts 0: four bytes in a word
	x, y         bool // signed
	result       int  // width
	saturate     bool
	// mask keeps the products so small that only the last addition overflows,
	// where more would be undefined.
	mask uint32
}

func (f dotForm) name() string {
	name := "U"
	if f.x {
		name = map[bool]string{true: "S", false: "SU"}[f.y]
	}
	name += "Dot"
	if f.saturate {
		name += "AccSat"
	}
	return name
}

func (f dotForm) String() string {
	return fmt.Sprintf("%s of %d x %d bits to %d", f.name(), f.parts, f.width, f.result)
}

// number is the integer type of a width.
func number(width int, signed bool) string {
	name := map[int]string{8: "char", 16: "short", 32: "int", 64: "long"}[width]
	if signed {
		return "%" + name
	}
	return "%u" + name
}

// operand is code that makes a register an operand.
func (f dotForm) operand(to, from string, signed bool) string {
	prefix := map[bool]string{true: "", false: "u"}[signed]
	switch {
	case f.parts == 0:
		return fmt.Sprintf("%%%s = OpBitwiseAnd %%uint %%%s %%mask\n", to, from)
	case f.parts == 3:
		return fmt.Sprintf("%%%[1]s_ = OpBitcast %%%[3]sc4 %%%[2]s\n%%%[1]s = OpVectorShuffle %%%[3]sc3 %%%[1]s_ %%%[1]s_ 0 1 2\n", to, from, prefix)
	case f.width == 16:
		return fmt.Sprintf("%%%s = OpBitcast %%%ss2 %%%s\n", to, prefix, from)
	}
	return fmt.Sprintf("%%%[1]s_ = OpBitwiseAnd %%uint %%%[2]s %%mask\n%%%[1]s = OpBitcast %%%[3]sc4 %%%[1]s_\n", to, from, prefix)
}

// code computes %r; a result of 64 bits is folded into it.
func (f dotForm) code() string {
	t := number(f.result, f.x)
	s := f.operand("a", "x", f.x) + f.operand("b", "y", f.y)
	accumulator := ""
	if f.saturate {
		accumulator = " %sum"
		switch f.result {
		case 64:
			s += "%pair = OpCompositeConstruct %u2 %y %z\n%sum = OpBitcast " + t + " %pair\n"
		case 32:
			s += "%sum = OpBitcast " + t + " %z\n"
		default:
			s += "%sum = OpUConvert " + t + " %z\n"
			if f.x {
				s = strings.Replace(s, "%sum = OpUConvert", "%sum = OpSConvert", 1)
			}
		}
	}
	s += "%v = Op" + f.name() + " " + t + " %a %b" + accumulator
	if f.parts == 0 {
		s += " PackedVectorFormat4x8Bit"
	}
	switch f.result {
	case 64:
		return s + "\n%w = OpBitcast %u2 %v\n%low = OpCompositeExtract %uint %w 0\n%high = OpCompositeExtract %uint %w 1\n%h = OpIMul %uint %high %k3\n%r = OpIAdd %uint %low %h\n"
	case 32:
		return s + "\n%r = OpBitcast %uint %v\n"
	}
	if f.x {
		return s + "\n%w = OpSConvert %int %v\n%r = OpBitcast %uint %w\n"
	}
	return s + "\n%r = OpUConvert %uint %v\n"
}

// exact is the number in the i-th part of a word.
func exact(w uint32, i, width int, signed bool) *big.Int {
	v := new(big.Int).Rsh(big.NewInt(int64(w)), uint(i*width))
	v.And(v, big.NewInt(1<<width-1))
	return signedOf(v, width, signed)
}

func signedOf(v *big.Int, width int, signed bool) *big.Int {
	if signed && v.Bit(width-1) == 1 {
		return v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return v
}

// want is %r by exact numbers.
func (f dotForm) want(x, y, z uint32) uint32 {
	acc := uint64(z)
	if f.result == 64 {
		acc = uint64(z)<<32 | uint64(y)
	}
	n := f.parts
	if n == 0 {
		n = 4
	}
	if f.width == 8 && n == 4 {
		x, y = x&f.mask, y&f.mask
	}
	sum := new(big.Int)
	for i := range n {
		sum.Add(sum, new(big.Int).Mul(exact(x, i, f.width, f.x), exact(y, i, f.width, f.y)))
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(f.result))
	if f.saturate {
		a := new(big.Int).Mod(new(big.Int).SetUint64(acc), modulus)
		sum.Add(sum, signedOf(a, f.result, f.x))
		low, high := new(big.Int), new(big.Int).Sub(modulus, big.NewInt(1))
		if f.x {
			high.Rsh(high, 1)
			low.Not(high)
		}
		if sum.Cmp(low) < 0 {
			sum = low
		} else if sum.Cmp(high) > 0 {
			sum = high
		}
	}
	word := signedOf(sum.Mod(sum, modulus), f.result, f.x)
	if f.result == 64 {
		v := word.Mod(word, modulus).Uint64()
		return uint32(v) + 3*uint32(v>>32)
	}
	return uint32(word.Int64())
}

// dotForms are instructions by operands, signs, result and saturation.
func dotForms() (list []dotForm) {
	for _, signs := range [][2]bool{{true, true}, {false, false}, {true, false}} {
		add := func(f dotForm) {
			f.x, f.y = signs[0], signs[1]
			list = append(list, f)
			f.saturate = true
			list = append(list, f)
		}
		for _, parts := range []int{0, 4} {
			add(dotForm{width: 8, parts: parts, result: 8, mask: 0x03030303})
			add(dotForm{width: 8, parts: parts, result: 16, mask: 0x3f3f3f3f})
			add(dotForm{width: 8, parts: parts, result: 32, mask: math.MaxUint32})
			add(dotForm{width: 8, parts: parts, result: 64, mask: math.MaxUint32})
		}
		add(dotForm{width: 8, parts: 3, result: 32})
		add(dotForm{width: 16, parts: 2, result: 64})
		// Two products of halves may overflow 32 bits, which is undefined in front of
		// the accumulation: operands do not come so near to it (see dotOperands).
		add(dotForm{width: 16, parts: 2, result: 32})
	}
	return list
}

// dotOperands are random and extreme words; halves are no larger than 15 bits
// and a sign for the forms whose products of 16 bits have to fit.
func dotOperands(r *rand.Rand, f dotForm) []uint32 {
	extremes := []uint32{0, 1, 0x7f7f7f7f, 0x80808080, math.MaxUint32, 0x7fffffff, 0x80000000, 0x7fff8000, 0x8000007f, 0x0180ff7f}
	out := make([]uint32, 3*128)
	for i := range out {
		if out[i] = r.Uint32(); r.IntN(3) == 0 {
			out[i] = extremes[r.IntN(len(extremes))]
		}
		if f.width == 16 && f.result == 32 && i%3 < 2 {
			out[i] &= 0x7fff7fff // below 2^30 each
		}
	}
	return out
}

func TestIntegerDots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i, machine := range config.Presets() {
		for k, f := range dotForms() {
			in := dotOperands(r, f)
			if testing.Short() && (i+k)%4 != 0 {
				continue // each form on some machines
			}
			text := fmt.Sprint(in)
			data := "{type: u32, values: [" + strings.ReplaceAll(text[1:len(text)-1], " ", ", ") + "]}"
			code := fmt.Sprintf(dotFrame, f.code())
			code = strings.Replace(code, "%array = ", fmt.Sprintf("%%mask = OpConstant %%uint %d\n%%array = ", f.mask), 1)
			wave := 64
			if strings.HasPrefix(machine, "rdna") {
				wave = 32
			}
			result, err := Run(context.Background(), laneJobOn(t, machine, code, data, wave))
			if err != nil {
				t.Fatalf("%s on %s: %v", f, machine, err)
			}
			for thread := range 128 {
				v := in[3*thread:][:3]
				want := v[0]
				if thread%3 != 1 {
					want = f.want(v[0], v[1], v[2])
				}
				if got := binary.LittleEndian.Uint32(result.Buffers[0].Bytes[12*thread:]); got != want {
					t.Errorf("%s on %s, thread %d: of %#x: %#x, want %#x", f, machine, thread, v, got, want)
					break
				}
			}
		}
	}
}

// What a dot product becomes, by machine: one instruction where it has one. Where buffers are descriptors, those of bytes are other operations
// then.
func TestLoweringOfDots(t *testing.T) {
	steps := func(n int) string { return strings.TrimSpace(strings.Repeat("valu32 ", n)) }
	bytes := func(x, y bool, saturate bool) dotForm {
		return dotForm{width: 8, x: x, y: y, result: 32, saturate: saturate}
	}
	halves := func(signed, saturate bool) dotForm {
		return dotForm{width: 16, parts: 2, x: signed, y: signed, result: 32, saturate: saturate}
	}
	machines := []string{"gcn3-r9nano", "cdna3-mi300a", "rdna2-rx6800xt", "rdna3-rx7900xtx", "rdna4-like"}
	for _, c := range []struct {
		form dotForm
		op   isa.Op
		want []string // by machine
	}{
		{bytes(true, true, false), isa.SDot4, []string{"", "dot", "dot", "dot", "dot"}},
		{bytes(false, false, false), isa.UDot4, []string{"", "dot", "dot", "dot", "dot"}},
		{bytes(true, false, false), isa.SUDot4, []string{"", steps(6), "", "dot", "dot"}},
		{bytes(true, true, true), isa.SDot4Sat, []string{"", "dot", "dot", "dot", "dot"}},
		{bytes(false, false, true), isa.UDot4Sat, []string{"", "dot", "dot", "dot", "dot"}},
		{bytes(true, false, true), isa.SUDot4Sat, []string{"", steps(7), "", "dot", "dot"}},
		{halves(true, false), isa.SDot2, []string{steps(6), "dot", "dot", steps(2), steps(2)}},
		{halves(false, true), isa.UDot2Sat, []string{steps(7), "dot", "dot", steps(3), steps(3)}},
	} {
		for i, machine := range machines {
			code := fmt.Sprintf(dotFrame, c.form.code())
			code = strings.Replace(code, "%array = ", "%mask = OpConstant %uint 0xffffffff\n%array = ", 1)
			r := suite.Must(Run(context.Background(), laneJobOn(t, machine, code, "{zero: 1536}", 64)))(t)
			if got := strings.Join(classesOf(r.Listings[0].Program.Insts, c.op), " "); got != c.want[i] {
				t.Errorf("%s on %s: %q, want %q", c.form, machine, got, c.want[i])
			}
		}
	}
}

// A product of quantized numbers, by words and by vectors of bytes, which are
// loaded as words: one instruction for four products, and none to pack.
func TestByteDotKernel(t *testing.T) {
	for _, vectors := range []string{"false", "true"} {
		for _, machine := range config.Presets() {
			r := runDots(t, machine, `
shader: bytes.spv
specialization: {0: `+vectors+`}
buffers:
  - {set: 0, binding: 0, name: a, data: {random: {seed: 1, type: u32, count: 2048}}}
  - {set: 0, binding: 1, name: x, data: {random: {seed: 2, type: u32, count: 64}}}
  - {set: 0, binding: 2, name: scales, data: {random: {seed: 3, type: f32, count: 256}}}
  - {set: 0, binding: 3, name: y, data: {zero: 128}}
dispatch: [4]
`)
			checkByteProduct(t, machine, r)
			ops := map[isa.Op]int{}
			for _, in := range r.Listings[0].Program.Insts {
				ops[in.Op]++
			}
			if machine == "gcn3-r9nano" { // four products of bytes each
				ops[isa.SDot4] = ops[isa.IMul] / 4
			}
			if ops[isa.SDot4]+ops[isa.SDot4Sat] != 8 || ops[isa.Pack8] != 0 || ops[isa.SConvert] != 0 {
				t.Errorf("%s, vectors %s: %d products and %d to pack, want 8 and none", machine, vectors, ops[isa.SDot4]+ops[isa.SDot4Sat], ops[isa.Pack8])
			}
			waves := r.Stats.Waves
			if got := r.Stats.ByClass[isa.ClassDot]; got != 8*waves && machine != "gcn3-r9nano" {
				t.Errorf("%s, vectors %s: %d dot products issued, want %d", machine, vectors, got, 8*waves)
			}
		}
	}
}

// checkByteProduct compares y with sums of the same order.
func checkByteProduct(t *testing.T, machine string, r *Result) {
	t.Helper()
	a, x, scale, y := words(r.named("a")), words(r.named("x")), words(r.named("scales")), words(r.named("y"))
	form := dotForm{width: 8, x: true, y: true, result: 32, mask: math.MaxUint32}
	for row := range 32 {
		all := float32(0)
		for block := range 8 {
			sum := int32(0)
			for k := range 8 {
				sum += int32(form.want(a[row*64+block*8+k], x[block*8+k], 0))
			}
			all += math.Float32frombits(scale[row*8+block]) * float32(sum)
		}
		if got := math.Float32frombits(y[row]); math.Abs(float64(got-all)) > 1e-5*math.Abs(float64(all))+1e-3 {
			t.Fatalf("%s: row %d is %g, want %g", machine, row, got, all)
		}
	}
}

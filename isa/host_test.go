package isa

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// oddFloats are operands on which hosts differ most easily: NaNs of several
// payloads, quiet and signalling, infinities, zeros, and numbers.
var oddFloats = map[Type][]uint64{
	F16: {0x7e01, 0xfe02, 0x7c03, 0xfc04, 0x7c00, 0xfc00, 0, 0x8000, 0x3c00, 0xc248, 1, 0x0400},
	F32: {0x7fc00001, 0xffc00002, 0x7f800003, 0xff800004, 0x7f800000, 0xff800000, 0, 0x80000000, 0x3f800000, 0xc0490fdb, 1, 0x00800000},
	F64: {0x7ff8<<48 | 1, 0xfff8<<48 | 2, 0x7ff0<<48 | 3, 0xfff0<<48 | 4, 0x7ff0 << 48, 0xfff0 << 48, 0, 1 << 63, 0x3ff0 << 48, 0xc00921fb54442d18, 1, 0x0010 << 48},
}

// oddTriple returns the k-th triple of oddFloats; those repeat.
func oddTriple(t Type, k int) (a, b, c uint64) {
	list := oddFloats[t]
	n := len(list)
	return list[k%n], list[k/n%n], list[k/n/n%n]
}

// eachOddRow executes an operation for all triples of oddFloats, 64 lanes at a time.
func eachOddRow(op Op, t Type, visit func(k int, got uint64)) {
	n := len(oddFloats[t])
	for first := 0; first < n*n*n; first += 64 {
		st := NewState(64, 8, 4)
		st.Exec = st.Full
		for l := range 64 {
			a, b, c := oddTriple(t, first+l)
			for r, x := range []uint64{a, b, c} {
				st.V[2*r*64+l], st.V[(2*r+1)*64+l] = uint32(x), uint32(x>>32)
			}
		}
		in := &Inst{Op: op, T: t, Src: [4]Reg{V(0), V(2), V(4)}, Dst: V(6)}
		Resolve(in)
		in.Exec(st, in)
		for l := range 64 {
			visit(first+l, (uint64(st.V[6*64+l])|uint64(st.V[7*64+l])<<32)&t.Mask())
		}
	}
}

// floatRows returns a digest of an operation's results for all triples, with or without regard to the bits of NaNs.
func floatRows(op Op, t Type, anyNaN bool) uint64 {
	sum := fnv.New64a()
	eachOddRow(op, t, func(_ int, got uint64) {
		if x := FloatOf(t, got); x != x && anyNaN {
			got = 0
		}
		fmt.Fprintf(sum, "%x ", got)
	})
	return sum.Sum64()
}

// A fused multiply-add without a number as its result gives the first operand that is a NaN, quiet,
// and else the negative NaN without payload: in rows and for one lane alone, in each width.
func TestNaNsOfFusedMultiplyAdds(t *testing.T) {
	for ty, quiet := range map[Type]uint64{F16: 1 << 9, F32: 1 << 22, F64: 1 << 51} {
		eachOddRow(Fma, ty, func(k int, got uint64) {
			a, b, c := oddTriple(ty, k)
			alone := Eval(Fma, ty, ty, 0, a, b, c)
			if got != alone {
				t.Fatalf("fma of %s (%#x, %#x, %#x): %#x in a row, %#x alone", ty, a, b, c, got, alone)
			}
			want := got
			if x := FloatOf(ty, got); x != x {
				want = map[Type]uint64{F16: 0xfe00, F32: 0xffc00000, F64: 0xfff8 << 48}[ty]
			}
			for _, x := range []uint64{c, b, a} {
				if v := FloatOf(ty, x); v != v {
					want = x | quiet
				}
			}
			if got != want {
				t.Fatalf("fma of %s (%#x, %#x, %#x): %#x, want %#x", ty, a, b, c, got, want)
			}
		})
	}
}

// productsOfOddFloats returns a digest of the results of the matrix instructions for elements of any bits, NaNs among
// them.
func productsOfOddFloats() uint64 {
	r, sum := rand.New(rand.NewPCG(21, 8)), fnv.New64a()
	for op := range MatrixOps {
		for _, lanes := range wavesOf(MatrixOps[op].Unit) {
			fmt.Fprintf(sum, "%x ", newProduct(op, lanes, MatrixImm{}, func(t Type) uint64 {
				if list := oddFloats[t]; list != nil && r.IntN(40) == 0 {
					return list[r.IntN(len(list))]
				}
				if t == F32 {
					return uint64(math.Float32bits(r.Float32()))
				}
				return r.Uint64() & t.Mask()
			}).run())
		}
	}
	return sum.Sum64()
}

var hostOps = []Op{FAdd, FSub, FMul, Fma, FMin, FMax, Rcp, Sqrt, Rsq}

// hostFloats returns the results that may depend on the host, by name.
func hostFloats() map[string]string {
	own := map[string]string{"matrices": fmt.Sprintf("%016x", productsOfOddFloats())}
	for _, op := range hostOps {
		own[Table[op].Name] = fmt.Sprintf("%016x", floatRows(op, F32, false))
		own[Table[op].Name+"_numbers"] = fmt.Sprintf("%016x", floatRows(op, F32, true))
	}
	for _, t := range []Type{F16, F64} {
		own[fmt.Sprint("fma_", t)] = fmt.Sprintf("%016x", floatRows(Fma, t, false))
	}
	return own
}

// The bytes of a result don't depend on the features of the host's processor: the test runs itself on a processor with
// instructions masked off.
func TestEveryHostGivesTheSameFloats(t *testing.T) {
	const ask = "SPVSIM_TEST_FLOATS"
	own := hostFloats()
	if os.Getenv(ask) != "" {
		for name, digest := range own {
			fmt.Println("floats", name, digest)
		}
		return
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("the processor's features are those of amd64")
	}
	for _, without := range []string{"cpu.fma=off", "cpu.avx2=off", "cpu.fma=off,cpu.avx2=off,cpu.avx=off"} {
		c := exec.Command(os.Args[0], "-test.run=^TestEveryHostGivesTheSameFloats$")
		c.Env = append(os.Environ(), "GODEBUG="+without, ask+"=1")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", without, err, out)
		}
		found := map[string]string{}
		for _, line := range strings.Split(string(out), "\n") {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "floats" {
				found[f[1]] = f[2]
			}
		}
		if !maps.Equal(found, own) {
			t.Errorf("with GODEBUG=%s: %v\nwithout: %v", without, found, own)
		}
	}
}

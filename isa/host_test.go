package isa

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// oddFloats are operands on which hosts differ most easily: NaNs of several
// payloads, quiet and signalling, infinities, zeros, and numbers.
var oddFloats = []uint32{0x7fc00001, 0xffc00002, 0x7f800003, 0xff800004, 0x7f800000, 0xff800000, 0, 0x80000000, 0x3f800000, 0xc0490fdb, 1, 0x00800000}

// floatRows tells the result of an operation for all triples of oddFloats, 64 lanes at a time.
func floatRows(op Op) uint64 {
	n := len(oddFloats)
	sum := fnv.New64a()
	for first := 0; first < n*n*n; first += 64 {
		st := NewState(64, 4, 4)
		st.Exec = st.Full
		for l := range 64 {
			k := (first + l) % (n * n * n)
			st.V[l], st.V[64+l], st.V[128+l] = oddFloats[k%n], oddFloats[k/n%n], oddFloats[k/n/n]
		}
		in := &Inst{Op: op, T: F32, Src: [4]Reg{V(0), V(1), V(2)}, Dst: V(3)}
		Resolve(in)
		in.Exec(st, in)
		for _, w := range st.V[192:256] {
			fmt.Fprintf(sum, "%08x ", w)
		}
	}
	return sum.Sum64()
}

var hostOps = []Op{FAdd, FSub, FMul, Fma, FMin, FMax, Rcp, Sqrt, Rsq}

// The bytes of a result don't depend on what the host's processor has: the test
// runs itself on a processor that is said to lack instructions.
func TestEveryHostGivesTheSameFloats(t *testing.T) {
	const ask = "SPVSIM_TEST_FLOATS"
	own := map[string]string{}
	for _, op := range hostOps {
		own[Table[op].Name] = fmt.Sprintf("%016x", floatRows(op))
	}
	if os.Getenv(ask) != "" {
		for _, op := range hostOps {
			fmt.Println("floats", Table[op].Name, own[Table[op].Name])
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

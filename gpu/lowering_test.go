package gpu

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
	"spvsim/isa"
)

// classesOf are the classes of what an operation of a program became, its micro-operations first, in order.
func classesOf(insts []isa.Inst, op isa.Op) (list []string) {
	var steps []string
	for i := range insts {
		steps = append(steps, insts[i].Class.String())
		if insts[i].Op == isa.Micro {
			continue
		}
		if insts[i].Op == op {
			return steps
		}
		steps = nil
	}
	return nil
}

// What the operations between lanes become, by preset, wave size and lowering: counts that ACO's code gives.
func TestLoweringOfLaneOperations(t *testing.T) {
	const quad = "%w = OpExtInst %uint %ballot SwizzleInvocationsAMD %t %q\n"
	const ending = "%r = OpUConvert %ulong %w\n"
	masked := func(mask string) string {
		return "%w = OpExtInst %uint %ballot SwizzleInvocationsMaskedAMD %t " + mask + "\n"
	}
	for _, c := range []struct {
		code     string
		op       isa.Op
		machine  string
		wave     int
		lowering string
		want     string
	}{
		{quad, isa.SwizzleQuad, "gcn3-r9nano", 64, "dpp", "dpp"},
		{quad, isa.SwizzleQuad, "gcn3-r9nano", 64, "lds", "lds_swizzle"},
		{masked("%near"), isa.SwizzleQuad, "rdna3-rx7900xtx", 32, "dpp", "dpp"},
		{masked("%m"), isa.SwizzleEight, "rdna3-rx7900xtx", 32, "dpp", "dpp"},
		{masked("%m"), isa.SwizzleEight, "gcn3-r9nano", 64, "dpp", "lds_swizzle"},
		{masked("%m"), isa.SwizzleEight, "rdna3-rx7900xtx", 32, "lds", "lds_swizzle"},
		{masked("%far"), isa.SwizzleMasked, "rdna3-rx7900xtx", 32, "dpp", "lds_swizzle"},
		{"%w = OpExtInst %uint %ballot WriteInvocationAMD %t %c5 %c3\n", isa.WriteLane, "rdna3-rx7900xtx", 32, "dpp", "writelane"},
		{"%w = OpExtInst %uint %ballot MbcntAMD %pattern\n", isa.MaskedBitCount, "rdna3-rx7900xtx", 32, "dpp", "valu32"},
		{"%w = OpExtInst %uint %ballot MbcntAMD %pattern\n", isa.MaskedBitCount, "rdna3-rx7900xtx", 64, "dpp", "valu32 valu32"},
	} {
		s := laneJobOn(t, c.machine, extText(c.code+ending), "{zero: 1024}", c.wave, "timing.lowering="+c.lowering)
		r := suite.Must(Run(context.Background(), s))(t)
		if got := strings.Join(classesOf(r.Listings[0].Program.Insts, c.op), " "); got != c.want {
			t.Errorf("%s on %s, wave%d, %s: %q, want %q", c.op, c.machine, c.wave, c.lowering, got, c.want)
		}
	}
}

func TestLoweringOfQuadsAndCubes(t *testing.T) {
	r := suite.Must(Run(context.Background(), laneJob(t, quadText("Quads", [3]int{8, 8, 1}), "{zero: 4096}", 32)))(t)
	for op, n := range map[isa.Op]int{isa.QuadAll: 4, isa.QuadAny: 2} {
		if got := strings.Join(classesOf(r.Listings[0].Program.Insts, op), " "); got != strings.TrimSpace(strings.Repeat("salu ", n)) {
			t.Errorf("%s: %s, want %d scalar instructions", op, got, n)
		}
	}
	out := runLanesResult(t, laneModule(t, "cube"), make([]byte, 64*12), 64*12, 1, 32)
	count := map[string]int{}
	for _, in := range out.Listings[0].Program.Insts {
		if in.Op >= isa.Rcp && in.Op <= isa.CubeMA || in.Op == isa.Fma {
			count[fmt.Sprint(in.Op, " ", in.Class)]++
		}
	}
	want := map[string]int{"cube_id valu32": 1, "cube_sc valu32": 1, "cube_tc valu32": 1, "cube_ma valu32": 1, "rcp trans": 1, "fma fma32": 2}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", count, want)
	}
}

// String constants are set by their number or their name; one that the module has not is refused.
func TestStringConstants(t *testing.T) {
	text := suite.Must(os.ReadFile("testdata/graph/coalesce.spvasm"))(t)
	named := strings.Replace(string(text), "OpDecorate", "OpName %name \"name\"\n OpDecorate", 1)
	m := suite.Must(LoadModule([]byte(named), "coalesce.spvasm"))(t)
	for _, c := range []struct {
		v  config.NameString
		ok bool
	}{
		{config.NameString{ID: 7, Value: "a"}, true}, {config.NameString{ID: 8, Value: "a"}, false},
		{config.NameString{Name: "name", Value: "a"}, true}, {config.NameString{Name: "wide", Value: "a"}, false},
	} {
		got, err := stringConstants(m, []config.NameString{c.v})
		if (err == nil) != c.ok || c.ok && (len(got) != 1 || got[7] != "a") {
			t.Errorf("%+v: %v, %v", c.v, got, err)
		}
	}
}

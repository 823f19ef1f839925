package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// OpGroup* with the result types that SPV_AMD_shader_ballot relaxes: integers of 8 to 64 bits, at both scopes, where all
// invocations come to them.
func TestWorkgroupOperationsOfEveryWidth(t *testing.T) {
	for _, op := range ngOps {
		for _, ty := range ngTypes {
			if ty.float || op.float {
				continue
			}
			for scope, group := range map[uint32]int{2: ngThreads, 3: 32} {
				text := strings.ReplaceAll(ngModule(ty, op, scope), "NonUniformAMD", "")
				// Only the first pattern is one that all invocations hold to.
				for p := range ngPatterns {
					text = ngConstantReplaced(text, fmt.Sprintf("%%mask%d", p), 0)
					text = ngConstantReplaced(text, fmt.Sprintf("%%want%d", p), 0)
				}
				n := len(ngPatterns) * len(ngKinds)
				r := suite.Must(Run(context.Background(), laneJob(t, text, fmt.Sprintf("{zero: %d}", ngThreads*n*8), 32)))(t)
				for thread := range uint32(ngThreads) {
					for k, kind := range ngKinds {
						got := binary.LittleEndian.Uint64(r.Buffers[0].Bytes[8*(int(thread)*n+k):])
						if want := ngWant(ty, op, kind, 0, thread, group); got != want {
							t.Fatalf("%s, %s, scope %d, thread %d, %s: %#x, want %#x", op.name, ty.name, scope, thread, kind, got, want)
						}
					}
				}
			}
		}
	}
}

func ngConstantReplaced(text, name string, value uint32) string {
	return regexp.MustCompile(`(?m)^`+name+` = .*$`).ReplaceAllString(text, fmt.Sprintf("%s = OpConstant %%uint %d", name, value))
}

// Half floats of the model, by hand.
func TestGroupModelEncodesHalves(t *testing.T) {
	for x, want := range map[float64]uint64{0: 0, 1: 0x3c00, 15: 0x4b80, 750: 0x61dc, math.Inf(-1): 0xfc00} {
		if got := ngBits(x, 16); got != want {
			t.Errorf("%v: %#x, want %#x", x, got, want)
		}
	}
}

// Every test that docs/model/shaders.md names is there.
func TestLanesDocumentNamesTests(t *testing.T) {
	text := suite.Must(os.ReadFile("../docs/model/shaders.md"))(t)
	var all strings.Builder
	for _, dir := range []string{".", "../isa", "../experiments", "../lds", "../spirv/validate"} {
		files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
		for _, f := range files {
			data := suite.Must(os.ReadFile(f))(t)
			all.Write(data)
		}
	}
	names := regexp.MustCompile("`(Test[A-Za-z]+)").FindAllStringSubmatch(string(text), -1)
	if len(names) < 30 {
		t.Errorf("%d tests named", len(names))
	}
	for _, n := range names {
		if !strings.Contains(all.String(), "func "+n[1]+"(t *testing.T)") {
			t.Errorf("docs/model/shaders.md names %s, which is nowhere", n[1])
		}
	}
}

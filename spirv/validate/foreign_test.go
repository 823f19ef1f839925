package validate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
)

// foreignModules are modules from elsewhere, each with the rule that it breaks; empty: none. A rule of a warning leaves its module valid.
var foreignModules = map[string]string{
	"branchconditional-4.spv": "control flow", "coordinate-not-integer.spv": "image-coordinate", "extinst-unknown-set.spv": "",
	"grad-components.spv": "image-grad", "image-ms-127.spv": "image-fields", "image-sampled-180.spv": "image-fields", "imageread-of-block.spv": "image-operand",
	"initializer-type.spv": "types", "int-signedness.spv": "types", "resulttype.spv": "image-operand", "sampledimage-not-image.spv": "image-operand",
	"sdot-type-operand.spv": "ids", "uconvert-signed.spv": "types", "variable-late.spv": "debug-line", "workgroupsize-not-constant.spv": "decorations",
	// A block that nothing reaches is in no construct.
	"continue-construct.spv": "",
	"frexp16.spv":            "", "long-vector-one.spv": "", "long-vectors.spv": "",
	"barrier-order-no-class.spvasm": "semantics-no-class", "image-read-two-components.spvasm": "image-read-result", "negative-index.spvasm": "types",
	"runtime-array-not-block.spvasm": "runtime-array", "workgroup-offsets.spvasm": "no-layout",
}

// TestForeignModules: what one public validator or another refuses, or accepts, has the rule that it breaks.
func TestForeignModules(t *testing.T) {
	files, err := filepath.Glob("testdata/foreign/*")
	if err != nil || len(files) != len(foreignModules) {
		t.Fatalf("%d files, want %d: %v", len(files), len(foreignModules), err)
	}
	for _, file := range files {
		data := suite.Must(os.ReadFile(file))(t)
		raw, err := spirv.Decode(data)
		if strings.HasSuffix(file, ".spvasm") {
			raw, err = asm.Assemble(data, file)
		}
		if err != nil {
			t.Fatal(file, err)
		}
		name := filepath.Base(file)
		m, err := Check(raw)
		if name == "extinst-unknown-set.spv" {
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), `"FLSL.std.450"`) {
				t.Errorf("%s: %v, want the name of the set", name, err)
			}
			continue
		}
		got := firstRule(err)
		if err == nil && len(m.Warnings) > 0 {
			got = m.Warnings[0].Rule
		}
		if got != foreignModules[name] {
			t.Errorf("%s: rule %q, want %q: %v", name, got, foreignModules[name], err)
		}
	}
}

// TestNarrowConstants: the bits of a constant's word above its type are zeros or its sign.
func TestNarrowConstants(t *testing.T) {
	types := "%short = OpTypeInt 16 0\n%byte = OpTypeInt 8 1\n%s = OpConstant %short 40000\n%b = OpConstant %byte -3"
	raw := assemble(t, withParts("CAPS", "OpCapability Int16\nOpCapability Int8", "TYPES", types))
	suite.Must(Check(raw))(t)
	for i := range raw.Instructions {
		in := &raw.Instructions[i]
		if in.Op != spirv.OpConstant || in.Operands[0] != 40000 && int32(in.Operands[0]) != -3 {
			continue
		}
		was := in.Operands[0]
		for _, other := range []uint32{was ^ 1<<16, was ^ 1<<31} {
			in.Operands[0] = other
			if _, err := Check(raw); firstRule(err) != "types" || !strings.Contains(err.Error(), "want 0x") {
				t.Errorf("%#x for %#x: %v", other, was, err)
			}
		}
		in.Operands[0] = was
	}
}

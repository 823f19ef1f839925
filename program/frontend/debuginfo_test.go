package frontend

import (
	"os"
	"regexp"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// TestDebugInformationChangesNothing builds a module with the instructions that
// describe it to debuggers, whose literals are no ids, and without them.
func TestDebugInformationChangesNothing(t *testing.T) {
	text := suite.Must(os.ReadFile("../../spirv/asm/testdata/debuginfo.spvasm"))(t)
	values := func(text []byte) int {
		raw := suite.Must(asm.Assemble(text, "text"))(t)
		m := suite.Must(validate.Check(raw))(t)
		f := suite.Must(Build(m, Options{WaveSize: 32}))(t)
		n := 0
		for _, b := range f.Blocks {
			n += len(b.Code)
		}
		return n
	}
	plain := regexp.MustCompile(`(?m)^.*OpExtInst .*\n`).ReplaceAll(text, nil)
	if len(plain) == len(text) {
		t.Fatal("the module has no debug information")
	}
	if with, without := values(text), values(plain); with != without {
		t.Errorf("%d values with debug information, %d without", with, without)
	}
}

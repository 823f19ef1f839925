package frontend

import (
	"os"
	"regexp"
	"testing"

	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// TestDebugInformationChangesNothing builds a module with the instructions that
// describe it to debuggers, whose literals are no ids, and without them.
func TestDebugInformationChangesNothing(t *testing.T) {
	text, err := os.ReadFile("../../spirv/asm/testdata/debuginfo.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	values := func(text []byte) int {
		raw, err := asm.Assemble(text, "text")
		if err != nil {
			t.Fatal(err)
		}
		m, err := validate.Check(raw)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Build(m, Options{WaveSize: 32})
		if err != nil {
			t.Fatal(err)
		}
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

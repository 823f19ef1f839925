package asm

import (
	"encoding/binary"
	"flag"
	"fmt"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
)

var update = flag.Bool("update", false, "write testdata/written*.txt")

// written are operands that take the place of others.
var written = suite.Words{Separator: "=", Values: []string{"", "%a", "%", "%7", "OpTypeInt 32 0", "OpTypeFloat 16", "OpConstant %float 0x1p-3", "OpConstant %uint -1", "OpConstant %int 4294967296",
	"OpString \"a\\\"b\"", "OpLoad", "OpFoo", "!1234", "!0x10 !2", "OpConstant %uint !7", "\"text\"", "OpTypeStruct %a %a", "OpUndef %uint Aligned|Volatile", "OpIAdd %uint %a"}}

// Results of the assembler are recorded, a line each: for a text with one or two changes, the error, word for word, or
// the words and the text that the disassembler makes of them. -update writes the file.
func TestWrittenTexts(t *testing.T) {
	texts := suite.ReadTexts(t, "../../experiments/library", ".spvasm", written)
	suite.Lines(t, "written.txt", *update, 600, func(i int) string {
		name, text := texts.Changed(i)
		m, err := AssembleWith([]byte(text), name, AssembleOptions{PreserveNumericIDs: i%2 == 0})
		if err != nil {
			return err.Error()
		}
		data := m.Encode(binary.LittleEndian)
		return fmt.Sprintf("%s: %d instructions, bound %d, %s; %s", name, len(m.Instructions), m.Bound, suite.Digest(data), disassembled(m, i))
	})
}

// Results of the reader and the disassembler are recorded too, for modules with one word changed.
func TestWrittenWords(t *testing.T) {
	texts := suite.ReadTexts(t, "../../experiments/library", ".spv", suite.Words{})
	suite.Lines(t, "writtenwords.txt", *update, 1200, func(i int) string {
		name, data := texts.ChangedWord(i)
		m, err := spirv.Decode(data)
		if err != nil {
			return name + ": " + err.Error()
		}
		return fmt.Sprintf("%s: %s", name, disassembled(m, i))
	})
}

// disassembled returns the text of a module, under options that go by turns.
func disassembled(m *spirv.Module, i int) string {
	text, err := Disassemble(m, Options{RawIDs: i%2 > 0, NoHeader: i%3 > 0, NoIndent: i%5 > 0})
	return fmt.Sprintf("%s %v", suite.Digest([]byte(text)), err)
}

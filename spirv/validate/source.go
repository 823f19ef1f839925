package validate

import (
	"strings"

	"spvsim/spirv"
)

// A SourceLine is a line of the source text of a module.
type SourceLine struct {
	File string // as the compiler named it
	Line uint32 // from 1
	Text string
}

// A sourceText is the text of one file.
type sourceText struct {
	file string // as the compiler named it
	text string
}

// A linePlace identifies a line by the compiler's file name and number.
type linePlace struct {
	file string
	line uint32
}

// SourceLines returns the lines that instructions of the module come from, by number, with their text from OpSource or
// the debug information. A number is left out if instructions of several files have it, because instructions keep the
// number alone, or if several lines of the text have it by #line. nil: no text.
func (m *Module) SourceLines() map[uint32]SourceLine {
	texts := m.sourceTexts()
	if len(texts) == 0 {
		return nil
	}
	known := placesOf(texts, m.lineAfterNext(texts))
	lines, files := map[uint32]SourceLine{}, map[uint32]string{}
	m.eachLine(func(_ int, id spirv.ID, line uint32) {
		file := m.strings[id]
		if other, ok := files[line]; ok {
			if other != file {
				delete(lines, line)
			}
			return
		}
		files[line] = file
		if list := known[linePlace{file, line}]; len(list) == 1 {
			lines[line] = SourceLine{File: file, Line: line, Text: list[0]}
		}
	})
	return lines
}

// sourceTexts returns the files whose text is in the module.
func (m *Module) sourceTexts() (list []sourceText) {
	var text strings.Builder
	file := ""
	end := func() {
		if text.Len() > 0 {
			list = append(list, sourceText{file, text.String()})
		}
		text.Reset()
	}
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch {
		case in.Op == spirv.OpFunction:
			end()
			return list // texts precede functions
		case in.Op == spirv.OpSource:
			end()
			file = ""
			if len(in.Operands) > 2 {
				file = m.strings[spirv.ID(in.Operands[2])]
			}
			if len(in.Operands) > 3 {
				text.WriteString(decoded(in.Operands[3:]))
			}
		case in.Op == spirv.OpSourceContinued:
			text.WriteString(decoded(in.Operands))
		case m.isDebug(in, spirv.NonSemanticShaderDebugInfo100DebugSource):
			end()
			file = m.strings[spirv.ID(in.Operands[2])]
			if len(in.Operands) > 3 {
				text.WriteString(m.strings[spirv.ID(in.Operands[3])])
			}
		case m.isDebug(in, spirv.NonSemanticShaderDebugInfo100DebugSourceContinued):
			text.WriteString(m.strings[spirv.ID(in.Operands[2])])
		}
	}
	end()
	return list
}

func decoded(words []uint32) string {
	s, _ := spirv.DecodeString(words)
	return s
}

// isDebug reports whether an instruction is one of the debug information's.
func (m *Module) isDebug(in *spirv.Instruction, kind spirv.NonSemanticShaderDebugInfo100) bool {
	return in.Op == spirv.OpExtInst && m.imports[spirv.ID(in.Operands[0])] == debugInfoSet && in.Operands[1] == uint32(kind)
}

// eachLine calls f for each instruction that has a source line: OpLine and DebugLine hold until the next one or the end of the block.
func (m *Module) eachLine(f func(instruction int, file spirv.ID, line uint32)) {
	line, file := uint32(0), spirv.ID(0)
	for i := range m.Raw.Instructions {
		in := &m.Raw.Instructions[i]
		switch {
		case in.Op == spirv.OpLine:
			file, line = spirv.ID(in.Operands[0]), in.Operands[1]
		case in.Op == spirv.OpNoLine || in.Op == spirv.OpFunctionEnd || m.isDebug(in, spirv.NonSemanticShaderDebugInfo100DebugNoLine):
			line = 0
		case m.isDebug(in, spirv.NonSemanticShaderDebugInfo100DebugLine):
			if def := m.Def(spirv.ID(in.Operands[3])); def != nil && def.Op == spirv.OpConstant {
				file, line = m.debugFile(spirv.ID(in.Operands[2])), def.Operands[0]
			}
		}
		if line != 0 {
			f(i, file, line)
		}
		if terminator(in.Op) {
			line = 0
		}
	}
}

// debugFile returns the file's OpString of a DebugSource.
func (m *Module) debugFile(source spirv.ID) spirv.ID {
	if def := m.Def(source); def != nil && m.isDebug(def, spirv.NonSemanticShaderDebugInfo100DebugSource) {
		return spirv.ID(def.Operands[2])
	}
	return 0
}

const debugInfoSet = "NonSemantic.Shader.DebugInfo.100"

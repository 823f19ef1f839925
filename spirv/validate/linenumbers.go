package validate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spvsim/spirv"
)

// glslangHeader begins the lines that glslang puts before a text for SPIR-V without OpModuleProcessed (below 1.1); "#line 1" ends them.
// The compiler read the text without them.
const glslangHeader = "// OpModuleProcessed "

var (
	// lineDirective is #line NUMBER, or # NUMBER of preprocessed HLSL, with the name or the number of a file.
	lineDirective = regexp.MustCompile(`^\s*#\s*(?:line\b\s*)?(\d+)\s*(?:"((?:[^"\\]|\\.)*)"|(\d+))?\s*$`)
	// anyDirective also matches a directive whose number a macro gives.
	anyDirective = regexp.MustCompile(`^\s*#\s*(line\b|\d)`)
	opensBranch  = regexp.MustCompile(`^\s*#\s*if`)
	closesBranch = regexp.MustCompile(`^\s*#\s*endif\b`)
	glslVersion  = regexp.MustCompile(`(?m)^\s*#\s*version\s+(\d+)\s*(\w*)`)
)

// lineAfterNext reports whether #line N gives the number N+1 to the next line: in GLSL before 3.30, except for ES.
func (m *Module) lineAfterNext(texts []sourceText) bool {
	for i := range m.Raw.Instructions {
		if in := &m.Raw.Instructions[i]; in.Op == spirv.OpSource {
			return spirv.SourceLanguage(in.Operands[0]) == spirv.SourceLanguageGLSL && in.Operands[1] < firstNextLine
		}
	}
	return slices.ContainsFunc(texts, func(t sourceText) bool {
		v := glslVersion.FindStringSubmatch(t.text)
		if v == nil || v[2] == "es" {
			return false
		}
		n, err := strconv.Atoi(v[1])
		return err == nil && n < firstNextLine && n != 100
	})
}

// firstNextLine is the version of GLSL from which #line N gives the number N to the next line.
const firstNextLine = 330

// placesOf returns the lines of texts by their places as the compiler counts them; different lines may have one place.
func placesOf(texts []sourceText, after bool) map[linePlace][]string {
	places := map[linePlace][]string{}
	for _, t := range texts {
		n := numbering{file: t.file, position: linePlace{t.file, 1}, valid: true}
		if after {
			n.extra = 1
		}
		for _, line := range strings.Split(strings.ReplaceAll(withoutHeader(t.text), "\r\n", "\n"), "\n") {
			if n.next(line) && n.valid && !slices.Contains(places[n.position], line) {
				places[n.position] = append(places[n.position], line)
			}
			n.position.line++
		}
	}
	return places
}

// withoutHeader takes glslang's lines off a text.
func withoutHeader(text string) string {
	rest := text
	for strings.HasPrefix(rest, glslangHeader) {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if first, after, _ := strings.Cut(rest, "\n"); rest != text && first == "#line 1" {
		return after
	}
	return text
}

// A numbering follows the directives of a text.
type numbering struct {
	file     string    // name of the text's file
	position linePlace // of the next line
	extra    uint32    // that the line after a directive has beyond the directive's number
	valid    bool      // false after a directive whose number, or effect, only the preprocessor knows
	branches int       // of conditions that are open
	comment  bool      // the line begins in one
}

// next takes a line and reports whether it may have code: no directive, and not empty.
func (n *numbering) next(line string) bool {
	line = n.uncommented(line)
	if text := strings.TrimSpace(line); text == "" || text[0] != '#' {
		return text != ""
	}
	switch d := lineDirective.FindStringSubmatch(line); {
	case d != nil:
		n.line(d[1], d[2], d[3], strings.Contains(line, `"`))
	case anyDirective.MatchString(line):
		n.valid = false
	case opensBranch.MatchString(line):
		n.branches++
	case closesBranch.MatchString(line):
		n.branches = max(n.branches-1, 0)
	}
	return false
}

// line carries out a directive. The name of a file holds until another one; a number names the text's own file.
func (n *numbering) line(number, name, source string, named bool) {
	v, err := strconv.ParseUint(number, 10, 31)
	n.valid = err == nil && n.branches == 0
	n.position.line = uint32(v) + n.extra - 1 // the directive's own line comes before
	switch {
	case named:
		n.position.file = name
	case source != "":
		n.position.file = n.file
	}
}

// uncommented returns the part of a line outside of comments.
func (n *numbering) uncommented(line string) string {
	var out strings.Builder
	for line != "" {
		if n.comment {
			_, after, ends := strings.Cut(line, "*/")
			n.comment, line = !ends, after
			continue
		}
		before, after, found := strings.Cut(line, "/*")
		if end := strings.Index(line, "//"); end >= 0 && (!found || end < len(before)) {
			out.WriteString(line[:end])
			return out.String()
		}
		out.WriteString(before)
		n.comment, line = found, after
	}
	return out.String()
}

package validate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// compiled loads a module of testdata/lines, as glslang wrote it.
func compiled(t *testing.T, name string) *validate.Module {
	t.Helper()
	text := suite.Must(os.ReadFile(name))(t)
	raw := suite.Must(asm.Assemble(text, name))(t)
	return checked(t, raw)
}

func checked(t *testing.T, raw *spirv.Module) *validate.Module {
	t.Helper()
	m := suite.Must(validate.Check(raw))(t)
	return m
}

// ownLine matches the number that a line of the sources states.
var ownLine = regexp.MustCompile(`// line (\d+)`)

// numbersOf returns the numbers of source lines whose text states them. A text under another number is an error.
func numbersOf(t *testing.T, name string, lines map[uint32]validate.SourceLine) (numbers []uint32) {
	t.Helper()
	for line, l := range lines {
		own := ownLine.FindStringSubmatch(l.Text)
		if own == nil {
			continue
		}
		if strconv.Itoa(int(line)) != own[1] || l.Line != line {
			t.Errorf("%s: line %d is %q", name, line, l.Text)
		}
		if strings.Contains(l.Text, "other.glsl") != (l.File == "other.glsl") || strings.Contains(l.Text, "included") != (l.File == "./twice.glsl") {
			t.Errorf("%s: %q is of %s", name, l.Text, l.File)
		}
		numbers = append(numbers, line)
	}
	slices.Sort(numbers)
	return numbers
}

// Lines have the numbers that the compiler gives them, in all forms of debug information that glslang writes: with its own lines before the
// text, with #line of a number, of another file and back, with an included file, in HLSL, and in GLSL in which #line N is the number
// of the line after the next one.
func TestLinesOfCompiledModules(t *testing.T) {
	wants := map[string][]uint32{"plain": {6, 7}, "lines": {4, 100, 107, 108, 130}, "hlsl": {5, 50}, "old": {12}}
	files, err := filepath.Glob("testdata/lines/*.spvasm")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		source, form, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".spvasm"), "-")
		want := wants[source]
		if strings.HasSuffix(form, "-gV") {
			want = nil // no text
		}
		if got := numbersOf(t, name, compiled(t, name).SourceLines()); !slices.Equal(got, want) {
			t.Errorf("%s: lines %v, want %v", name, got, want)
		}
	}
}

// numberedSource returns a text in which every line of code states its number, behind directives at random places.
func numberedSource(directives []string) string {
	text := "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer B { uint a[]; } b;\nvoid main() {\n  uint x = b.a[0]; // line 5\n"
	line := 6
	for _, d := range directives {
		text += d + "\n"
		line++
		if number, ok := strings.CutPrefix(d, "#line "); ok {
			line, _ = strconv.Atoi(number)
		}
		text += "  x = x * x + b.a[x]; // line " + strconv.Itoa(line) + "\n"
		line++
	}
	return text + "  b.a[1] = x; // line " + strconv.Itoa(line) + "\n}\n"
}

// The installed glslang numbers lines as the text states, for each target environment and kind of debug information.
func TestLinesOfInstalledGlslang(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil || testing.Short() {
		t.Skip("needs glslangValidator")
	}
	source := numberedSource([]string{"#line 40", "// a comment", "/* #line 7 */", "#line 200", "#define N 3"})
	file := filepath.Join(t.TempDir(), "n.comp")
	suite.OK(t, os.WriteFile(file, []byte(source), 0o600))
	for _, env := range []string{"vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "opengl"} {
		for _, debug := range []string{"-g", "-gVS"} {
			out := file + env + debug + ".spv"
			if env == "opengl" {
				source = strings.Replace(source, "set = 0, ", "", 1)
				suite.OK(t, os.WriteFile(file, []byte(source), 0o600))
			}
			text, err := exec.Command("glslangValidator", "--target-env", env, debug, "-o", out, file).CombinedOutput()
			if err != nil {
				t.Fatalf("%s %s: %v\n%s", env, debug, err, text)
			}
			data := suite.Must(os.ReadFile(out))(t)
			raw := suite.Must(spirv.Decode(data))(t)
			got := numbersOf(t, env+" "+debug, checked(t, raw).SourceLines())
			if want := []uint32{5, 40, 42, 44, 200, 202, 203}; !slices.Equal(got, want) {
				t.Errorf("%s %s: lines %v, want %v", env, debug, got, want)
			}
		}
	}
}

// What only the preprocessor knows gives no text rather than a wrong one, and comments hold no directives.
func TestLinesAfterDirectives(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       string
		want       string
	}{
		{"number", "#line 20\ncode", "20", "code"},
		{"spaces", "  #  line   20  \ncode", "20", "code"},
		{"number of HLSL", "# 20 \\\"a.comp\\\"\ncode", "20", "code"},
		{"file", "#line 20 \\\"b.comp\\\"\ncode", "20", ""},
		{"back to the own file", "#line 20 \\\"b.comp\\\"\nx\n#line 30 0\ncode", "30", "code"},
		{"file that holds", "#line 20 \\\"b.comp\\\"\nx\n#line 30\ncode", "30", ""},
		{"comment behind", "#line 20 // why\ncode", "20", "code"},
		{"in a comment", "/*\n#line 20\n*/\ncode", "4", "code"},
		{"behind a comment", "/* x */ #line 20\ncode", "20", "code"},
		{"macro", "#line N\ncode", "2", ""},
		{"macro, then a number", "#line N\nx\n#line 20\ncode", "20", "code"},
		{"in a branch", "#if A\n#line 20\n#endif\ncode", "4", ""},
		{"in a branch, then outside", "#if A\n#line 20\n#endif\n#line 7\ncode", "7", "code"},
		{"two lines of one number", "one\n#line 1\ntwo", "1", ""},
		{"two equal lines of one number", "one\n#line 1\none", "1", "one"},
		{"a directive of the same number", "#define A\n#line 1\ncode", "1", "code"},
		{"header", "// OpModuleProcessed client vulkan100\n// OpModuleProcessed entry-point main\n#line 1\ncode", "1", "code"},
		{"no header", "// OpModuleProcessed client vulkan100\ncode", "2", "code"},
	} {
		got := linesOf(t, "OpSource GLSL 450 %a \""+c.text+"\"\n", "", "OpLine %a "+c.line+" 0\n")
		line := suite.Must(strconv.Atoi(c.line))(t)
		if text := got[uint32(line)].Text; text != c.want {
			t.Errorf("%s: line %d is %q, want %q", c.name, line, text, c.want)
		}
	}
}

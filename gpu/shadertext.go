package gpu

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"spvsim/internal/lists"
	"spvsim/spirv"
)

// Named puts the name of a file before an error, unless the error begins with it, as errors of shader texts do.
func Named(name string, err error) error {
	if strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// A language is one that shaders are written in before a compiler makes modules of them.
type language struct {
	name    string
	endings []string
	pattern *regexp.Regexp // recognises a text whose file name has no known suffix
	compile func(source, module string) string
}

var languages = []language{
	{"HLSL", []string{".hlsl", ".hlsli", ".fx", ".usf"}, regexp.MustCompile(`(?m)^\s*\[(numthreads|NumThreads|shader)\s*\(|\bSV_DispatchThreadID\b|\bRWStructuredBuffer\s*<`),
		func(source, module string) string {
			return fmt.Sprintf("dxc -spirv -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -Fo %s %s", module, source)
		}},
	{"GLSL", []string{".glsl", ".comp", ".frag", ".vert", ".mesh", ".task", ".geom", ".tesc", ".tese"}, regexp.MustCompile(`(?m)^\s*#version\b|^\s*layout\s*\(|\bvoid\s+main\s*\(`),
		func(source, module string) string {
			stage := ""
			if ext := filepath.Ext(source); ext == "" || ext == ".glsl" {
				stage = "-S comp "
			}
			return fmt.Sprintf("glslangValidator -V --target-env vulkan1.3 %s-o %s %s", stage, module, source)
		}},
}

// assembly reports a text with an instruction of SPIR-V's assembly at the start of a line, or behind a result.
var assembly = regexp.MustCompile(`(?m)^\s*(%\w+\s*=\s*)?Op[A-Z]\w*`)

// sourceLanguage returns the language of a shader's text; nil for assembly and for unknown languages.
func sourceLanguage(text []byte, name string) *language {
	if assembly.Match(text) {
		return nil
	}
	for i := range languages {
		for _, ending := range languages[i].endings {
			if strings.HasSuffix(strings.ToLower(name), ending) {
				return &languages[i]
			}
		}
	}
	return lists.Find(languages, func(l *language) bool { return l.pattern.Match(text) })
}

// refuseText explains how to compile a source to a module.
func (l *language) refuseText(name string) error {
	source, module := moduleOf(name)
	return fmt.Errorf("%s: this is %s source: want a module (.spv) or its text (.spvasm); compile it: %s", name, l.name, l.compile(source, module))
}

// moduleOf names the files that a compiler reads and writes.
func moduleOf(name string) (source, module string) {
	source = name
	if strings.ContainsRune(name, ' ') { // standard input
		source = "shader"
	}
	return source, strings.TrimSuffix(source, filepath.Ext(source)) + ".spv"
}

// RefuseShader explains how to run a shader that was given in place of a job; nil if the text is not a shader.
func RefuseShader(data []byte, name string) error {
	const job = "spvsim init %s -o job.yaml writes one for it"
	switch {
	case spirv.HasMagic(data):
		return fmt.Errorf("%s: found a SPIR-V module: want a job: "+job, name, name)
	case assembly.Match(data):
		return fmt.Errorf("%s: found the text of a SPIR-V module: want a job: "+job, name, name)
	}
	l := sourceLanguage(data, name)
	if l == nil {
		return nil
	}
	source, module := moduleOf(name)
	return fmt.Errorf("%s: this is %s source: want a job; compile it: %s; then "+job, name, l.name, l.compile(source, module), module)
}

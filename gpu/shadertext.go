package gpu

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"spvsim/spirv"
)

// Named puts the name of a file before an error that does not begin with it, as those of a shader's text do.
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
	pattern *regexp.Regexp // of a text whose file's name says nothing
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

// sourceLanguage is the language that a shader's text is written in, nil for assembly and whatever else it is.
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
	for i := range languages {
		if languages[i].pattern.Match(text) {
			return &languages[i]
		}
	}
	return nil
}

// refuseText says how to make a module of a source.
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

// RefuseShader says how to get from a shader, found where a job is wanted, to a job; nil if the text is no shader's.
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

// Package clc compiles OpenCL C to SPIR-V modules. It runs clang with the translator llvm-spirv of the same version, or
// clang's own SPIR-V back end where it has one. It does not know what is done with a module.
package clc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spvsim/internal/files"
)

// ErrNoCompiler reports that there is no compiler of OpenCL C.
var ErrNoCompiler = errors.New("no compiler of OpenCL C")

// A Source is a text in OpenCL C with how it is compiled.
type Source struct {
	Name    string // in messages and in the module's line numbers
	Text    []byte
	Options string // of an OpenCL program, as its build takes them
	Defines []string
	Files   []File // that it includes; the compiler sees no others
}

// A File has its name from the same folder as the source and the folders of -I: that of the job.
type File struct {
	Name string
	Text []byte
}

// A toolchain makes a module.
type toolchain struct {
	clang      string
	translator string // empty: clang's own back end
}

// oldest and newest are the versions of LLVM that are looked for by number: Debian 12 has 14 to 19.
const oldest, newest = 14, 30

// ownBackEnd is the first version of clang whose SPIR-V back end is no longer experimental (LLVM 20 release notes).
const ownBackEnd = 20

// find looks for a compiler: numbered versions from the oldest that works, as these pairs are the best tried, then what
// has no number in its name.
var find = sync.OnceValues(func() (*toolchain, error) {
	for v := oldest; v <= newest; v++ {
		clang, err := exec.LookPath(fmt.Sprint("clang-", v))
		if err != nil {
			continue
		}
		if translator, err := exec.LookPath(fmt.Sprint("llvm-spirv-", v)); err == nil {
			return &toolchain{clang, translator}, nil
		}
		if v >= ownBackEnd {
			return &toolchain{clang: clang}, nil
		}
	}
	if clang, err := exec.LookPath("clang"); err == nil {
		v := version(clang)
		if translator, err := exec.LookPath("llvm-spirv"); err == nil && version(translator) == v {
			return &toolchain{clang, translator}, nil
		}
		if v >= ownBackEnd {
			return &toolchain{clang: clang}, nil
		}
	}
	return nil, fmt.Errorf("%w: want clang and llvm-spirv of one version, from %d on (Debian: apt install clang-15 llvm-spirv-15), or a compiled module (.spv)", ErrNoCompiler, oldest)
})

// Available reports whether there is a compiler.
func Available() bool {
	_, err := find()
	return err == nil
}

var versionPattern = regexp.MustCompile(`(?:LLVM|clang) version (\d+)`)

func version(program string) int {
	text, _ := exec.Command(program, "--version").Output()
	if m := versionPattern.FindSubmatch(text); m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	return 0
}

// IsSource reports whether a file's name is that of OpenCL C.
func IsSource(name string) bool { return strings.EqualFold(filepath.Ext(name), ".cl") }

// compiled holds the modules of this process, so that points of a sweep that differ in other things share one.
var compiled sync.Map

// Compile returns the module of a source.
func Compile(ctx context.Context, s *Source) ([]byte, error) {
	tools, err := find()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	options, err := s.arguments()
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", s.Name, s.Text, options, s.Files))
	if have, ok := compiled.Load(key); ok {
		return have.([]byte), nil
	}
	module, err := tools.compile(ctx, s, options)
	if err == nil {
		compiled.Store(key, module)
	}
	return module, err
}

// allowed are the options that a job may give: those of an OpenCL program, optimisation and floats. Others could load code
// into the compiler, or write files.
var allowed = regexp.MustCompile(`^(-D.+|-I[^/].*|-U.+|-cl-[a-zA-Z0-9.=+-]+|-O[0-3s]?|-w|-W[a-z0-9-]*|-f(no-)?(fast-math|unroll-loops|inline|signed-zeros|math-errno|vectorize|slp-vectorize)|-ffp-contract=(on|off|fast))$`)

// arguments are the options on clang's command line.
func (s *Source) arguments() ([]string, error) {
	list := []string{"-O3"}
	words := strings.Fields(s.Options)
	if !strings.Contains(s.Options, "-cl-std=") {
		list = append(list, "-cl-std=CL1.2")
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		if (word == "-D" || word == "-U" || word == "-I") && i+1 < len(words) {
			i++
			word += words[i]
		}
		if !allowed.MatchString(word) {
			return nil, fmt.Errorf("%s: options: found %q: want -D, -U, -I with a folder from that of the job, -cl-..., -O0 to -O3, -w, -W..., -ffast-math or -ffp-contract=", s.Name, word)
		}
		if folder, is := strings.CutPrefix(word, "-I"); is { // from the folder that the compiler runs in, as line tables have it
			at, err := filepath.Rel(filepath.Dir(s.place(s.Name)), s.place(folder))
			if err != nil {
				return nil, fmt.Errorf("%s: options: %w", s.Name, err)
			}
			word = "-I" + at
		}
		list = append(list, word)
	}
	for _, d := range s.Defines {
		list = append(list, "-D"+d)
	}
	return list, nil
}

// place is where a file named from the folder of the job is in the compiler's folder. Names that lead out of the job's
// folder stay in the compiler's.
func (s *Source) place(name string) string {
	up := 0
	for _, f := range append(s.Files, File{Name: s.Name}) {
		up = max(up, strings.Count(filepath.ToSlash(f.Name), "../"))
	}
	return filepath.Join("files", strings.Repeat("up/", up), name)
}

// writeFiles writes what the source includes, and the folder that the compiler runs in.
func (s *Source) writeFiles(dir string) error {
	for _, f := range s.Files {
		at := filepath.Join(dir, s.place(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(at, f.Text, 0o600); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(dir, filepath.Dir(s.place(s.Name))), 0o700)
}

// compile runs the compiler in a folder of its own.
func (t *toolchain) compile(ctx context.Context, s *Source, options []string) (module []byte, err error) {
	dir, err := os.MkdirTemp("", "spvsim-cl-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := s.writeFiles(dir); err != nil {
		return nil, err
	}
	if t.translator == "" {
		err = t.clangRun(ctx, s, dir, append([]string{"-target", "spirv64", "-o", filepath.Join(dir, "kernel.spv")}, options...))
	} else {
		err = t.translated(ctx, s, options, dir)
	}
	if err != nil {
		return nil, err
	}
	return files.Read(filepath.Join(dir, "kernel.spv"), files.MaxModule)
}

func (t *toolchain) clangRun(ctx context.Context, s *Source, dir string, words []string) error {
	// The folder is in the line table, and the module should not depend on it. Inline functions need a body in the module
	// (gnu89), as no other has one.
	c := exec.CommandContext(ctx, t.clang, slices.Concat([]string{"-x", "cl", "-c", "-gline-tables-only", "-fdebug-compilation-dir=.", "-fno-discard-value-names", "-fgnu89-inline",
		"-fno-color-diagnostics", "-Xclang", "-finclude-default-header"}, words, []string{"-"})...)
	c.Dir = filepath.Join(dir, filepath.Dir(s.place(s.Name))) // where quotes include from, as the text is standard input
	c.Stdin = bytes.NewReader(append(fmt.Appendf(nil, "#line 1 %q\n", s.Name), s.Text...))
	return run(c, s.Name)
}

// translated compiles to LLVM's code, and translates that to kernel.spv in the folder. What the translator refuses is
// written otherwise (rewritten), or else compiled without optimization: the module is optimized when it is lowered in any
// case.
func (t *toolchain) translated(ctx context.Context, s *Source, options []string, dir string) error {
	bitcode := []string{"-target", "spir64", "-emit-llvm", "-o", filepath.Join(dir, "kernel.bc")}
	if err := t.clangRun(ctx, s, dir, slices.Concat(bitcode, options)); err != nil {
		return err
	}
	refused := t.translate(ctx, s, dir)
	if refused == nil || t.rewritten(ctx, s, slices.Concat(bitcode, options), dir) == nil && t.translate(ctx, s, dir) == nil ||
		t.clangRun(ctx, s, dir, slices.Concat(bitcode, options, []string{"-O0"})) == nil && t.translate(ctx, s, dir) == nil {
		return nil
	}
	return refused
}

func (t *toolchain) translate(ctx context.Context, s *Source, dir string) error {
	c := exec.CommandContext(ctx, t.translator, "--preserve-ocl-kernel-arg-type-metadata-through-string", "-o", "kernel.spv", "kernel.bc")
	c.Dir = dir
	return run(c, s.Name)
}

// rewritten compiles to bitcode without what llvm-spirv refuses.
func (t *toolchain) rewritten(ctx context.Context, s *Source, words []string, dir string) error {
	text := filepath.Join(dir, "kernel.ll")
	if err := t.clangRun(ctx, s, dir, append(slices.Clone(words), "-S", "-o", text)); err != nil {
		return err
	}
	code, err := files.Read(text, files.MaxModule)
	if err != nil {
		return err
	}
	if err := os.WriteFile(text, []byte(rewrite(string(code))), 0o600); err != nil {
		return err
	}
	return run(exec.CommandContext(ctx, t.clang, "-x", "ir", "-target", "spir64", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-o", filepath.Join(dir, "kernel.bc"), text), s.Name)
}

// mostMessages bounds the messages of a compiler that are passed on.
const mostMessages = 8 << 10

// run passes a compiler's messages on as its error.
func run(c *exec.Cmd, name string) error {
	text, err := c.CombinedOutput()
	if err == nil {
		return nil
	}
	if text = bytes.TrimSpace(text); len(text) > mostMessages {
		text = append(text[:mostMessages:mostMessages], "\n..."...)
	}
	if message := string(text); strings.HasPrefix(message, name+":") {
		return errors.New(message)
	} else if message != "" {
		return fmt.Errorf("%s: %s: %s", name, filepath.Base(c.Path), message)
	}
	return fmt.Errorf("%s: %s: %w", name, filepath.Base(c.Path), err)
}

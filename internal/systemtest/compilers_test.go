package systemtest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
)

var compiledPrograms = flag.Uint64("flow.compiled", 4, "random programs to give to installed compilers")

// optimisers are what spirv-opt makes of a module before it runs. Its -O merges
// the last block in front of a break with what follows the loop, which changes
// the lanes that are together; so the passes are named that do not.
var optimisers = [][]string{nil, {"--merge-return", "--inline-entry-points-exhaustive", "--eliminate-local-single-block",
	"--eliminate-local-single-store", "--ssa-rewrite", "--ccp", "--simplify-instructions", "--eliminate-dead-code-aggressive"}}

// Random control flow means the same when glslang and spirv-opt have compiled
// it, where they are installed.
func TestCompiledControlFlow(t *testing.T) {
	for _, tool := range []string{"glslangValidator", "spirv-opt"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool, "is not installed")
		}
	}
	if testing.Short() {
		t.Skip("starts a compiler for each program")
	}
	b, dir := newBench(t), t.TempDir()
	for seed := *flowFirst; seed < *flowFirst+*compiledPrograms && !t.Failed(); seed++ {
		p, size := draw(seed), 32<<(seed&1)
		want, err := expected(p, size)
		if err != nil {
			continue
		}
		for _, o := range optimisers {
			if err := b.check(t, compile(t, dir, p, o), want, size); err != nil {
				t.Errorf("seed %d, waves of %d, spirv-opt %v: %v\n%s", seed, size, o, err, source(p))
			}
		}
	}
}

// compile returns a module's bytes.
func compile(t *testing.T, dir string, p *program, optimiser []string) string {
	t.Helper()
	in, out, opt := filepath.Join(dir, "a.comp"), filepath.Join(dir, "a.spv"), filepath.Join(dir, "b.spv")
	suite.OK(t, os.WriteFile(in, []byte(source(p)), 0o666))
	commands := [][]string{{"glslangValidator", "-V", "--target-env", "vulkan1.1", "-o", out, in}}
	if optimiser != nil {
		commands = append(commands, append(append([]string{"spirv-opt"}, optimiser...), out, "-o", opt))
		out = opt
	}
	for _, c := range commands {
		if text, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v: %v\n%s\n%s", p.seed, c, err, text, source(p))
		}
	}
	data := suite.Must(os.ReadFile(out))(t)
	return string(data)
}

package experiments

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/program"
	"spvsim/spirv/validate"
)

// Compilation is deterministic. Go randomizes the order of maps, so a compiler whose choices depend on it would give
// another program in some of a few compilations.
func TestEachCompilationIsTheSame(t *testing.T) {
	times := 30
	if testing.Short() || underRace {
		times = 8
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := load(t, name)
			m, err := config.LoadMachine(config.Request{Job: job})
			if err != nil {
				t.Fatal(err)
			}
			shaders, err := gpu.Shaders(job)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range shaders {
				for i := range s.Uses {
					o, err := gpu.LowerOptions(s.Module, &s.Uses[i], nil, gpu.Target(m, m.WaveSize))
					if err != nil {
						t.Fatal(err)
					}
					first := compiled(t, s.Module, o)
					for range times - 1 {
						again := compiled(t, s.Module, o)
						if !bytes.Equal(again.Save(), first.Save()) {
							t.Fatalf("%s is once\n%s\nand once\n%s", s.Name, text(first), text(again))
						}
					}
				}
			}
		})
	}
}

func compiled(t *testing.T, m *validate.Module, o program.Options) *program.Program {
	t.Helper()
	p, err := program.Lower(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func text(p *program.Program) string {
	var b strings.Builder
	for i := range p.Insts {
		fmt.Fprintln(&b, i, &p.Insts[i])
	}
	return b.String()
}

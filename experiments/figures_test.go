package experiments

import (
	"path/filepath"
	"strings"
	"testing"
)

// The modules of the experiments' own jobs equal glslang's output for the GLSL next to them.
func TestCommittedFigureShaders(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a compiler for each shader")
	}
	sources, err := filepath.Glob(filepath.Join("figures", "jobs", "*.comp"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no shaders: %v", err)
	}
	for _, source := range sources {
		settle(t, strings.TrimSuffix(source, ".comp")+".spv", compile(t, source))
	}
}

func TestLookupFigure(t *testing.T) {
	if _, file, err := LookupFigure("lds-stride"); err != nil || file != "lds-stride.yaml" {
		t.Errorf("found %q, %v", file, err)
	}
	for name, want := range map[string]string{"lds-strid": "did you mean lds-stride?", "jobs/lds-stride-access": "no such experiment"} {
		if _, _, err := LookupFigure(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", name, err, want)
		}
	}
}

package validate

import (
	"os"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
	"spvsim/spirv"
)

// TestCompilersOutputPasses takes the modules of the library, and those of
// SPIRV_CORPUS, a pattern of further files.
func TestCompilersOutputPasses(t *testing.T) {
	files, _ := filepath.Glob("../../experiments/library/*.spv")
	if len(files) == 0 {
		t.Fatal("no modules found")
	}
	more, _ := filepath.Glob(os.Getenv("SPIRV_CORPUS"))
	for _, name := range append(files, more...) {
		data := suite.Must(os.ReadFile(name))(t)
		raw, err := spirv.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Check(raw); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
}

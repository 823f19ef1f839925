package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// What the page says of the measured times in the repository is what their file holds.
func TestMeasuredTimesAreCounted(t *testing.T) {
	page := suite.Must(os.ReadFile("model/accuracy.md"))(t)
	times := suite.Must(os.ReadFile("../experiments/figures/mi300a/measured.csv"))(t)
	kernels := map[string]bool{}
	lines := strings.Split(strings.TrimSpace(string(times)), "\n")[1:]
	for _, line := range lines {
		kernel, _, _ := strings.Cut(line, ",")
		kernels[kernel] = true
	}
	if want := fmt.Sprintf("Of the measured times on the MI300A %d are part of this repository", len(lines)); !strings.Contains(string(page), want) {
		t.Errorf("want %q on the page", want)
	}
	if len(kernels) != 7 || !strings.Contains(string(page), "those of the seven kernels") {
		t.Errorf("the file has %d kernels: the page says seven", len(kernels))
	}
}

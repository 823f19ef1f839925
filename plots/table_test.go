package plots

import (
	"strings"
	"testing"
)

// A sweep without an experiment file names its columns by their paths: the error about an unknown column suggests the
// one with that last name.
func TestColumnsByTheirLastName(t *testing.T) {
	_, err := chartOf(t, "point,parameters.bins,pins,cycles\n0,1,2,5\n1,2,3,6\n", "kind: line\nx: bins\ny: cycles")
	if err == nil || !strings.Contains(err.Error(), `no column "bins" (nearest: parameters.bins)`) {
		t.Error(err)
	}
}

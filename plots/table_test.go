package plots

import (
	"strings"
	"testing"
)

// A sweep without a file of its own names its columns by their paths: the last name of one says which was meant.
func TestColumnsByTheirLastName(t *testing.T) {
	_, err := chartOf(t, "point,parameters.bins,pins,cycles\n0,1,2,5\n1,2,3,6\n", "kind: line\nx: bins\ny: cycles")
	if err == nil || !strings.Contains(err.Error(), `no column "bins" (nearest: parameters.bins)`) {
		t.Error(err)
	}
}

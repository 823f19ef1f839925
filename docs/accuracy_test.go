package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// What the page says of the measured times in the repository is what their files hold.
func TestMeasuredTimesAreCounted(t *testing.T) {
	page := suite.Must(os.ReadFile("model/accuracy.md"))(t)
	rows := func(device string) int {
		_, rows := suite.Rows(t, "../experiments/figures/"+device+"/measured.csv")
		return len(rows)
	}
	if want := fmt.Sprintf("%d of an MI300A (`experiments/figures/mi300a`) and %d of an MI300X", rows("mi300a"), rows("mi300x")); !strings.Contains(string(page), want) {
		t.Errorf("want %q on the page", want)
	}
}

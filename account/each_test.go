package account

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListCounts(t *testing.T) {
	type counts struct {
		Name  string `json:"-"`
		First uint64 `json:"first" unit:"bytes" doc:"of all"`
		Bare  uint64
		Share float64 `json:"share"`
		Last  uint64  `json:"last"`
	}
	want := []Count{{"first", "bytes", "of all", 7}, {"last", "", "", 9}}
	if diff := cmp.Diff(want, ListCounts(counts{"n", 7, 8, 0.5, 9})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package sweep

import (
	"strings"
	"testing"
	"time"

	"spvsim/config"
	"spvsim/internal/files"
)

// A line of progress counts points with earlier results and points that share inputs; the remaining points are
// estimated by the mean time of those that ran.
func TestLinesOfProgress(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b, 40, 10)
	p.startTime = p.startTime.Add(-100 * time.Second)
	p.recordEnded(&Record{Status: Done}, 3)
	if b.Len() > 0 {
		t.Errorf("a line at once: %s", &b)
	}
	p.lastShown = p.lastShown.Add(-lineEvery)
	p.recordEnded(&Record{Status: "failed"}, 2)
	p.recordEnded(&Record{Status: Done}, 5) // ten ran: ten seconds each
	if got, want := p.text(), "2 failed, 0.1 a second, 3m20s left"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p.recordEnded(&Record{Status: Done}, 20)
	want := []string{"15 of 40 points, 2 failed, 0.05 a second, 8m20s left", "40 of 40 points, 2 failed, 0.3 a second, 0s left", ""}
	if got := strings.Split(b.String(), "\n"); strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("%q, want %q", got, want)
	}
}

// The work of a job is its workgroups in all directions, launches and rounds, at least one.
func TestCountWorkgroups(t *testing.T) {
	for text, want := range map[string]uint64{
		"shader: a\ndispatch: [2, 3, 5]\nrepeat: 4":                             120,
		"shader: a\nsteps: [{dispatch: [7]}, {dispatch: [2, 2]}]":               11,
		"shader: a\ndispatch: [0]":                                              1,
		"shader: a\nsteps: [{for: {i: 0..4}, dispatch: [i + 1]}]\nrepeat: 2 +1": 45,
	} {
		j, err := config.ParseJob(files.OS(), "j.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := countWorkgroups(j); got != want {
			t.Errorf("%s: %d workgroups, want %d", text, got, want)
		}
	}
}

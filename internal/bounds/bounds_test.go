package bounds

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"spvsim/internal/files"
	"spvsim/internal/suite"
)

// The limits grow with what was read, and name what was found and how much is allowed.
func TestAllowanceGrowsWithFiles(t *testing.T) {
	before := Now()
	suite.Must(files.Drain(strings.NewReader(strings.Repeat("x", 1<<20)), "standard input", 1<<20))(t)
	got := Now()
	if want := (Allowance{before.Time + (1<<20)*timePerByte, before.Memory + (1<<20)*memoryPerByte, before.Output + (1<<20)*outputPerByte}); got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
}

func TestLimitsAreNamed(t *testing.T) {
	a := Allowance{Time: 2 * time.Second, Memory: 1000, Output: 10}
	for _, c := range []struct {
		use  usage
		want string
	}{
		{usage{2 * time.Second, 1000}, ""},
		{usage{2500 * time.Millisecond, 0}, "init: limit reached: found 2.5 s of the processor's time: want at most 2.0 s for files of "},
		{usage{0, 1001}, "init: limit reached: found 1001 bytes of memory in use: want at most 1000 for files of "},
	} {
		err := c.use.exceeds("init", a)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrLimit) || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.use, err, c.want)
		}
	}
	if err := Output("init", Now().Output); err != nil {
		t.Error(err)
	}
	if err := Output("init", Now().Output+1); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
}

// A context ends with the memory that is allocated in it beyond what is allowed, and without that with the work only.
func TestContextEnds(t *testing.T) {
	ctx, done := Context(context.Background(), "quick work")
	if err := context.Cause(ctx); err != nil {
		t.Error(err)
	}
	done()
	ctx, done = Context(context.Background(), "greedy work")
	defer done()
	held := make([]byte, Now().Memory+256<<20) // which the system gives when it is written to
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("no limit was found")
	}
	if err := context.Cause(ctx); !errors.Is(err, ErrLimit) || !strings.HasPrefix(err.Error(), "greedy work: limit reached: found ") {
		t.Error(err)
	}
	runtime.KeepAlive(held)
}

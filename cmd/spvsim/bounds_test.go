package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"spvsim/internal/bounds"
	"spvsim/internal/files"
	"spvsim/internal/suite"
)

// Types whose text would grow exponentially are counted, not written; a payload that no job can supply is refused.
func TestExponentialTypes(t *testing.T) {
	const doubled, buffer, payload = "testdata/bounds/doubled-private.spvasm", "testdata/bounds/doubled-buffer.spvasm", "testdata/bounds/payload.spvasm"
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"inspect", doubled}, exitDone, "entry point   main (GLCompute)"},
		{[]string{"inspect", buffer}, exitDone, "{2 members, of 1073741823 types in all: not written, as they are more than 500}"},
		{[]string{"init", buffer}, exitDone, "dispatch: [1, 1, 1]"},
		{[]string{"init", payload}, exitBadInput, `node "Other": found a payload of 2139095048 bytes: want at most 268435456, the limit of jobs`},
	} {
		r := spvsim("", c.args...)
		if text := r.stdout + r.stderr; r.status != c.status || !strings.Contains(text, c.want) || len(text) > 100_000 {
			t.Errorf("%q: status %d, %.1000s; want %d, %q", c.args, r.status, text, c.status, c.want)
		}
	}
}

// A limit and results that can't be written are failures, whatever wraps them; a file that can't be read is bad input.
func TestStatusOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("bad"), false}, {&failure{errors.New("bad")}, true}, {fmt.Errorf("lowering: %w", bounds.ErrLimit), true},
		{fmt.Errorf("figure: %w", syscall.ENOSPC), true}, {errors.Join(errors.New("bad"), syscall.EROFS), true}, {syscall.ENOENT, false}, {syscall.EACCES, false},
	} {
		if got := failed(c.err); got != c.want {
			t.Errorf("%v: a failure: %t, want %t", c.err, got, c.want)
		}
	}
	if _, err := files.Read("no such file", 1); failed(err) {
		t.Errorf("%v is a failure", err)
	}
}

// A command that writes without end is stopped by a limit that it names, and status 1.
func TestOutputHasABound(t *testing.T) {
	root := newRoot()
	root.AddCommand(&cobra.Command{Use: "flood", RunE: func(c *cobra.Command, _ []string) error {
		for block := make([]byte, 1<<20); ; {
			if _, err := c.OutOrStdout().Write(block); err != nil {
				return err
			}
		}
	}})
	var errs strings.Builder
	out := &output{to: io.Discard, guard: guardCommands(root, &errs)}
	root.SetOut(out)
	root.SetArgs([]string{"flood"})
	err := root.ExecuteContext(context.Background())
	if !failed(err) || !strings.Contains(err.Error(), "spvsim flood: limit reached: found ") {
		t.Error(err)
	}
}

// A command that uses too much memory, or ignores an interruption, ends with status 1; one that simulates does not.
func TestKeeperEndsCommands(t *testing.T) {
	for _, simulates := range []bool{false, true} {
		root := newRoot()
		ended := make(chan int, 2)
		ctx, interrupt := context.WithCancel(withExit(context.Background(), func(status int) { ended <- status }))
		work := func() error {
			held := make([]byte, bounds.Now().Memory+256<<20)
			defer func() { held[0] = 1 }()
			if simulates {
				interrupt()
				time.Sleep(endTimeout + endTimeout/2)
				return nil
			}
			ended <- <-ended // until it has been ended
			return nil
		}
		root.AddCommand(&cobra.Command{Use: "greedy", RunE: func(c *cobra.Command, _ []string) error {
			if simulates {
				return unbounded(c, work)
			}
			return work()
		}})
		var errs strings.Builder
		guardCommands(root, &errs)
		root.SetArgs([]string{"greedy"})
		suite.OK(t, root.ExecuteContext(ctx))
		interrupt()
		if simulates && len(ended) > 0 {
			t.Errorf("a simulation was ended: %s", errs.String())
		}
		if !simulates && (<-ended != exitFailed || !strings.HasPrefix(errs.String(), "spvsim: spvsim greedy: limit reached: found ")) {
			t.Errorf("%q", errs.String())
		}
	}
}

// Every command has a keeper, including ones added later: none may have a hook that replaces the keeper's.
func TestEveryCommandIsKept(t *testing.T) {
	root := newRoot()
	guardCommands(root, io.Discard)
	for _, c := range slices.Concat(root.Commands()) {
		if c.PersistentPreRun != nil || c.PersistentPreRunE != nil {
			t.Errorf("%s has a hook in place of the keeper's", c.Name())
		}
	}
}

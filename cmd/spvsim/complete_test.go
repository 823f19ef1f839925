package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/plots"
)

// completed returns the candidates for a shell, and cobra's directive after them.
func completed(t *testing.T, args ...string) []string {
	t.Helper()
	r := spvsim("", append([]string{"__complete"}, args...)...)
	if r.status != exitDone {
		t.Fatalf("%v: %d, %s", args, r.status, r.stderr)
	}
	return strings.Fields(r.stdout)
}

// cobra's directives after the candidates: files are offered as well, or not; no space after a word that continues.
const (
	withFiles, noFiles, noSpace = ":0", ":4", ":6"
)

// Every name is offered that begins as the word does, and no other; files where a word may be one; nothing after a command's only word.
func TestCompletionOffersAllNames(t *testing.T) {
	beginning := func(list []string, begun string) (out []string) {
		for _, name := range list {
			if strings.HasPrefix(name, begun) {
				out = append(out, name)
			}
		}
		return out
	}
	for _, c := range []struct {
		args  []string
		want  []string
		after string
	}{
		{[]string{"run", ""}, experiments.Names(), withFiles},
		{[]string{"run", "peer-"}, beginning(experiments.Names(), "peer-"), withFiles},
		{[]string{"run", "no such job"}, nil, withFiles},
		{[]string{"run", "reduce", ""}, nil, noFiles},
		{[]string{"report", "reduce", "sax"}, []string{"saxpy"}, withFiles},
		{[]string{"sweep", "lds-"}, beginning(experiments.FigureNames(), "lds-"), withFiles},
		{[]string{"run", "reduce", "--machine", ""}, config.Presets(), withFiles},
		{[]string{"run", "reduce", "--mode", ""}, config.Modes, withFiles},
		{[]string{"run", "reduce", "--components="}, []string{"kinds", "each"}, withFiles},
		{[]string{"sweep", "lds-stride", "--launcher", ""}, []string{"local", "slurm", "condor", "command"}, withFiles},
		{[]string{"plot", "--style", ""}, []string{"column", "page"}, withFiles},
		{[]string{"plot", "--format", ""}, plots.Formats, withFiles},
		{[]string{"stats", "--describe", "queue_cyc"}, beginning(statisticNames(nil, nil), "queue_cyc"), withFiles},
		{[]string{"stats", "--describe", "slot_cycles.t"}, []string{"slot_cycles.total"}, withFiles},
		{[]string{"run", "reduce", "--set", "lds.banks"}, []string{"lds.banks="}, noSpace},
		{[]string{"run", "reduce", "--set", "lds.banks=1"}, nil, withFiles},
		{[]string{"run", "saxpy", "--param", "n"}, []string{"n="}, noSpace},
		{[]string{"run", "--param", "n"}, nil, withFiles},
	} {
		if got, want := completed(t, c.args...), append(slices.Clone(c.want), c.after); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", c.args, got, want)
		}
	}
}

// A completion for a flag that a command has not, or that has one, is a fault of the program that the first run shows.
func TestCompletionsBelongToFlags(t *testing.T) {
	for name, times := range map[string]int{"none": 1, "given": 2} {
		failed := func() (failed bool) {
			defer func() { failed = recover() != nil }()
			c := &cobra.Command{}
			c.Flags().String("given", "", "")
			for range times {
				completeFlag(c, name, noNames)
			}
			return false
		}()
		if !failed {
			t.Errorf("a completion for the flag %s was taken %d times", name, times)
		}
	}
}

package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every integer flag accepts exact integers in its range by the rule of files, and names itself in errors.
func TestIntegerFlags(t *testing.T) {
	count := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "int", "uint64", "int64", "uint", "uint32", "count":
				t.Errorf("%s --%s reads integers by another rule", c.CommandPath(), f.Name)
			case "integer":
				count++
				integerFlagTakes(t, c, f)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
	if count < 9 {
		t.Errorf("%d flags", count)
	}
}

func integerFlagTakes(t *testing.T, c *cobra.Command, f *pflag.Flag) {
	for text, want := range map[string]string{"1e1": "10", "010": "10", "0x10": "16", "7.0": "7"} {
		if err := c.Flags().Set(f.Name, text); err != nil || f.Value.String() != want {
			t.Errorf("%s --%s %s: %s (%v)", c.CommandPath(), f.Name, text, f.Value, err)
		}
	}
	for _, text := range []string{"0.5", "-1", "18446744073709551616", "1e30", "", "x", "nan"} {
		err := c.Flags().Set(f.Name, text)
		if err == nil || !strings.Contains(err.Error(), "--"+f.Name) || !strings.Contains(err.Error(), "want an integer of ") {
			t.Errorf("%s --%s %q: %v", c.CommandPath(), f.Name, text, err)
		}
	}
}

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments/whatif"
	"spvsim/gpu"
)

// whatIfFlag lists the counterfactual machines that a job also runs on.
type whatIfFlag struct {
	texts []string
	plan  *whatif.Plan // nil: none
}

func (f *whatIfFlag) add(c *cobra.Command) {
	whatIfFlagOf(c, &f.texts, "run the job also on counterfactual machines, each without one limit, and show what each saves: `names` with commas between, a+b to remove two at once, all, or your own as {name: {path: value}}; may be repeated.")
}

func whatIfFlagOf(c *cobra.Command, to *[]string, usage string) {
	c.Flags().StringArrayVar(to, "what-if", nil, usage)
	completeFlag(c, "what-if", func(*cobra.Command, []string) []string { return append(config.WithoutNames(), config.AllLimits) })
}

// prepare loads the machines before the run, so that a wrong name or setting is reported at once.
func (f *whatIfFlag) prepare(base *gpu.Setup, load whatif.Loader) error {
	if f.texts == nil {
		return nil
	}
	list, err := config.ParseWhatIf(f.texts)
	if err == nil {
		f.plan, err = whatif.NewPlan(base, list, load)
	}
	if err != nil {
		return fmt.Errorf("--what-if: %w", err)
	}
	return nil
}

// compare runs the job on the machines after its run, and adds their results to its statistics.
func (f *whatIfFlag) compare(c *cobra.Command, threads int, r *gpu.Result) error {
	if f.plan == nil {
		return nil
	}
	return f.plan.Run(c.Context(), threads, r)
}

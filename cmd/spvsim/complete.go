package main

import (
	"strings"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/internal/lists"
	"spvsim/plots"
)

// names lists the candidates for a word, for a shell's completion.
type names func(c *cobra.Command, args []string) []string

func jobNames(*cobra.Command, []string) []string        { return experiments.Names() }
func experimentNames(*cobra.Command, []string) []string { return experiments.FigureNames() }
func machineNames(*cobra.Command, []string) []string    { return config.Presets() }
func schemaNames(*cobra.Command, []string) []string     { return allKinds() }
func plotFormatNames(*cobra.Command, []string) []string { return plots.Formats }
func plotStyleNames(*cobra.Command, []string) []string  { return plots.Styles }
func launcherNames(*cobra.Command, []string) []string {
	return []string{"local", "slurm", "condor", "command"}
}
func componentLevels(*cobra.Command, []string) []string { return levelsOfParts }
func modeNames(*cobra.Command, []string) []string       { return config.Modes }
func machinePaths(_ *cobra.Command, _ []string) []string {
	m, err := config.Preset(config.DefaultMachine)
	if err != nil {
		return nil
	}
	return lists.Map(m.AllLeaves(), func(leaf config.Leaf) string { return leaf.Path + "=" })
}

// parameterNames lists the parameters of the job that precedes on the line.
func parameterNames(c *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return nil
	}
	job, err := loadJob(c, args[0])
	if err != nil {
		return nil
	}
	return lists.Map(job.Parameters, func(p config.Variable) string { return p.Name + "=" })
}

// completeWord completes a command's arguments by names, or by files; only the first argument if the command takes one.
func completeWord(c *cobra.Command, several bool, of names) *cobra.Command {
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && !several {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return withPrefix(of(c, args), begun), cobra.ShellCompDirectiveDefault // the shell's own files, where no name fits
	}
	return c
}

// completeFlag completes a flag's value. A value that continues after = gets no space.
func completeFlag(c *cobra.Command, flag string, of names) {
	err := c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		list := withPrefix(of(c, args), begun)
		if len(list) > 0 && strings.HasSuffix(list[0], "=") {
			return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		}
		return list, cobra.ShellCompDirectiveDefault
	})
	if err != nil {
		panic(err) // the flag is not there, or registered twice
	}
}

func withPrefix(list []string, begun string) (out []string) {
	return lists.Filter(list, func(name string) bool { return strings.HasPrefix(name, begun) })
}

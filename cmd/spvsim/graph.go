package main

import (
	"io"

	"github.com/spf13/cobra"

	"spvsim/gpu"
)

func graphCommand() *cobra.Command {
	var f jobFlags
	var dot bool
	c := &cobra.Command{
		Use:   "graph JOB",
		Short: "Show the execution graph of a job: nodes, edges, limits, scratch memory",
		Example: `  spvsim graph job.yaml
  spvsim graph job.yaml --dot | dot -Tpdf -o graph.pdf`,
		Args: exactly(1, "a job file, or the name of a ready job"),
		RunE: func(c *cobra.Command, args []string) error {
			job, m, err := f.load(c, args[0])
			if err != nil {
				return err
			}
			return writeTo(c, "-", func(w io.Writer) error {
				return gpu.DescribeGraph(w, gpu.Setup{Machine: m, Job: job}, dot)
			})
		},
	}
	f.add(c)
	c.Flags().BoolVar(&dot, "dot", false, "print the graph in DOT, the language of Graphviz")
	return completeWord(c, false, jobNames)
}

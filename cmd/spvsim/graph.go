package main

import (
	"io"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
)

func graphCommand() *cobra.Command {
	var machine string
	var set []string
	var dot bool
	c := &cobra.Command{
		Use:   "graph JOB",
		Short: "Print the execution graph of a job: nodes, edges, limits, scratch memory; --dot: a picture for Graphviz",
		Example: `  spvsim graph job.yaml
  spvsim graph job.yaml --dot | dot -Tpdf -o graph.pdf`,
		Args: exactly(1, "a job file, or the name of a ready job"),
		RunE: func(c *cobra.Command, args []string) error {
			job, err := loadJob(c, args[0])
			if err != nil {
				return err
			}
			m, err := config.LoadMachine(config.Request{Job: job, Machine: machine, Set: set})
			if err != nil {
				return err
			}
			return writeTo(c, "-", func(w io.Writer) error {
				return gpu.DescribeGraph(w, gpu.Setup{Machine: m, Job: job}, dot)
			})
		},
	}
	flags := c.Flags()
	flags.StringVar(&machine, "machine", "", "`name` or file of the machine, instead of the job's")
	flags.StringArrayVar(&set, "set", nil, "set a field of the machine, as `path=value` (queue.payload_bytes=65536); may be repeated")
	flags.BoolVar(&dot, "dot", false, "print the graph for Graphviz")
	return c
}

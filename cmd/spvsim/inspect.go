package main

import (
	"github.com/spf13/cobra"
)

func inspectCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect SHADER",
		Short:   "Print what is in a shader",
		Example: "  spvsim inspect shader.spv",
		Args:    exactly(1, "a shader (.spv or .spvasm; - is standard input)"),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := checkedShader(c, args[0])
			if err != nil {
				return err
			}
			return contents(c.OutOrStdout(), m)
		},
	}
}

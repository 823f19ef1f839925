// Command spvsim runs SPIR-V shaders on a simulated GPU. It reads flags and files, calls the packages and prints what they
// return; it knows nothing of shaders or machines itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitDone     = 0
	exitFailed   = 1 // the run failed: expectation, deadlock, limit, undefined behaviour
	exitBadInput = 2 // bad input or usage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Main runs one command line and returns the exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(context.Background(), args, stdin, stdout, stderr)
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	for line := range strings.Lines(strings.TrimSpace(err.Error())) {
		fmt.Fprintf(stderr, "spvsim: %s\n", strings.TrimRight(line, "\n"))
	}
	if failed := (*failure)(nil); errors.As(err, &failed) {
		return exitFailed
	}
	return exitBadInput
}

// failure marks the error of a run that was set up rightly and failed; every other error is bad input.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "spvsim",
		Short: "Run SPIR-V shaders on a simulated GPU and see where every cycle went",
		Example: `  spvsim inspect shader.spv    what is in a shader
  spvsim machine               what can be simulated`,
		Args:                       knownCommand,
		RunE:                       func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, c.CommandPath())
	})
	root.AddCommand(inspectCommand(), validateCommand(), asmCommand(), disasmCommand(),
		machineCommand(), schemaCommand(), versionCommand())
	return root
}

// knownCommand refuses a first word that is no command, with the nearest that is.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q (did you mean %s?)", args[0], near[0])
	}
	return fmt.Errorf("unknown command %q (see spvsim --help)", args[0])
}

// exactly asks for n arguments, and says which when they are not there.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s: %d arguments, want %s (see %s --help)", c.Name(), len(args), what, c.CommandPath())
		}
		return nil
	}
}

// create opens a file for writing; - is the command's output, which is not closed.
func create(c *cobra.Command, name string) (io.WriteCloser, error) {
	if name == "-" {
		return unclosed{c.OutOrStdout()}, nil
	}
	return os.Create(name)
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// writeFile writes a whole file, or the command's output.
func writeFile(c *cobra.Command, name string, data []byte) error {
	f, err := create(c, name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Command spvsim runs SPIR-V shaders on a simulated GPU. It reads flags and files, calls the packages and prints
// their results. It knows nothing of shaders or machines itself.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"spvsim/internal/fault"
)

// Exit statuses.
const (
	exitDone     = 0
	exitFailed   = 1 // the run failed: expectation, deadlock, limit, undefined behaviour
	exitBadInput = 2 // bad input or usage
	exitFault    = 3 // a fault of spvsim itself
)

func main() {
	collectLater()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	status := run(withExit(ctx, os.Exit), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// firstCollection is the heap size of the first garbage collection, in percent of Go's 4 MB: a loaded job and machine
// do not fill it, and small runs end before it.
const firstCollection = 800

// usualCollection is Go's default of GOGC.
const usualCollection = 100

// collectLater delays the first garbage collection; further ones are as usual. GOGC has precedence.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(firstCollection)
	runtime.SetFinalizer(new(*int), func(**int) { debug.SetGCPercent(usual) })
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return guarded(stderr, func() int { return execute(ctx, args, stdin, stdout, stderr) })
}

// guarded turns a panic into a report: it is a fault of spvsim, whatever the input.
func guarded(stderr io.Writer, command func() int) (status int) {
	defer func() {
		if p := recover(); p != nil {
			status = reportFault(stderr, fault.Caught(p))
		}
	}()
	return command()
}

func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = visible{stderr}
	root, out := newRoot(), &output{to: visible{stdout}}
	out.guard = guardCommands(root, stderr)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	checkCompletion(root) // after root has its output, which cobra's commands inherit then
	err := root.ExecuteContext(ctx)
	if err == nil || out.err != nil {
		err = out.failed()
	}
	if err == nil {
		return exitDone
	}
	var child *silent
	if errors.As(err, &child) {
		return child.status
	}
	complain(stderr, err)
	if failed(err) {
		return exitFailed
	}
	return exitBadInput
}

// reportFault reports a fault of spvsim itself in one line, and writes the details for its authors to a file.
func reportFault(stderr io.Writer, p *fault.Panic) int {
	text := strings.Join(strings.Fields(fmt.Sprint(p)), " ")
	version, _ := buildVersion()
	report := fmt.Sprintf("spvsim %s: %v\ncommand: %q\n\n%s", version, p, os.Args, p.Stack)
	where := ""
	if f, err := os.CreateTemp("", "spvsim-fault-*.txt"); err == nil {
		_, err = f.WriteString(report)
		if err = errors.Join(err, f.Close()); err == nil {
			where = ": please report it with " + f.Name() + " and the files that the command read"
		}
	}
	where = cmp.Or(where, ": please report it with the command and the files that it read")
	fmt.Fprintf(stderr, "spvsim: a fault of spvsim itself (%s)%s\n", text, where)
	return exitFault
}

// An output is standard output, or another stream, that records the first error of writing: results that can't be
// written are a failure, by whichever path they are written.
type output struct {
	to    io.Writer
	guard *boundsGuard
	err   error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := 0, o.guard.wrote(len(p))
	if err == nil {
		n, err = o.to.Write(p)
	}
	o.err = cmp.Or(o.err, err)
	return n, err
}

func (o *output) failed() error {
	if o.err == nil {
		return nil
	}
	return &failure{fmt.Errorf("standard output: %w", o.err)}
}

// complain prints an error, in several lines if it joins several. Indented lines continue the line before.
func complain(stderr io.Writer, err error) {
	for line := range strings.Lines(strings.TrimSpace(err.Error())) {
		if !strings.HasPrefix(line, " ") {
			line = "spvsim: " + line
		}
		fmt.Fprintln(stderr, strings.TrimRight(line, "\n"))
	}
}

// failure marks the error of a run that was set up rightly and failed; every other error is bad input.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "spvsim",
		Short: "Run SPIR-V shaders on a simulated GPU, and see where every cycle went",
		Example: `  spvsim run reduce                     run a ready job
  spvsim run job.yaml --stats -         run your job, and print its statistics as JSON
  spvsim inspect shader.spv --listing   print the program that the machine executes`,
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       versionText(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SuggestionsMinimumDistance = 2 // letters; cobra sets it only if it makes suggestions itself
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(runCommand(), initCommand(), reportCommand(), inspectCommand(), validateCommand(), asmCommand(), disasmCommand(), graphCommand(),
		plotCommand(), machineCommand(), schemaCommand(), manCommand(), statsCommand(), versionCommand(), sweepCommand(), pointCommand(), measureCommand(), measurePointCommand(), compareCommand(), energyCommand(), appCommand(), driverCommand())
	return root
}

// create opens a file for writing; - is the command's output, which is not closed.
func create(c *cobra.Command, name string) (io.WriteCloser, error) {
	if name == "-" {
		return unclosed{asIs(c.OutOrStdout())}, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	k, _ := c.Context().Value(guardKey{}).(*boundsGuard)
	return boundedWriter{f, k}, nil
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// writeTo opens a file, or the command's output, and passes it to write.
func writeTo(c *cobra.Command, name string, write func(io.Writer) error) error {
	f, err := create(c, name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeFile writes a whole file, or the command's output.
func writeFile(c *cobra.Command, name string, data []byte) error {
	return writeTo(c, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

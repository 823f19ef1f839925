package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spvsim/config"
	"spvsim/internal/lists"
)

// wantedOf names the values of each type of flag whose parser returns errors of package strconv.
var wantedOf = map[string]string{"float64": "a number", "bool": "true or false"}

// flagError rewords the error of a flag: the value found and the values accepted, or the flag that was probably meant.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		if near := config.Nearest(unknown.GetSpecifiedName(), flagNames(c)); near != "" {
			return fmt.Errorf("%w (did you mean --%s?)", err, near)
		}
	case errors.As(err, &value) && errors.As(err, &number):
		return fmt.Errorf("--%s %s: want %s", value.GetFlag().Name, value.GetValue(), wantedOf[value.GetFlag().Value.Type()])
	case errors.As(err, &value):
		return fmt.Errorf("--%s %s: %w", value.GetFlag().Name, value.GetValue(), value.Unwrap())
	}
	return fmt.Errorf("%w (see %s --help)", err, c.CommandPath())
}

func flagNames(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// knownCommand refuses a first word that is no command, with the nearest that is.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := lists.Map(manCommands(c), func(sub *cobra.Command) string { return sub.Name() })
	near := config.Nearest(args[0], names)
	if suggested := c.SuggestionsFor(args[0]); near == "" && len(suggested) > 0 {
		near = suggested[0]
	}
	if near != "" {
		return fmt.Errorf("unknown command %q (did you mean %s?)", args[0], near)
	}
	return fmt.Errorf("unknown command %q (see spvsim --help)", args[0])
}

// exactly requires n arguments; what names them in the error.
func exactly(n int, what string) cobra.PositionalArgs { return argsBetween(n, n, what) }

// argsBetween requires low to high arguments.
func argsBetween(low, high int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if n := len(args); n < low || n > high {
			return fmt.Errorf("%s: found %s: want %s (see %s --help)", c.Name(), counted(n, "argument"), what, c.CommandPath())
		}
		return nil
	}
}

// counted is a number of things: 1 point, 2 points, 2 accesses.
func counted(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		what += "e"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// helpCommand is cobra's, but for a word that is no command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err == nil {
				err = knownCommand(c.Root(), rest)
			}
			if err != nil {
				return err
			}
			return of.Help()
		},
	}
}

// checkCompletion makes cobra's completion command check its arguments: cobra does not check those of a command without
// an action.
func checkCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// An outputFile is a file that a flag names for results.
type outputFile struct{ flag, name string }

// A format is what a flag writes whatever the name of the file, with its usual file name extensions.
type format struct {
	description string
	endings     []string
}

// formats are the formats of the flags that write only one.
var formats = map[string]format{
	"stats":    {"JSON", []string{".json"}},
	"profile":  {"a profile as JSON", []string{".json"}},
	"listing":  {"text", []string{".txt", ".lst", ".s", ".csv", ".json"}},
	"series":   {"CSV", []string{".csv"}},
	"trace":    {"a Perfetto trace, which is binary", []string{".pftrace", ".perfetto-trace", ".pb"}},
	"accesses": {"Parquet", []string{".parquet"}},
	"counters": {"Parquet", []string{".parquet"}},
	"daisen":   {"an SQLite database", []string{".sqlite3"}},
	"report":   {"an HTML page", []string{".html", ".htm"}},
	"out":      {"an HTML page", []string{".html", ".htm"}},
}

// noteFormats warns about files whose name suggests another format.
func noteFormats(c *cobra.Command, files ...outputFile) {
	for _, f := range files {
		ending := strings.ToLower(filepath.Ext(f.name))
		own, one := formats[f.flag]
		if !one || slices.Contains(own.endings, ending) {
			continue
		}
		promised := slices.ContainsFunc(slices.Collect(maps.Values(formats)), func(o format) bool { return slices.Contains(o.endings, ending) })
		if promised || slices.Contains(otherEndings, ending) {
			fmt.Fprintf(c.ErrOrStderr(), "spvsim: --%s %s: writes %s; usual names end in %s\n", f.flag, f.name, own.description, own.endings[0])
		}
	}
}

// otherEndings are extensions of formats that no flag of one format writes.
var otherEndings = []string{".parquet", ".pdf", ".png", ".svg", ".yaml", ".yml", ".xml", ".gz", ".zip", ".md"}

// checkOutputs refuses files that can't be written before a run that may take long: the file's folder must exist, and
// the file must not be a folder.
func checkOutputs(files ...outputFile) error {
	for _, f := range files {
		folder := filepath.Dir(f.name)
		info, err := os.Stat(f.name)
		switch {
		case f.name == "" || f.name == "-":
		case err == nil && info.IsDir():
			return fmt.Errorf("--%s %s: found a folder: want a file", f.flag, f.name)
		case !exists(folder):
			return fmt.Errorf("--%s %s: found no folder %s: want one that exists", f.flag, f.name, folder)
		}
	}
	return nil
}

// makeFolder creates a folder for output, with its parents.
func makeFolder(name string) error {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: found a file: want a folder for output", name)
	}
	return os.MkdirAll(name, 0o777)
}

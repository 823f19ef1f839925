package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spvsim/internal/lists"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the manual pages, one for each command, to a folder",
		Example: "  spvsim man ~/.local/share/man/man1 && man spvsim-run",
		Args:    exactly(1, "a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := makeFolder(args[0]); err != nil {
				return err
			}
			return writeManual(c.Root(), args[0])
		},
	}
}

// writeManual writes the page of a command and those of its own commands.
func writeManual(c *cobra.Command, folder string) error {
	err := os.WriteFile(filepath.Join(folder, manName(c)+".1"), []byte(manPage(c)), 0o666)
	for _, sub := range manCommands(c) {
		err = errors.Join(err, writeManual(sub, folder))
	}
	return err
}

// manCommands are those that a person calls.
func manCommands(c *cobra.Command) (list []*cobra.Command) {
	return lists.Filter(c.Commands(), func(sub *cobra.Command) bool { return sub.IsAvailableCommand() })
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is the page in roff. It has no date, so that a version always gives the same.
func manPage(c *cobra.Command) string {
	version, _ := buildVersion()
	m := &roff{}
	m.request("TH", strings.ToUpper(manName(c)), "1", "", "spvsim "+version, "spvsim")
	m.section("NAME", manName(c)+" - "+c.Short)
	m.section("SYNOPSIS", c.UseLine())
	m.section("DESCRIPTION", cmp.Or(c.Long, c.Short))
	if c.NonInheritedFlags().HasAvailableFlags() {
		m.request("SH", "OPTIONS")
		c.NonInheritedFlags().VisitAll(m.flag)
	}
	if c.Example != "" {
		m.request("SH", "EXAMPLES")
		m.plain("nf")
		m.text(c.Example)
		m.plain("fi")
	}
	m.section("EXIT STATUS", "0 done; 1 the run failed; 2 bad input or usage; 3 a fault of spvsim itself")
	m.section("SEE ALSO", strings.Join(manRelatives(c), ", "))
	return m.String()
}

// manRelatives are the pages above and below a command's.
func manRelatives(c *cobra.Command) (list []string) {
	if c.HasParent() {
		list = append(list, manName(c.Parent())+"(1)")
	}
	for _, sub := range manCommands(c) {
		list = append(list, manName(sub)+"(1)")
	}
	return list
}

// roff puts a page together: requests, and text in which nothing is one.
type roff struct{ strings.Builder }

func (m *roff) plain(name string) { fmt.Fprintf(m, ".%s\n", name) }

func (m *roff) request(name string, args ...string) {
	fmt.Fprintf(m, ".%s", name)
	for _, a := range args {
		fmt.Fprintf(m, ` "%s"`, strings.ReplaceAll(literal(a), `"`, `\(dq`))
	}
	m.WriteByte('\n')
}

func (m *roff) section(name, text string) {
	m.request("SH", name)
	m.text(text)
}

// text is lines that are filled, and empty lines, which begin a paragraph.
func (m *roff) text(text string) {
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if line == "" {
			m.plain("PP")
			continue
		}
		fmt.Fprintln(m, literal(line))
	}
}

// literal is a text that roff prints as it is.
func literal(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

func (m *roff) flag(f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	m.plain("TP")
	m.text(strings.TrimSpace(name + " " + value))
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	m.text(usage)
}

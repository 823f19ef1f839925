// Command skips reads the output of go test -json, prints it as go test does without -v, and fails if a test failed, or skipped
// without being on the allow-list. Otherwise a suite whose tests skip because a program is missing would pass.
//
//	go test -json ./... | skips ALLOWED
//
// A line of ALLOWED is a package, a test and the reason why its skip is no gap, or a comment that begins with #.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

// An event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("found %d arguments: want the file of skips that are allowed", len(args))
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	allowed, err := readAllowed(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	r := &results{allowed: allowed, output: map[string][]string{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.line(line, out)
		}
		if err == io.EOF {
			return r.verdict()
		}
		if err != nil {
			return err
		}
	}
}

// readAllowed returns the tests that may skip, each as "package test".
func readAllowed(text string) (map[string]bool, error) {
	allowed := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case len(words) < 3:
			return nil, fmt.Errorf("line %d: found %q: want a package, a test and a reason", i+1, strings.TrimSpace(line))
		default:
			allowed[words[0]+" "+words[1]] = true
		}
	}
	return allowed, nil
}

// results are the results of the tests so far.
type results struct {
	allowed map[string]bool
	output  map[string][]string // of each running test, and of its package under an empty name
	failed  int
	skipped []string // not allowed, with the reason that the test gave
}

// line processes one line of go test -json. Other lines are the build's, and are printed unchanged.
func (r *results) line(line string, out io.Writer) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(out, line)
		return
	}
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Test == "" {
			if e.Output != "PASS\n" {
				fmt.Fprint(out, e.Output)
			}
			return
		}
		r.output[key] = append(r.output[key], e.Output)
		return
	case "fail", "build-fail":
		r.failed++
		fmt.Fprint(out, strings.Join(r.output[key], ""))
	case "skip":
		if e.Test != "" && !r.allowed[key] {
			r.skipped = append(r.skipped, key+": "+reason(r.output[key]))
		}
	case "pass":
	default:
		return
	}
	delete(r.output, key)
}

// reason returns the message of a test that skipped.
func reason(output []string) string {
	for _, line := range output {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "===") && !strings.HasPrefix(text, "---") {
			return text
		}
	}
	return "no reason given"
}

func (r *results) verdict() error {
	switch {
	case len(r.skipped) > 0:
		sort.Strings(r.skipped)
		return fmt.Errorf("skipped, and not on the list of skips that are allowed:\n%s", strings.Join(r.skipped, "\n"))
	case r.failed > 0:
		return fmt.Errorf("%d tests and packages failed", r.failed)
	}
	return nil
}

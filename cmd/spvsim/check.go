package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"spvsim/check"
	"spvsim/internal/files"
)

// maxFindings is the most findings that are shown.
const maxFindings = 10

// writeFindings shows the first findings, and the counts of the others.
func writeFindings(w io.Writer, r *check.Report) {
	for _, text := range r.Unchecked {
		fmt.Fprintf(w, "check: %s\n", text)
	}
	if r.RobustOutOfBounds > 0 {
		fmt.Fprintf(w, "check: %s out of bounds where robustBufferAccess is enabled, which defines them\n", counted(int(r.RobustOutOfBounds), "access"))
	}
	if r.OutOfBounds > 0 {
		fmt.Fprintf(w, "check: %s out of bounds\n", counted(int(r.OutOfBounds), "access"))
	}
	if len(r.Findings) == 0 {
		if r.OutOfBounds == 0 {
			fmt.Fprintln(w, "check: nothing found")
		}
		return
	}
	fmt.Fprintf(w, "check: %s\n", counted(len(r.Findings), "finding"))
	for i := range r.Findings {
		if f := &r.Findings[i]; i < maxFindings {
			fmt.Fprintf(w, "%s\n", f)
		} else {
			fmt.Fprintln(w, f.Short())
		}
	}
}

// readFindings joins what the driver found on each device of a program and of the processes that it started.
func readFindings(folder string) (all check.Report, err error) {
	all = check.New().Report()
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, name := range names {
		data, err := files.Read(name, files.MaxJSON)
		if err != nil {
			return all, err
		}
		var r check.Report
		if err := json.Unmarshal(data, &r); err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		all.Add(&r)
	}
	if len(names) == 0 {
		all.Unchecked = append(all.Unchecked, "nothing was looked at: neither the program nor a process that it started made a device of this driver")
	}
	return all, err
}

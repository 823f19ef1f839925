package main

import (
	"encoding/csv"
	"fmt"
	"os"
)

// write writes the errors of all points as CSV, in the order of the measurements. Measured times are not ours to give on, nor what
// tells them: there are ratios only.
func write(name string, points []point, list []result) error {
	byName := map[string]*result{}
	for i := range list {
		byName[list[i].name()] = &list[i]
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	rows := [][]string{{"kernel", "problem", "status", "ratio"}}
	for i := range points {
		rows = append(rows, row(&points[i], byName[points[i].name()]))
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}

func row(p *point, r *result) []string {
	switch {
	case r == nil:
		return []string{p.kernel, p.problem, "not run", ""}
	case r.err != nil:
		return []string{p.kernel, p.problem, "given up", ""}
	}
	return []string{p.kernel, p.problem, "done", fmt.Sprintf("%.4f", r.ratio())}
}

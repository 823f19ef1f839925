package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
)

// write writes the errors of all points as CSV, in the order of the measurements. We may not redistribute measured
// times: the file has ratios, and simulated times to two digits, which place a point in a figure and in a class of
// sizes.
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
	rows := [][]string{{"kernel", "problem", "status", "simulated_us", "ratio"}}
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
		return []string{p.kernel, p.problem, "not run", "", ""}
	case r.err != nil:
		return []string{p.kernel, p.problem, "given up", "", ""}
	}
	return []string{p.kernel, p.problem, "done", twoDigits(r.simulated), fmt.Sprintf("%.4f", r.ratio())}
}

// twoDigits writes a number rounded to two significant digits.
func twoDigits(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}

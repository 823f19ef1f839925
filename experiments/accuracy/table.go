package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// write writes the errors of all points as CSV, in the order of the measurements. We may not redistribute the measured
// times of devices: the file has ratios, and simulated times to two digits, which place a point in a figure and in a
// class of sizes.
func write(name string, points []point, list []result) error {
	return writePoints(name, points, list, []string{"kernel", "problem", "status", "simulated_us", "ratio", "use", "spread"}, func(p *point, r *result) []string {
		spread := ""
		if p.repetitionSpread > 0 {
			spread = fmt.Sprintf("%.3f", p.repetitionSpread)
		}
		if r == nil {
			return []string{"", "", p.use, spread}
		}
		return []string{twoDigits(r.simulated), fmt.Sprintf("%.4f", r.ratio()), p.use, spread}
	})
}

// writeTimes writes simulated times alone, so that they can be kept before they are compared.
func writeTimes(name string, points []point, list []result) error {
	return writePoints(name, points, list, []string{"kernel", "problem", "status", "simulated_us"}, func(_ *point, r *result) []string {
		if r == nil {
			return []string{""}
		}
		return []string{fmt.Sprintf("%.4g", r.simulated)}
	})
}

// writeCurves writes the simulated values of curves, and ratios.
func writeCurves(name string, points []point, list []result) error {
	return writePoints(name, points, list, []string{"curve", "point", "status", "unit", "simulated", "ratio"}, func(p *point, r *result) []string {
		if r == nil {
			return []string{p.pair.unit, "", ""}
		}
		return []string{p.pair.unit, twoDigits(r.simulated), fmt.Sprintf("%.4f", r.ratio())}
	})
}

// writePoints writes a line for each point; the cells of one without a simulated time are those of a nil result.
func writePoints(name string, points []point, list []result, columns []string, cells func(*point, *result) []string) error {
	byName := map[string]*result{}
	for i := range list {
		byName[list[i].name()] = &list[i]
	}
	rows := [][]string{columns}
	for i := range points {
		p := &points[i]
		r := byName[p.name()]
		status := "done"
		switch {
		case r == nil:
			status = "not run"
		case r.err != nil:
			status, r = "given up", nil
		}
		rows = append(rows, append([]string{p.kernel, p.problem, status}, cells(p, r)...))
	}
	return writeRows(name, rows)
}

// readTimes reads simulated times that were kept, as results of the points.
func readTimes(name string, points []point) ([]result, error) {
	rows, err := readLines(name)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	at, ok := columnIndices(rows[0], []string{"kernel", "problem", "simulated_us"})
	if !ok {
		return nil, fmt.Errorf("%s:1: found columns %s: want kernel, problem, simulated_us", name, strings.Join(rows[0], ", "))
	}
	times := map[string]string{}
	for _, row := range rows[1:] {
		c := pick(row, at)
		times[c[0]+" "+c[1]] = c[2]
	}
	var list []result
	for i := range points {
		text := times[points[i].name()]
		if text == "" {
			continue
		}
		us, err := strconv.ParseFloat(text, 64)
		if err != nil || !(us > 0) {
			return nil, fmt.Errorf("%s: %s: found %q: want microseconds above 0", name, points[i].name(), text)
		}
		list = append(list, result{point: &points[i], simulated: us})
	}
	return list, nil
}

// writeRows writes CSV.
func writeRows(name string, rows [][]string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
}

// twoDigits writes a number rounded to two significant digits.
func twoDigits(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}

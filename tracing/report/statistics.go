package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"spvsim/tracing"
)

// A statRow is a statistic with its meaning.
type statRow struct{ Path, Value, Unit, Meaning string }

// statRows returns the run's statistics that are not 0, in their order: new counts of a component appear without a list
// of names. It leaves out the parts of the run, which have tables of their own, and values that differ between two runs
// of a job.
func statRows(text []byte) (list []statRow) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	walk(d, "", func(path string, n json.Number) {
		if s, ok := tracing.OfRun(path); ok && n != "0" && path != "format" { // which says nothing about the run
			list = append(list, statRow{path, numberText(n), s.Unit, s.Meaning})
		}
	})
	return list
}

// walk reads the next value, and passes on its numbers outside of lists, with the names of their members joined by
// dots. It stops at invalid JSON.
func walk(d *json.Decoder, path string, number func(string, json.Number)) {
	word, err := d.Token()
	if err != nil {
		return
	}
	switch word := word.(type) {
	case json.Number:
		number(path, word)
	case json.Delim:
		for d.More() {
			name := ""
			if word == '{' {
				key, err := d.Token()
				if err != nil {
					return
				}
				name, _ = key.(string)
			}
			inner, at := number, name
			if path != "" {
				at = path + "." + name
			}
			if word == '[' || path == "" && slices.Contains([]string{"host", "steps"}, name) {
				inner = func(string, json.Number) {}
			}
			walk(d, at, inner)
		}
		_, _ = d.Token() // its end
	}
}

// numberText groups the digits of whole numbers.
func numberText(n json.Number) string {
	if whole, err := strconv.ParseUint(string(n), 10, 64); err == nil {
		return grouped(whole)
	}
	x, _ := n.Float64()
	return strconv.FormatFloat(x, 'g', 4, 64)
}

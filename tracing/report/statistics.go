package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"spvsim/tracing"
)

// A statRow is a number of the statistics, with what it means.
type statRow struct{ Path, Value, Unit, Meaning string }

// statRows are the numbers of the whole run, in the order of its statistics, but for those that are 0: what a component counts is here without
// a list of names. Parts of the run have tables of their own, and what differs between two runs of one job is left out.
func statRows(text []byte) (list []statRow) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	walk(d, "", func(path string, n json.Number) {
		if s, ok := tracing.OfRun(path); ok && n != "0" {
			list = append(list, statRow{path, numberText(n), s.Unit, s.Meaning})
		}
	})
	return list
}

// walk reads the next value, and hands on the numbers in it that are in no list, with the names of their members joined by dots. What is no JSON ends
// it.
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

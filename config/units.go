package config

import (
	"fmt"
	"strconv"
	"strings"
)

// unitWords maps the unit of a field to the units that people write instead, each with its factor.
var unitWords = map[string]map[string]float64{
	"MHz":         {"hz": 1e-6, "khz": 1e-3, "mhz": 1, "ghz": 1e3},
	"bytes":       {"b": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30},
	"bytes/cycle": {"b": 1, "kb": 1 << 10, "kib": 1 << 10},
}

// unitHint names the unit of a field and, if text has another unit, its value in the field's unit.
func unitHint(text, unit string) string {
	if unit == "" {
		return ""
	}
	hint := ", in " + unit
	end := strings.LastIndexAny(text, "0123456789.") + 1
	number, err := strconv.ParseFloat(strings.TrimSpace(text[:end]), 64)
	times, known := unitWords[unit][strings.ToLower(strings.TrimSpace(text[end:]))]
	if err != nil || !known {
		return hint
	}
	return hint + fmt.Sprintf(" (%s is %s)", strings.TrimSpace(text), strconv.FormatFloat(number*times, 'f', -1, 64))
}

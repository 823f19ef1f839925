package config

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseConstant parses a specialization constant of the command line: ID=VALUE or NAME=VALUE.
func ParseConstant(text string) (SpecValue, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		return SpecValue{}, fmt.Errorf("found %q: want ID=VALUE, or NAME=VALUE with the constant's OpName", text)
	}
	n, err := Expr(value).eval(scope{}, Number{})
	if err != nil {
		return SpecValue{}, fmt.Errorf("%q: %w", text, err)
	}
	if id, err := strconv.ParseUint(name, 10, 32); err == nil {
		return SpecValue{ID: uint32(id), Value: n}, nil
	}
	return SpecValue{Name: name, Value: n}, nil
}

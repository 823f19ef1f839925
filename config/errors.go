package config

import (
	"errors"
	"fmt"

	"spvsim/internal/fault"
	"spvsim/internal/spec"
)

// Kinds of errors in a file; every error of this package wraps one of them.
var (
	ErrSyntax     = errors.New("not YAML")
	ErrUnknownKey = errors.New("unknown key")
	ErrType       = errors.New("wrong type")
	ErrRange      = spec.ErrRange
	ErrMissing    = spec.ErrMissing
	ErrReference  = spec.ErrReference
	ErrExpr       = errors.New("bad expression")
	ErrLimit      = errors.New("too large")
)

// Error is one error with its place.
type Error fault.Fault

func (e *Error) Error() string { return (*fault.Fault)(e).Text("config") }

func (e *Error) Unwrap() error { return e.Kind }

// position is the place where a field was last set.
type position struct {
	file string
	line int
}

// problem is a fault of a value whose place is only known by its path.
type problem struct {
	path, msg string
	kind      error
}

func problemf(path, format string, args ...any) problem {
	return problem{path, fmt.Sprintf(format, args...), ErrRange}
}

// withPositions turns problems into errors with positions; a field without a position has that of the nearest enclosing field.
func withPositions(ps []problem, where map[string]position) error {
	var errs []error
	for _, p := range ps {
		at := lookupPosition(where, p.path)
		errs = append(errs, &Error{File: at.file, Line: at.line, Path: p.path, Msg: p.msg, Kind: p.kind})
	}
	return errors.Join(errs...)
}

func lookupPosition(where map[string]position, path string) position {
	for path != "" {
		if at, ok := where[path]; ok {
			return at
		}
		path = parentPath(path)
	}
	return where[""]
}

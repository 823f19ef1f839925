package plots

import (
	"errors"

	"spvsim/internal/fault"
)

// Kinds of errors in rows and figures; every error of this package wraps one of them.
var (
	ErrSyntax     = errors.New("not readable")
	ErrUnknownKey = errors.New("unknown key")
	ErrType       = errors.New("wrong type")
	ErrRange      = errors.New("out of range")
	ErrMissing    = errors.New("missing")
	ErrColumn     = errors.New("no such column")
	ErrExpr       = errors.New("bad expression")
	ErrEmpty      = errors.New("empty selection")
	ErrRepeated   = errors.New("several rows for one point")
	ErrText       = errors.New("text that can't be set")
	ErrLimit      = errors.New("too large")
	ErrDraw       = errors.New("not drawn")
)

// Error is one error with its place.
type Error fault.Fault

func (e *Error) Error() string { return (*fault.Fault)(e).Text("plots") }

func (e *Error) Unwrap() error { return e.Kind }

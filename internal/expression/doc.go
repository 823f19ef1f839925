// Package expression implements the expression language of jobs, experiments and figures. Its grammar, parser, checker
// and interpreter are those of github.com/expr-lang/expr, reduced to numbers, texts and names. The operators are this
// package's own, because the library's integers wrap around and its / returns floats. docs/reference/job.md describes
// the language.
//
// An expression has no loops, lists or ranges. Its time and memory are proportional to its text, which is bounded.
//
// The package does not know where names get their values.
package expression

import (
	"errors"
	"fmt"
)

// Arithmetic selects the types of numbers.
type Arithmetic int

// The arithmetics.
const (
	Integers Arithmetic = iota // a number without point or exponent is an integer, and so are results of integers alone
	Reals                      // all numbers are 64-bit floats; NaN is a missing number
)

// Type is the type of a name or a result.
type Type int

// The types.
const (
	Number Type = iota
	Text
	NumberOrText // known only when the expression runs
)

// Bounds of an expression.
const (
	MaxText  = 1000 // characters
	maxNodes = 1000 // operations, operands and arguments
)

// Errors that the errors of Compile and Run wrap.
var (
	ErrSyntax   = errors.New("bad expression")
	ErrZero     = errors.New("division by zero")
	ErrOverflow = errors.New("overflow")
	errMissing  = errors.New("a number is missing (NaN)")
)

// Error is an error at a character of an expression, counted from 1.
type Error struct {
	Text      string
	Char      int
	Err       error
	atRuntime bool // found when the expression ran
}

func (e *Error) Error() string {
	if e.atRuntime {
		return fmt.Sprintf("expression %q: %v (at character %d)", e.Text, e.Err, e.Char)
	}
	return fmt.Sprintf("expression %q: at character %d: %v", e.Text, e.Char, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Is reports true for ErrSyntax if Compile found the error, whatever its cause.
func (e *Error) Is(target error) bool { return target == ErrSyntax && !e.atRuntime }

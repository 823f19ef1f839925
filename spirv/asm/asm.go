// Package asm is the text form of SPIR-V modules, as the SPIR-V tools write
// and read it. It knows the form of instructions from the grammar, not their
// meaning: it names types and constants for the reader, and checks no rule of
// valid modules.
package asm

import (
	"errors"
	"fmt"
)

// ErrSyntax is wrapped by every fault of a text.
var ErrSyntax = errors.New("assembly syntax error")

// Error is a fault of a text with its position; lines and columns count from 1, columns in bytes.
type Error struct {
	Name         string // of the text, as given to Assemble
	Line, Column int
	Text         string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Text)
}

func (e *Error) Unwrap() error { return ErrSyntax }

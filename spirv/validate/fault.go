package validate

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"spvsim/spirv"
)

var (
	// ErrInvalid is wrapped by every fault against the rules of SPIR-V.
	ErrInvalid = errors.New("invalid module")
	// ErrUnsupported is wrapped if a valid module uses a feature that the simulator does not support.
	ErrUnsupported = errors.New("not supported")
)

// A Fault is one violation of a rule, with its position.
type Fault struct {
	Word int // index of the instruction's first word
	Op   spirv.Op
	ID   spirv.ID // result id of the instruction, 0 if none
	Rule string   // name of the rule
	Text string
	Err  error // sentinel; nil means ErrInvalid

	source *spirv.Source
	format string // that Text was made from, with args: Text has the numbers of ids
	args   []any
}

func (f Fault) Error() string {
	text := f.Text
	if f.format != "" {
		text = f.source.Sprintf(f.format, f.args...)
	}
	if f.Rule != "" {
		text += " (rule " + f.Rule + ")"
	}
	return f.source.Fault("spirv", f.Word, f.Op, f.ID, text)
}

// withSource notes in an error of a check which text the module was made from.
func withSource(source *spirv.Source, err error) error {
	switch err := err.(type) {
	case Fault:
		err.source = source
		return err
	case Faults:
		for i := range err {
			err[i].source = source
		}
	}
	return err
}

// Unwrap returns the sentinel.
func (f Fault) Unwrap() error {
	return cmp.Or(f.Err, ErrInvalid)
}

// Faults lists the violations that a check found, in the order of the module.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single faults to errors.Is and errors.As.
func (f Faults) Unwrap() []error {
	errs := make([]error, len(f))
	for i := range f {
		errs[i] = f[i]
	}
	return errs
}

// FaultAt makes a fault of an instruction.
func FaultAt(in *spirv.Instruction, rule, format string, args ...any) Fault {
	return Fault{Word: in.Word, Op: in.Op, ID: in.Result, Rule: rule, Text: fmt.Sprintf(format, args...), format: format, args: args}
}

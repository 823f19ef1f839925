package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"spvsim/internal/expression"
)

// An integerFlag is an integer of the command line, read as integers of files are.
type integerFlag[T int | uint64] struct {
	to        *T
	low, high int64
}

// addInteger adds a flag with an integer value from low to high.
func addInteger[T int | uint64](flags *pflag.FlagSet, to *T, name string, byDefault T, low, high int64, usage string) {
	*to = byDefault
	flags.Var(&integerFlag[T]{to, low, high}, name, usage)
}

// manyCycles bounds the flags in cycles, as it does a job's limits.cycles.
const manyCycles = 1 << 60

// String implements pflag.Value.
func (f *integerFlag[T]) String() string { return fmt.Sprint(*f.to) }

// Type returns the default name of the value in help texts.
func (f *integerFlag[T]) Type() string { return "integer" }

// Set implements pflag.Value.
func (f *integerFlag[T]) Set(text string) error {
	n, err := expression.ParseWithin(text, f.low, f.high)
	if err == nil {
		*f.to = T(n)
	}
	return err
}

package main

import (
	"fmt"
	"strconv"

	"spvsim/gpu"
)

// hostSeconds is a flag of a limit in seconds of the host's time.
type hostSeconds float64

func (s *hostSeconds) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }
func (s *hostSeconds) Type() string   { return "seconds" }

// Set implements pflag.Value.
func (s *hostSeconds) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || gpu.CheckHostSeconds(x) != nil {
		return fmt.Errorf("want a number of seconds, from 0 to %d", gpu.MaxHostSeconds)
	}
	*s = hostSeconds(x)
	return nil
}

// Package suite decides how many of their cases tests run, and compares results with recorded ones.
package suite

import "os"

// Whole says that a test runs each of its cases, as .ci/run asks for by the variable SPVSIM_WHOLE_SUITE. Without it, tests whose cases are each
// of many by each of many run a part in which everything comes at least once, so that the suite takes minutes.
func Whole() bool { return os.Getenv("SPVSIM_WHOLE_SUITE") != "" }

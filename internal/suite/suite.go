// Package suite decides how many of their cases tests run, and compares results with recorded ones.
package suite

import "os"

// AllCases reports whether tests run all of their cases: the environment variable SPVSIM_WHOLE_SUITE is set, as in .ci/run. Without it, tests
// over the product of two long lists run a part that covers each item at least once, so that the suite takes minutes.
func AllCases() bool { return os.Getenv("SPVSIM_WHOLE_SUITE") != "" }

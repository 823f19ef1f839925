package spirv_test

import (
	"flag"

	_ "pgregory.net/rapid" // its flags
)

// rapid draws the same cases every time, unless -rapid.seed is set.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

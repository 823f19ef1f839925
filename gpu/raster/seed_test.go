package raster

import (
	"flag"

	_ "pgregory.net/rapid" // its flags
)

// What rapid draws is the same every time, unless -rapid.seed says something else.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// The watts of all components and the remainder add up to those of the run, each on its own or by kind, under both
// memory models.
func TestWattsOfComponents(t *testing.T) {
	runs := [][]string{{"--components"}, {"--components=each"}}
	if suite.Akita {
		runs = append(runs, []string{"--components", "--set", "memory.model=akita", "--param", "groups=8"})
	}
	for _, flags := range runs {
		r := spvsim("", append([]string{"run", "reduce", "--machine", "gcn3-r9nano"}, flags...)...)
		shown := regexp.MustCompile(`energy .*, ([\d.]+) W \(limit`).FindStringSubmatch(r.stdout)
		if shown == nil {
			t.Fatalf("%v: no power in %s", flags, r.stdout+r.stderr)
		}
		want, _ := strconv.ParseFloat(shown[1], 64)
		_, table, _ := strings.Cut(r.stdout, "  watts\n")
		sum, all := 0.0, 0.0
		for _, line := range strings.Split(table, "\n") {
			words := strings.Fields(line)
			if len(words) < 9 {
				break
			}
			watts, err := strconv.ParseFloat(words[len(words)-1], 64)
			switch {
			case err != nil || strings.Contains(line, ".SIMD[") && watts <= 0:
				t.Errorf("%v: %s", flags, line)
			case words[0] == "all":
				all = watts
			default:
				sum += watts
			}
		}
		if math.Abs(all-want) > 0.01*want || math.Abs(sum-all) > 0.01*all {
			t.Errorf("%v: %g W, %g over components, want %g", flags, all, sum, want)
		}
	}
}

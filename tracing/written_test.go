package tracing

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

var update = flag.Bool("update", false, "write testdata/written.txt")

// Summaries and JSON of random statistics are recorded, each line of a summary by its first word.
func TestWrittenStatistics(t *testing.T) {
	suite.Lines(t, "written.txt", *update, 150, func(i int) string {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		var s Stats
		suite.Fill(r, reflect.ValueOf(&s).Elem(), 1+r.Uint64N(1<<r.IntN(40)))
		s.Energies, s.ClockMHz, s.FullClockMHz = nil, 1000, 0 // a machine without energies
		var text, data bytes.Buffer
		err1, err2 := WriteSummary(&text, &s), WriteJSON(&data, &s)
		out := ""
		for line := range strings.Lines(text.String()) {
			word, _, _ := strings.Cut(line, " ")
			out += word + " " + suite.Digest([]byte(line)) + ", "
		}
		return fmt.Sprintf("%sjson %s; %v %v", out, suite.Digest(data.Bytes()), err1, err2)
	})
}

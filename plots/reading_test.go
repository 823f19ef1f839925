package plots

import (
	"errors"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

func readingRows(t *testing.T) *Table {
	t.Helper()
	rows := suite.Must(ReadCSV("r.csv", strings.NewReader("kind,n,time\na,1,10\na,2,20\nb,1,5\nb,2,4\nb,3,\n")))(t)
	return rows
}

func TestFill(t *testing.T) {
	rows := readingRows(t)
	for text, want := range map[string]string{
		"at most {{max time}} us":                        "at most 20 us",
		"{{min time where kind == 'b'}}":                 "4",
		"{{mean 2 * time where\n  kind == 'a' as %.1f}}": "30.0",
		"{{geomean time where kind == 'b' as %.2f}}":     "4.47",
		"{{count}} rows, {{count time}} with a time":     "5 rows, 4 with a time",
		"{{value time where kind == 'a' && n == 2 over value time where kind == 'b' && n == 2}} times": "5 times",
		"slower{{all time > 9 where kind == 'a'}}.":                                                    "slower.",
		"{{max 1000 * time}} and {{min -300 * time}}, {{min time / 30000}}":                            "20000 and -6000, 0.000133",
		"sum {{sum time as %.0f}}":                                                                     "sum 39",
		"none":                                                                                         "none",
	} {
		if got, err := Fill(text, rows); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestFillRefuses(t *testing.T) {
	rows := readingRows(t)
	for text, want := range map[string]string{
		"{{all time > 9}}":                 "{{all time > 9}}: found a row in which it does not hold",
		"{{most time}}":                    `found "most"`,
		"{{max}}":                          "found max alone",
		"{{max tim}}":                      "tim",
		"{{max time where kin == 'a'}}":    "kin",
		"{{max time where kind == 'c'}}":   "found no row: want at least one",
		"{{value time where kind == 'a'}}": "found 2 rows, with values from 10 to 20",
		"{{max time over min n - 1}}":      "is +Inf",
		"{{max time +}}":                   "time +",
	} {
		if got, err := Fill(text, rows); !errors.Is(err, ErrReading) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %s", text, got, err, want)
		}
	}
}

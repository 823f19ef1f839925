package docs_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"spvsim/internal/expression"
	"spvsim/internal/suite"
	"spvsim/plots"
)

// errReading means that a mark of a text can't be filled from the rows, or that the rows contradict it.
var errReading = errors.New("reading")

var numberMark = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// fill replaces marks in a text with numbers of the rows, so that the text follows them:
//
//	{{max speedup where machine == 'a' as %.2f}}                 of a column or an expression, over all rows or some
//	{{value t where n == 1 over value t where n == 2}}           one by the other
//	{{all speedup > 1 where n < 8}}                              nothing, and an error if it is false in a row
//
// The words are max, min, mean, geomean, sum, count, value (rows must agree) and all; as is a verb of Go's fmt for a
// float64, %.3g by default. All errors are reported.
func fill(text string, rows *plots.Table) (string, error) {
	var errs []error
	out := numberMark.ReplaceAllStringFunc(text, func(mark string) string {
		filled, err := fillMark(rows, strings.Join(strings.Fields(strings.Trim(mark, "{}")), " "))
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: %s: %w", errReading, mark, err))
			return mark
		}
		return filled
	})
	return out, errors.Join(errs...)
}

func fillMark(t *plots.Table, text string) (string, error) {
	text, verb, given := strings.Cut(text, " as ")
	upper, lower, isRatio := strings.Cut(text, " over ")
	x, err := aggregate(t, upper)
	if err != nil {
		return "", err
	}
	if isRatio {
		by, err := aggregate(t, lower)
		if err != nil {
			return "", err
		}
		x /= by
	}
	if strings.HasPrefix(text, "all ") {
		return "", nil
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "", fmt.Errorf("is %g", x)
	}
	if !given {
		return readable(x), nil
	}
	return fmt.Sprintf(verb, x), nil
}

// readable is a number for readers where a text has no format for it: three digits, and no exponent for large ones.
func readable(x float64) string {
	if math.Abs(x) >= 1000 && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// aggregate computes one word over the rows that meet its condition.
func aggregate(t *plots.Table, text string) (float64, error) {
	text, condition, given := strings.Cut(text, " where ")
	word, of, ok := strings.Cut(strings.TrimSpace(text), " ")
	fold, known := folds[word]
	switch {
	case !known:
		return 0, fmt.Errorf("found %q: want max, min, mean, geomean, sum, count, value or all", word)
	case !ok && word != "count":
		return 0, fmt.Errorf("found %s alone: want a column or an expression after it", word)
	case !ok:
		of = "1"
	}
	if !given {
		condition = "1"
	}
	values, err := valuesOf(t, of, condition)
	if err != nil {
		return 0, err
	}
	if len(values) == 0 && word != "count" {
		return 0, errors.New("found no row: want at least one that meets the condition")
	}
	return fold(values)
}

// valuesOf evaluates an expression in the rows that meet a condition, and drops missing values.
func valuesOf(t *plots.Table, of, condition string) (list []float64, err error) {
	value, err := compile(of, t)
	if err != nil {
		return nil, err
	}
	kept, err := compile(condition, t)
	if err != nil {
		return nil, err
	}
	for row := range t.Rows {
		keep, err := kept(row)
		x, err2 := value(row)
		if math.IsNaN(keep) || keep == 0 {
			err2 = nil
		}
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		if !math.IsNaN(keep) && keep != 0 && !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	return list, nil
}

// compile returns the values of an expression over the columns of a table by row, NaN where a number is missing.
func compile(text string, t *plots.Table) (func(row int) (float64, error), error) {
	code, err := expression.Compile(text, expression.Reals, func(name string) (expression.Type, error) {
		c := t.Column(name)
		switch {
		case c == nil:
			return 0, fmt.Errorf("%s: found no column %q", t.File, name)
		case c.Type == plots.Text:
			return expression.Text, nil
		}
		return expression.Number, nil
	})
	return func(row int) (float64, error) {
		v, err := code.Run(func(name string) (any, error) {
			if c := t.Column(name); c.Type == plots.Number {
				return c.Numbers[row], nil
			}
			return t.Column(name).Texts[row], nil
		})
		x, ok := v.(float64)
		if !ok {
			x = math.NaN()
		}
		return x, err
	}, err
}

var folds = map[string]func([]float64) (float64, error){
	"max":   func(list []float64) (float64, error) { return folded(list, math.Max), nil },
	"min":   func(list []float64) (float64, error) { return folded(list, math.Min), nil },
	"sum":   func(list []float64) (float64, error) { return folded(list, total), nil },
	"mean":  func(list []float64) (float64, error) { return folded(list, total) / float64(len(list)), nil },
	"count": func(list []float64) (float64, error) { return float64(len(list)), nil },
	"geomean": func(list []float64) (float64, error) {
		sum := 0.0
		for _, x := range list {
			sum += math.Log(x)
		}
		return math.Exp(sum / float64(len(list))), nil
	},
	"value": func(list []float64) (float64, error) {
		if low, high := folded(list, math.Min), folded(list, math.Max); low != high {
			return 0, fmt.Errorf("found %d rows, with values from %g to %g: want one value", len(list), low, high)
		}
		return list[0], nil
	},
	"all": func(list []float64) (float64, error) {
		for _, x := range list {
			if x == 0 {
				return 0, errors.New("found a row in which it does not hold: want all")
			}
		}
		return 1, nil
	},
}

func total(a, b float64) float64 { return a + b }

func folded(list []float64, fold func(a, b float64) float64) float64 {
	x := list[0]
	for _, y := range list[1:] {
		x = fold(x, y)
	}
	return x
}

func readingRows(t *testing.T) *plots.Table {
	t.Helper()
	rows := suite.Must(plots.ReadCSV("r.csv", strings.NewReader("kind,n,time\na,1,10\na,2,20\nb,1,5\nb,2,4\nb,3,\n")))(t)
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
		if got, err := fill(text, rows); err != nil || got != want {
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
		if got, err := fill(text, rows); !errors.Is(err, errReading) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %s", text, got, err, want)
		}
	}
}

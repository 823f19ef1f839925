package plots

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
)

// ErrReading means that a mark of a text can't be filled from the rows, or that the rows contradict it.
var ErrReading = errors.New("reading")

var numberMark = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// Fill replaces marks in a text with numbers of the rows, so that the text follows them:
//
//	{{max speedup where machine == 'a' as %.2f}}                 of a column or an expression, over all rows or some
//	{{value t where n == 1 over value t where n == 2}}           one by the other
//	{{all speedup > 1 where n < 8}}                              nothing, and an error if it is false in a row
//
// The words are max, min, mean, geomean, sum, count, value (rows must agree) and all; as is a verb of Go's fmt for a
// float64, %.3g by default. All errors are reported.
func Fill(text string, rows *Table) (string, error) {
	var errs []error
	out := numberMark.ReplaceAllStringFunc(text, func(mark string) string {
		filled, err := rows.fillMark(strings.Join(strings.Fields(strings.Trim(mark, "{}")), " "))
		if err != nil {
			errs = append(errs, fmt.Errorf("%w: %s: %w", ErrReading, mark, err))
			return mark
		}
		return filled
	})
	return out, errors.Join(errs...)
}

func (t *Table) fillMark(text string) (string, error) {
	text, verb, given := strings.Cut(text, " as ")
	upper, lower, isRatio := strings.Cut(text, " over ")
	x, err := t.aggregate(upper)
	if err != nil {
		return "", err
	}
	if isRatio {
		by, err := t.aggregate(lower)
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
func (t *Table) aggregate(text string) (float64, error) {
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
	values, err := t.values(of, condition)
	if err != nil {
		return 0, err
	}
	if len(values) == 0 && word != "count" {
		return 0, errors.New("found no row: want at least one that meets the condition")
	}
	return fold(values)
}

// values evaluates an expression in the rows that meet a condition, and drops missing values.
func (t *Table) values(of, condition string) (list []float64, err error) {
	value, err := compile(of, t)
	if err != nil {
		return nil, err
	}
	kept, err := compile(condition, t)
	if err != nil {
		return nil, err
	}
	for row := range t.Rows {
		keep, err := kept.number(row)
		if err != nil || math.IsNaN(keep) || keep == 0 {
			if err != nil {
				return nil, err
			}
			continue
		}
		x, err := value.number(row)
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	return list, nil
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

package plots

import (
	"errors"
	"fmt"
	"math"

	"spvsim/internal/expression"
)

// expr is an expression over the columns of a table.
type expr struct {
	table *Table
	code  *expression.Program
}

// compile parses an expression over the columns of a table. Cells that are numbers are floats, and NaN where missing.
func compile(text string, t *Table) (*expr, error) {
	code, err := expression.Compile(text, expression.Reals, func(name string) (expression.Type, error) {
		switch c := t.Column(name); {
		case c == nil:
			return 0, errors.New(t.missing(name))
		case c.Type == Text:
			return expression.Text, nil
		}
		return expression.Number, nil
	})
	return &expr{t, code}, err
}

func (e *expr) texts() bool { return e.code.Type() == expression.Text }

func (e *expr) cell(row int) (any, error) {
	v, err := e.code.Run(func(name string) (any, error) {
		c := e.table.Column(name)
		if c.Type == Text {
			return c.Texts[row], nil
		}
		return c.Numbers[row], nil
	})
	if err != nil {
		return nil, fmt.Errorf("row %d: %w", row+1, err)
	}
	return v, nil
}

// number returns the result in a row, NaN if it is missing.
func (e *expr) number(row int) (float64, error) {
	v, err := e.cell(row)
	if x, ok := v.(float64); ok {
		return x, err
	}
	return math.NaN(), err
}

// text returns the result in a row, "" if it is missing.
func (e *expr) text(row int) (string, error) {
	v, err := e.cell(row)
	s, _ := v.(string)
	return s, err
}

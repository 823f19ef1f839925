package sweep

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// ErrRows means that a file does not have rows of the experiment.
var ErrRows = errors.New("not rows of the experiment")

// Saved compares rows that were written before with the experiment's present points.
type Saved struct {
	Rows    int
	Changed []int // points with another machine, job or files now
	Missing []int // points without a row
	Extra   int   // rows of no point

	plan  *Plan
	lines map[int][]string // by point
	names []string
}

// ReadSaved compares rows with the plan's points by the digests of their inputs.
func (p *Plan) ReadSaved(r io.Reader) (*Saved, error) {
	all, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRows, err)
	}
	if len(all) == 0 || !slices.Contains(all[0], "point") || !slices.Contains(all[0], "inputs") {
		return nil, fmt.Errorf("%w: want a CSV file with the columns point and inputs, as a sweep writes", ErrRows)
	}
	s := &Saved{plan: p, names: all[0], lines: map[int][]string{}, Rows: len(all) - 1}
	for _, line := range all[1:] {
		point, err := strconv.Atoi(s.cell(line, "point"))
		if err != nil || point < 0 || point >= len(p.Specs) {
			s.Extra++
			continue
		}
		s.lines[point] = line
	}
	for i := range p.Specs {
		switch line := s.lines[i]; {
		case line == nil:
			s.Missing = append(s.Missing, i)
		case s.cell(line, "inputs") != p.Specs[i].Inputs:
			s.Changed = append(s.Changed, i)
		}
	}
	return s, nil
}

func (s *Saved) cell(line []string, name string) string {
	if i := slices.Index(s.names, name); i >= 0 {
		return line[i]
	}
	return ""
}

// probe returns the point to run again: one of the middle third by cycles of the points with a row and unchanged
// inputs, drawn by seed. -1: none.
func (s *Saved) probe(seed uint64) int {
	type candidate struct {
		point  int
		cycles float64
	}
	var list []candidate
	for i := range s.plan.Specs {
		line := s.lines[i]
		if line == nil || s.cell(line, "status") != string(Done) || s.cell(line, "inputs") != s.plan.Specs[i].Inputs {
			continue
		}
		cycles, _ := strconv.ParseFloat(s.cell(line, "cycles"), 64) // 0 where the rows have no such column
		list = append(list, candidate{i, cycles})
	}
	if len(list) == 0 {
		return -1
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.cycles, b.cycles) })
	third := len(list) / 3
	middle := list[third : len(list)-third]
	return middle[rand.New(rand.NewPCG(seed, uint64(len(list)))).IntN(len(middle))].point
}

// Probe runs one point again, drawn by seed, and describes the differences from its row; "" if there are none, or
// nothing can be compared. It detects a changed simulator, which leaves the inputs and their digests the same.
func (s *Saved) Probe(ctx context.Context, store *Store, l Launcher, seed uint64) (string, error) {
	point := s.probe(seed)
	if point < 0 {
		return "", nil
	}
	one := *s.plan
	one.Specs = []Spec{s.plan.Specs[point]}
	if err := one.Run(ctx, &Options{}, store, l); err != nil {
		return "", err
	}
	table := &rowsBuilder{plan: &one, table: &Table{}}
	if err := table.read(store); err != nil {
		return "", err
	}
	if table.table.Rows == 0 || table.records[0].Status != Done {
		return fmt.Sprintf("point %d fails now", point), nil
	}
	if err := table.results(); err != nil {
		return "", err
	}
	return s.differences(point, table.table), nil
}

func (s *Saved) differences(point int, now *Table) string {
	var words []string
	for i := range now.Columns {
		c := &now.Columns[i]
		if was, is := s.cell(s.lines[point], c.Name), cellText(c.Values[0]); was != is {
			words = append(words, fmt.Sprintf("%s is %s, and %s in the rows", c.Name, is, was))
		}
	}
	if words == nil {
		return ""
	}
	return fmt.Sprintf("point %d gives other results now: %s", point, strings.Join(words, "; "))
}

// String counts the rows that do not match the experiment now.
func (s *Saved) String() string {
	var words []string
	if n := len(s.Changed); n > 0 {
		words = append(words, fmt.Sprintf("rows with other inputs now: %d of %d (the first is point %d)", n, s.Rows, s.Changed[0]))
	}
	if n := len(s.Missing); n > 0 {
		words = append(words, fmt.Sprintf("points without a row: %d", n))
	}
	if s.Extra > 0 {
		words = append(words, fmt.Sprintf("rows of no point: %d", s.Extra))
	}
	return strings.Join(words, ", ")
}

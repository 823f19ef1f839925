package sweep

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Merge adds the rows of a bundle's tasks to a store. A point may have several results if they are equal. Warnings name
// lines that are no rows.
func (b *Bundle) Merge(p *Plan, store *Store, rows []string) (warnings []string, err error) {
	specs := map[string]*Spec{}
	for i := range p.Specs {
		specs[p.Specs[i].Key] = &p.Specs[i]
	}
	var errs []error
	for _, name := range rows {
		r := &rowsReader{name: name}
		owned := false
		err := r.read(func(row *taskRow) error {
			if !owned {
				if err := r.header.belongs(name, b); err != nil {
					return err
				}
				owned = true
			}
			s := specs[row.Key]
			if s == nil || !s.accepts(row.Record) {
				return fmt.Errorf("%w %s:%d: found a result of the point %.16s: want one of %s", ErrBundle, name, r.line, row.Key, b.file)
			}
			if err := store.merge(s, row.Record); err != nil {
				return fmt.Errorf("%w %s:%d: %w", ErrBundle, name, r.line, err)
			}
			return nil
		}, func(line int) {
			warnings = append(warnings, fmt.Sprintf("%s:%d: found a line that is no whole row: its point counts as missing", name, line))
		})
		switch {
		case err != nil:
		case r.header == nil:
			err = fmt.Errorf("%w %s: found no header of a task's rows: want a file that a task of a bundle wrote", ErrBundle, name)
		case !owned:
			err = r.header.belongs(name, b)
		}
		errs = append(errs, err)
	}
	return warnings, errors.Join(errs...)
}

// merge saves a record, unless the store has an equal one. A crash counts as long as there is nothing else.
func (s *Store) merge(spec *Spec, r *Record) error {
	known, err := s.Load(spec)
	switch {
	case err != nil:
		return err
	case known == nil || known.Status == Crashed:
		return s.write(spec.Key, r)
	case r.Status == Crashed || r.equal(known):
		return nil
	}
	return fmt.Errorf("found a second result of the point %s that differs from the first: want equal ones (%s, %s)", spec.label(), known.summary(), r.summary())
}

// equal compares what two runs of a point must have in common: all but their time, and where they stopped by it.
func (r *Record) equal(other *Record) bool {
	a, b := *r, *other
	if a.Stopped != nil && b.Stopped != nil && *a.Stopped == *b.Stopped && a.Stopped.Seconds > 0 {
		return true
	}
	a.HostSeconds, b.HostSeconds = 0, 0
	x, err := a.encode()
	y, err2 := b.encode()
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}

func (r *Record) summary() string {
	if r.Status != Done {
		return fmt.Sprintf("%s: %s", r.Status, r.Error)
	}
	return fmt.Sprintf("done, statistics %.12s", digestOf(r.Stats))
}

// Unfinished names the points without a result, and the tasks of the bundle that have them; "" if there are none.
func (b *Bundle) Unfinished(p *Plan, store *Store) (string, error) {
	missing, err := p.Missing(store)
	if err != nil || len(missing) == 0 {
		return "", err
	}
	lacks := map[string]bool{}
	for _, i := range missing {
		lacks[p.Specs[i].Key] = true
	}
	var tasks []int
	for task := range len(b.Tasks) - 1 {
		numbers, err := b.task(task)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(numbers, func(n int) bool { return n < len(p.Specs) && lacks[p.Specs[n].Key] }) {
			tasks = append(tasks, task)
		}
	}
	return fmt.Sprintf("points without a result: %s\ntasks to run again: %s", ranges(missing), ranges(tasks)), nil
}

// ranges writes ascending numbers, as 0-3,7.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		part := strconv.Itoa(list[i])
		if end > i {
			part += "-" + strconv.Itoa(list[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	return strings.Join(parts, ",")
}

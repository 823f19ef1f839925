package sweep

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"spvsim/internal/files"
)

// A Task runs a part of a bundle's points, and leaves one file of rows.
type Task struct {
	Bundle  string // file
	Index   int
	Rows    string // file for the results
	Workers int    // processes at a time
}

// Run runs the task's points that its file of rows has no result of. program is the running program: the bundle's own,
// if it has one.
func (t *Task) Run(ctx context.Context, program string, worker []string, id Identity) error {
	b, err := OpenBundle(t.Bundle)
	if err != nil {
		return err
	}
	if err := b.checkProgram(program, id); err != nil {
		return err
	}
	numbers, err := b.task(t.Index)
	if err != nil {
		return err
	}
	specs, err := b.specsOf(numbers)
	if err != nil {
		return err
	}
	rows, have, err := openRows(t.Rows, taskHeader{b.ID, t.Index, id}, b)
	if err != nil {
		return err
	}
	missing := specs[:0]
	for _, s := range specs {
		if !have[s.Key] {
			missing = append(missing, s)
		}
	}
	w := &Workers{Command: append(worker, "--bundle", t.Bundle), Count: t.Workers, Store: rows}
	err = errors.Join(w.Run(ctx, missing, func(*Record) {}), rows.close())
	if err != nil {
		return fmt.Errorf("task %d of %s: %w", t.Index, t.Bundle, err)
	}
	return nil
}

// checkProgram refuses a program that is not the one that the bundle was made with.
func (b *Bundle) checkProgram(program string, id Identity) error {
	if err := b.CheckIdentity(id); err != nil || b.Program == "" || strings.HasSuffix(id.Build, b.Program) {
		return err // a build that no version identifies has the digest in its name
	}
	code, err := files.Read(program, files.MaxRows)
	if err != nil {
		return err
	}
	if sum := digestOf(code); sum != b.Program {
		return b.damaged("found the program %s with the digest %.16s: want %.16s", program, sum, b.Program)
	}
	return nil
}

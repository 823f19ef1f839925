package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"spvsim/internal/lists"
)

// Folders and files of a sweep's output folder.
const (
	pointsDir  = "points"
	slurmDir   = "slurm"
	condorDir  = "condor"
	clusterDir = "cluster"
)

// A Launcher runs specs until each has a record in the store, or can't get one.
type Launcher interface {
	Launch(ctx context.Context, specs []Spec, ended func(*Record)) error
}

// Options are the settings of a sweep.
type Options struct {
	Out      string // folder of rows and figures
	Cache    string // folder of records; empty: in Out
	Force    bool   // forget the results of this experiment's points first
	Progress io.Writer
	Limits   Limits            // of each point, in place of its job's
	Warn     func(text string) // nil, or called with warnings about likely mistakes while points run
}

// Counts are the numbers of points by status.
type Counts struct{ Points, Done, Failed, Crashed, Missing int }

// ErrPoints means that the sweep is complete, with points that failed.
var ErrPoints = errors.New("points failed")

// Records is the store of a sweep; the output folder is made with it.
func (o *Options) Records() (*Store, error) {
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return nil, err
	}
	if o.Cache != "" {
		return OpenStore(o.Cache)
	}
	return OpenStore(filepath.Join(o.Out, pointsDir))
}

// Run runs the points without a result. Failed points are counted, and are not an error.
func (p *Plan) Run(ctx context.Context, o *Options, store *Store, l Launcher) error {
	if o.Force {
		for i := range p.Specs {
			if err := store.Remove(p.Specs[i].Key); err != nil {
				return err
			}
		}
	}
	missing, err := p.Missing(store)
	if err != nil {
		return err
	}
	specs, shared := p.distinct(missing)
	bar := newProgress(o.Progress, len(p.Specs), len(p.Specs)-len(missing))
	err = nil
	if len(specs) > 0 {
		warned := o.Warn == nil
		err = l.Launch(ctx, specs, func(r *Record) {
			bar.recordEnded(r, shared[r.Inputs])
			if !warned && r.Status == Done {
				warned = true
				for _, text := range p.absent(r) {
					o.Warn(text)
				}
			}
		})
	}
	bar.close()
	return err
}

// distinct drops points whose inputs equal those of an earlier one, and counts the points of each.
func (p *Plan) distinct(points []int) (specs []Spec, shared map[string]int) {
	shared = map[string]int{}
	for _, i := range points {
		s := p.Specs[i]
		if shared[s.Inputs]++; shared[s.Inputs] == 1 {
			specs = append(specs, s)
		}
	}
	return specs, shared
}

// Counts reads the record of every point.
func (p *Plan) Counts(s *Store) (Counts, error) {
	c := Counts{Points: len(p.Specs)}
	for i := range p.Specs {
		r, err := s.Load(&p.Specs[i])
		switch {
		case err != nil:
			return c, err
		case r == nil:
			c.Missing++
		case r.Status == Done:
			c.Done++
		case r.Status == Crashed:
			c.Crashed++
		default:
			c.Failed++
		}
	}
	return c, nil
}

// Warnings lists the warnings of the points' simulations, each once.
func (p *Plan) Warnings(s *Store) (list []string, err error) {
	for i := range p.Specs {
		r, err := s.Load(&p.Specs[i])
		if err != nil {
			return nil, err
		}
		for k := 0; r != nil && k < len(r.Warnings); k++ {
			list = lists.AppendNew(list, r.Warnings[k])
		}
	}
	return list, nil
}

func (c Counts) String() string {
	text := fmt.Sprintf("%d of %d %s done", c.Done, c.Points, pointWord(c.Points))
	if c.Failed+c.Crashed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed+c.Crashed)
	}
	if c.Missing > 0 {
		text += fmt.Sprintf(", %d to run", c.Missing)
	}
	return text
}

// Faults describes the first failed points, by their number and parameters; "" if none failed.
func (p *Plan) Faults(s *Store, most int) (string, error) {
	var text strings.Builder
	count := 0
	for i := range p.Specs {
		r, err := s.Load(&p.Specs[i])
		if err != nil {
			return "", err
		}
		if r == nil || r.Status == Done {
			continue
		}
		if count++; count > most {
			continue
		}
		cells := lists.Map(p.Specs[i].Cells, func(c Cell) string { return fmt.Sprintf("%s = %v", c.Name, c.Value) })
		fmt.Fprintf(&text, "\n  point %d (%s): %s", i, strings.Join(cells, ", "), strings.ReplaceAll(strings.TrimSpace(r.Error), "\n", "\n  "))
	}
	if count > most {
		fmt.Fprintf(&text, "\n  and %d more", count-most)
	}
	return text.String(), nil
}

// Write writes the rows as CSV and Parquet, whole or not at all, and returns the file names.
func (t *Table) Write(dir, name string) (files []string, err error) {
	for _, form := range []struct {
		suffix string
		write  func(io.Writer) error
	}{{".csv", t.WriteCSV}, {".parquet", t.WriteParquet}} {
		var b bytes.Buffer
		if err := form.write(&b); err != nil {
			return files, err
		}
		file := filepath.Join(dir, name+form.suffix)
		if err := Replace(file, b.Bytes()); err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}

// Replace writes a file by renaming a new one to it, so that a killed sweep leaves no partial file.
func Replace(file string, data []byte) error {
	clearTemps(file)
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+tempName()+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(recordMode), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Local runs points in worker processes of this machine.
type Local struct{ Workers }

// NewLocal creates a launcher of count processes; 0: one per core.
func NewLocal(command []string, count int, store *Store) *Local {
	if count == 0 {
		count = runtime.NumCPU()
	}
	return &Local{Workers{Command: command, Count: count, Store: store}}
}

// Launch runs the specs.
func (l *Local) Launch(ctx context.Context, specs []Spec, ended func(*Record)) error {
	return l.Run(ctx, specs, ended)
}

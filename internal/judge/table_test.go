package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/spirv"
)

// Folders of the repository with modules, from its root. The front end's debug folder has the same modules as the one
// above it, with names and lines.
var Folders = []string{
	"docs/tutorial", "experiments/accuracy/kernels", "experiments/accuracy/micro", "experiments/figures/jobs", "experiments/library", "experiments/sampling",
	"gpu/testdata/dot", "program/frontend/testdata", "program/frontend/testdata/optimised", "vulkan/testdata/shaders",
}

// Modules are the compute shaders in folders of root, one for each entry point; what is no valid module is left out.
func Modules(root string, folders []string) (list []Shader, err error) {
	for _, folder := range folders {
		files, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil {
			return nil, fmt.Errorf("judge: %w", err)
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".spv") || strings.HasSuffix(f.Name(), ".spvasm") {
				list = append(list, entries(root, filepath.Join(root, folder, f.Name()))...)
			}
		}
	}
	return list, nil
}

func entries(root, path string) (list []Shader) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	m, err := gpu.LoadModule(data, path)
	if err != nil {
		return nil
	}
	name, _ := filepath.Rel(root, path)
	for i := range m.EntryPoints {
		if e := &m.EntryPoints[i]; e.Model == spirv.ExecutionModelGLCompute {
			list = append(list, Shader{Name: name + " " + e.Name, Module: m, Launch: &config.Launch{Entry: e.Name}, Values: sizes(m, e)})
		}
	}
	return list
}

// A Row is a line of the table: a module on a machine, or why there is no comparison.
type Row struct {
	*Comparison
	Name, Machine string
	Err           error
}

// Rows compares all shaders on machines that the driver has a chip for, as many at once as there are processors.
func (d *Driver) Rows(shaders []Shader, on []string) ([]Row, error) {
	var list []Row
	var machines []*config.Machine // of the rows
	for _, name := range on {
		m, err := config.LoadMachine(config.Request{Machine: name})
		if err != nil {
			return nil, err
		}
		for i := range shaders {
			list, machines = append(list, Row{Name: shaders[i].Name, Machine: name}), append(machines, m)
		}
	}
	work, done := make(chan int), make(chan bool)
	for range runtime.NumCPU() {
		go func() {
			for i := range work {
				list[i].Comparison, list[i].Err = d.Compare(&shaders[i%len(shaders)], machines[i])
				done <- true
			}
		}()
	}
	go func() {
		for i := range list {
			work <- i
		}
		close(work)
	}()
	for range list {
		<-done
	}
	return list, absent(list)
}

func absent(rows []Row) error {
	for i := range rows {
		if errors.Is(rows[i].Err, ErrAbsent) {
			return rows[i].Err
		}
	}
	return nil
}

// readyRows are the rows of all ready jobs.
func (d *Driver) readyRows(t *testing.T, on []string) (list []Row) {
	for _, name := range experiments.Names() {
		list = append(list, suite.Must(d.JobRows(context.Background(), name, on))(t)...)
	}
	return list
}

// JobRows runs a ready job on machines that the driver has a chip for, and compares the compute shaders that it ran.
func (d *Driver) JobRows(ctx context.Context, name string, on []string) (list []Row, err error) {
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		return nil, err
	}
	job, err := config.LoadJob(files, file)
	if err != nil {
		return nil, err
	}
	for _, preset := range on {
		m, err := config.LoadMachine(config.Request{Machine: preset})
		if err != nil {
			return nil, err
		}
		shaders, err := Run(ctx, job, m)
		if err != nil {
			list = append(list, Row{Name: name, Machine: preset, Err: err})
			continue
		}
		for i := range shaders {
			s := &shaders[i]
			if s.Launch.Kernel != nil { // of OpenCL, which the driver does not compile
				continue
			}
			s.Name = name + " " + s.Name
			c, err := d.Compare(s, m)
			list = append(list, Row{c, s.Name, preset, err})
		}
	}
	return list, absent(list)
}

// A Summary is how far a machine's code is from the driver's.
type Summary struct {
	Machine       string
	Compared      int
	Instructions  Ratio // without waits
	VectorRegs    Ratio
	Waves         Ratio
	Kinds         [NumKinds]Ratio
	Executed      Ratio // weighted by what ran, in all and by kind
	ExecutedKinds [NumKinds]Ratio
}

// Summarize adds the rows of each machine up.
func Summarize(rows []Row) (list []Summary) {
	for i := range rows {
		r := &rows[i]
		at := slices.IndexFunc(list, func(s Summary) bool { return s.Machine == r.Machine })
		if at < 0 {
			at, list = len(list), append(list, Summary{Machine: r.Machine})
		}
		list[at].add(r)
	}
	return list
}

func (s *Summary) add(r *Row) {
	if r.Err != nil {
		return
	}
	s.Compared++
	a, b := r.Lowered.Static(), r.RADV.Static()
	s.Instructions.Add(a.Total(), b.Total())
	s.VectorRegs.Add(float64(r.Lowered.VectorRegs), float64(r.RADV.VectorRegs))
	s.Waves.Add(float64(r.Lowered.Waves), float64(r.RADV.Waves))
	for k := range s.Kinds {
		s.Kinds[k].Add(a[k], b[k])
	}
	if r.Weighted {
		x, y := r.Lowered.Weighted(), r.RADV.Weighted()
		s.Executed.Add(x.Total(), y.Total())
		for k := range s.ExecutedKinds {
			s.ExecutedKinds[k].Add(x[k], y[k])
		}
	}
}

// furthest are the n rows that are furthest off.
func furthest(rows []Row, n int) (list []*Row) {
	for i := range rows {
		if rows[i].Err == nil {
			list = append(list, &rows[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *Row) int { return cmp.Compare(b.off(), a.off()) })
	return list[:min(n, len(list))]
}

func (r *Row) off() float64 {
	var one Ratio
	a, b := r.Lowered.Static(), r.RADV.Static()
	one.Add(a.Total(), b.Total())
	return one.away
}

// A Ratio adds up how far numbers are from others: as the geometric mean of their
// ratios, which is the bias, and as the mean factor either way.
type Ratio struct {
	n         int
	sum, away float64
}

// Add takes a pair of numbers; pairs with a zero say nothing.
func (r *Ratio) Add(ours, theirs float64) {
	if ours <= 0 || theirs <= 0 {
		return
	}
	l := math.Log(ours / theirs)
	r.n++
	r.sum += l
	r.away += math.Abs(l)
}

// Count is the number of pairs.
func (r *Ratio) Count() int { return r.n }

// Mean is the geometric mean of ours / theirs.
func (r *Ratio) Mean() float64 { return math.Exp(r.sum / float64(max(r.n, 1))) }

// Factor is the mean of |log(ours / theirs)| as a factor.
func (r *Ratio) Factor() float64 { return math.Exp(r.away / float64(max(r.n, 1))) }

func TestRatio(t *testing.T) {
	var r Ratio
	for _, p := range [][2]float64{{2, 1}, {1, 2}, {4, 1}, {0, 3}, {3, 0}} {
		r.Add(p[0], p[1])
	}
	if want := math.Cbrt(4); math.Abs(r.Mean()-want) > 1e-12 {
		t.Errorf("mean %v, want %v", r.Mean(), want)
	}
	if want := math.Cbrt(16); math.Abs(r.Factor()-want) > 1e-12 || r.Count() != 3 {
		t.Errorf("factor %v of %d, want %v of 3", r.Factor(), r.Count(), want)
	}
}

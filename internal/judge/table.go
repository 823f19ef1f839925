package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"spvsim/config"
	"spvsim/gpu"
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
			list = append(list, Shader{Name: name + " " + e.Name, Module: m, Launch: &config.Launch{Entry: e.Name}})
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

// Rows compares all shaders on all machines that the driver has a chip for, as many at once as there are processors.
func (d *Driver) Rows(shaders []Shader, progress func(done, all int)) ([]Row, error) {
	var list []Row
	var machines []*config.Machine // of the rows
	for _, name := range presets() {
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
	for i := range list {
		<-done
		progress(i+1, len(list))
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

// JobRows runs a job on each machine that the driver has a chip for, and compares the compute shaders that it ran.
func (d *Driver) JobRows(ctx context.Context, name string, job *config.Job) (list []Row, err error) {
	for _, preset := range presets() {
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
			s.Name = name + " " + s.Name
			c, err := d.Compare(s, m)
			list = append(list, Row{c, s.Name, preset, err})
		}
	}
	return list, absent(list)
}

// WriteCSV writes a line for each row.
func WriteCSV(w io.Writer, rows []Row) error {
	fields := []string{"module", "machine", "instructions", "radv_instructions", "vector_registers", "radv_vector_registers", "waves", "radv_waves", "scratch", "radv_scratch"}
	for k := range NumKinds {
		fields = append(fields, k.String(), "radv_"+k.String())
	}
	for k := range NumKinds {
		fields = append(fields, k.String()+"_executed", "radv_"+k.String()+"_executed")
	}
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(fields, ","))
	for i := range rows {
		if rows[i].Err == nil {
			rows[i].csv(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Row) csv(w io.Writer) {
	a, b := r.Ours.Static(), r.Theirs.Static()
	fmt.Fprintf(w, "%s,%s,%.0f,%.0f,%d,%d,%d,%d,%d,%d", r.Name, r.Machine, a.Total(), b.Total(), r.Ours.VectorRegs, r.Theirs.VectorRegs,
		r.Ours.Waves, r.Theirs.Waves, r.Ours.ScratchBytes, r.Theirs.ScratchBytes)
	for k := range NumKinds {
		fmt.Fprintf(w, ",%.0f,%.0f", a[k], b[k])
	}
	x, y := r.Ours.Weighted(), r.Theirs.Weighted()
	for k := range NumKinds {
		fmt.Fprintf(w, ",%.0f,%.0f", x[k], y[k])
	}
	fmt.Fprintln(w)
}

// A Summary is how far a machine's code is from the driver's.
type Summary struct {
	Machine                    string
	Instructions, Waits        Ratio // without and with the driver's waits
	VectorRegs, Waves          Ratio
	SameWaves, Compared, Wrong int
	Kinds                      [NumKinds]Ratio
	Executed                   Ratio // weighted by what ran, in all and by kind
	ExecutedKinds              [NumKinds]Ratio
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
		s.Wrong++
		return
	}
	s.Compared++
	a, b := r.Ours.Static(), r.Theirs.Static()
	s.Instructions.Add(a.Total(), b.Total())
	s.Waits.Add(a.Total()+a[Wait], b.Total()+b[Wait])
	s.VectorRegs.Add(float64(r.Ours.VectorRegs), float64(r.Theirs.VectorRegs))
	s.Waves.Add(float64(r.Ours.Waves), float64(r.Theirs.Waves))
	if r.Ours.Waves == r.Theirs.Waves {
		s.SameWaves++
	}
	for k := range s.Kinds {
		s.Kinds[k].Add(a[k], b[k])
	}
	if r.Weighted {
		x, y := r.Ours.Weighted(), r.Theirs.Weighted()
		s.Executed.Add(x.Total(), y.Total())
		for k := range s.ExecutedKinds {
			s.ExecutedKinds[k].Add(x[k], y[k])
		}
	}
}

// WriteSummary writes the summaries and the modules that are furthest off.
func WriteSummary(w io.Writer, rows []Row, worst int) error {
	var b strings.Builder
	line := func(name string, r *Ratio) {
		if r.Count() > 0 {
			fmt.Fprintf(&b, "  %-28s %6.3f %6.3f  (%d)\n", name, r.Mean(), r.Factor(), r.Count())
		}
	}
	for _, s := range Summarize(rows) {
		fmt.Fprintf(&b, "%s: %d compared, %d not\n  %-28s %6s %6s\n", s.Machine, s.Compared, s.Wrong, "", "mean", "factor")
		line("instructions", &s.Instructions)
		line("instructions with waits", &s.Waits)
		line("executed instructions", &s.Executed)
		line("vector registers", &s.VectorRegs)
		line("waves a SIMD", &s.Waves)
		fmt.Fprintf(&b, "  %-28s %6.3f\n", "modules with the same waves", float64(s.SameWaves)/float64(max(s.Compared, 1)))
		for k := range s.Kinds {
			line(KindNames[k], &s.Kinds[k])
			line(KindNames[k]+", executed", &s.ExecutedKinds[k])
		}
	}
	writeWorst(&b, rows, worst)
	_, err := io.WriteString(w, b.String())
	return err
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

func writeWorst(w io.Writer, rows []Row, n int) {
	for _, r := range furthest(rows, n) {
		a, b := r.Ours.Static(), r.Theirs.Static()
		fmt.Fprintf(w, "%-60s %-16s %6.0f %6.0f\n", r.Name, r.Machine, a.Total(), b.Total())
	}
}

func (r *Row) off() float64 {
	var one Ratio
	a, b := r.Ours.Static(), r.Theirs.Static()
	one.Add(a.Total(), b.Total())
	return one.away
}

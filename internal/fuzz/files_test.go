package fuzz

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing/fstest"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/plots"
	"spvsim/tracing/profile"
	"spvsim/tracing/report"
)

// beside is the folder of an input's base, with the input in the base's place.
func (f *Fuzzer) beside(in Input) *overlaid {
	dir := filepath.Join(f.root, filepath.FromSlash(path.Dir(in.Base)))
	return &overlaid{os.DirFS(dir), fstest.MapFS{path.Base(in.Base): {Data: in.Data}}}
}

// readJob reads a job and lays out what it gives to a run, but for the run.
func readJob(f *Fuzzer, in Input) string {
	job, err := config.LoadJob(f.beside(in), path.Base(in.Base))
	if err != nil {
		return "refused"
	}
	if _, err := config.LoadMachine(config.Request{Job: job}); err != nil {
		return "no machine"
	}
	for i := range job.Buffers {
		if _, err := job.Buffers[i].ContentWithin(1<<20, "fuzz"); err != nil {
			return "no contents"
		}
	}
	for i := range job.Expect {
		_ = job.Expect[i].Check(make([]byte, 64), func(string) uint64 { return 0 }) // that it differs is no matter
	}
	return "read"
}

const tinyShader = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 64 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
`

const tinyJob = "shader: tiny.spvasm\ndispatch: [4]\nlimits: {cycles: 1000000, host_seconds: 10, host_bytes: 1000000000}\n"

// readMachine reads a machine, and runs the least of all shaders on it.
func readMachine(f *Fuzzer, in Input) string {
	m, err := config.LoadMachine(config.Request{Machine: path.Base(in.Base), FS: f.beside(in)})
	if err != nil {
		return "refused"
	}
	job, err := config.ParseJob(fstest.MapFS{"tiny.spvasm": {Data: []byte(tinyShader)}}, "tiny.yaml", []byte(tinyJob))
	if err != nil {
		panic(err) // it is ours
	}
	if _, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job}); err != nil {
		return "no run"
	}
	return "ran"
}

func readExperiment(f *Fuzzer, in Input) string {
	e, err := config.LoadExperiment(f.beside(in), path.Base(in.Base))
	if err != nil {
		return "refused"
	}
	points, err := e.Points(false)
	if err != nil || len(points) == 0 {
		return "no points"
	}
	files := &config.Files{FS: f.beside(in), Job: readyJob}
	for i := range points[:min(len(points), 2)] {
		if _, err := files.Load(e.Job, points[i].Settings); err != nil {
			_ = e.Explain(err, points[i].Settings)
			return "no job"
		}
	}
	return "planned"
}

func readyJob(name string) (files fs.FS, file string, err error) {
	files, file, _, err = experiments.Lookup(name)
	return files, file, err
}

// drawFigure draws the first rows of each table beside the figure.
func drawFigure(f *Fuzzer, in Input) string {
	figure, err := plots.Read(in.Base, in.Data)
	if err != nil {
		return "refused"
	}
	rows, err := plots.ReadTable(filepath.Join(f.root, "plots", "testdata", rowsOf(in.Base)))
	if err != nil {
		panic(err) // they are ours
	}
	chart, err := plots.Build(figure, rows)
	if err != nil {
		return "not built"
	}
	if _, err := chart.Draw("svg", ""); err != nil {
		return "not drawn"
	}
	return "drawn"
}

// rowsOf is the table that a figure of the tests is drawn from, where one has its name; else that which most have their columns from.
func rowsOf(figure string) string {
	name := path.Base(figure)
	if name = name[:len(name)-len(path.Ext(name))] + ".csv"; name == "roofline.csv" {
		return name
	}
	return "schedulers.csv"
}

func readCSV(_ *Fuzzer, in Input) string {
	if _, err := plots.ReadCSV(in.Base, bytes.NewReader(in.Data)); err != nil {
		return "refused"
	}
	return "read"
}

func readParquet(_ *Fuzzer, in Input) string {
	if _, err := plots.ReadParquet(in.Base, in.Data); err != nil {
		return "refused"
	}
	return "read"
}

// parquetBases are the rows of a small table as a sweep writes them.
func parquetBases(root string) ([]Input, error) {
	return globs("internal/fuzz/testdata/*.parquet")(root)
}

// profileBases are profiles of ready jobs.
func profileBases(root string) (list []Input, err error) {
	for _, name := range []string{"peer-atax", "bfs"} {
		files, file, _, err := experiments.Lookup(name)
		if err != nil {
			return nil, err
		}
		job, err := config.LoadJob(files, file)
		if err != nil {
			return nil, err
		}
		m, err := config.LoadMachine(config.Request{Job: job, Set: []string{"compute_units=2"}})
		if err != nil {
			return nil, err
		}
		collector := profile.NewCollector()
		r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: collector})
		if err != nil {
			return nil, err
		}
		p, err := profile.New(job, collector, m, r.Stats, r.Listings)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := p.WriteJSON(&b); err != nil {
			return nil, err
		}
		list = append(list, Input{name + ".json", b.Bytes()})
	}
	return list, nil
}

func writeReport(_ *Fuzzer, in Input) string {
	p, err := profile.Read(bytes.NewReader(in.Data))
	if err != nil {
		return "refused"
	}
	if err := report.Write(io.Discard, []*profile.Profile{p}); err != nil {
		return "not written"
	}
	return "written"
}

package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/fuzz/mutate"
	"spvsim/internal/suite"
	"spvsim/spirv"
)

// writtenCommands are the lines of testdata/written.txt.
const writtenCommands = 132

// A writtenRig draws command lines in a folder of their own.
type writtenRig struct {
	r        *rand.Rand
	machines []string
	jobs     []string // jobs with short runs
	graphs   []string
	modules  []string
}

// The output of commands is recorded, a line each, with a digest for each part: summaries and listings, pages of
// profiles by their sections, series, traces, graphs, descriptions of modules, texts of modules and the errors of
// changed ones, help, schemas. With -update the file is rewritten.
func TestWrittenCommands(t *testing.T) {
	g := &writtenRig{machines: config.Presets(), jobs: []string{"lastsum", "qdot8", "hlsl", "perlane", "indirect", "mesh", "planes", "groupscan-dpp", "groupscan-lds", "sparse", "classify"},
		graphs: []string{"lastsum", "hlsl", "perlane", "indirect", "mesh", "koch", "mariani", "rasteriser", "shared", "sparse", "classify", "bfs"}}
	folder := t.TempDir()
	for _, from := range []string{"experiments/library", "gpu/testdata/draw", "internal/systemtest/testdata/keys", "gpu/testdata/graph", "gpu/testdata/dxc"} {
		list, err := filepath.Glob(filepath.Join("..", "..", from, "*.spv*"))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v", from, err)
		}
		for _, name := range list {
			data := suite.Must(os.ReadFile(name))(t)
			g.modules = append(g.modules, filepath.Base(name))
			g.write(t, filepath.Join(folder, filepath.Base(name)), data)
		}
	}
	home := suite.Must(os.Getwd())(t)
	kinds := []func(t *testing.T) string{g.summary, g.page, g.inspect, g.text, g.graph, g.trace, g.starter, g.assembled, g.faults, g.words, g.inspect, g.text}
	suite.Lines(t, "written.txt", *update, writtenCommands, func(i int) string {
		t.Chdir(folder) // printed file names are as given
		defer t.Chdir(home)
		g.r = rand.New(rand.NewPCG(uint64(i), 27))
		return kinds[i%len(kinds)](t)
	})
}

func (g *writtenRig) write(t *testing.T, name string, data []byte) {
	t.Helper()
	suite.OK(t, os.WriteFile(name, data, 0o644))
}

func (g *writtenRig) one(list []string) string { return list[g.r.IntN(len(list))] }

// small is a job with a machine that is small.
func (g *writtenRig) small() []string {
	return []string{g.one(g.jobs), "--machine", g.one(g.machines), "--set", fmt.Sprintf("shader_engines=%d", 1+g.r.IntN(2)), "--set", fmt.Sprintf("compute_units=%d", 1+g.r.IntN(3))}
}

// said runs a command line, and returns it with digests of the parts of its output.
func said(args []string, parts func(text string) []string) string {
	r := spvsim("", args...)
	line := strings.Join(args, " ") + fmt.Sprintf(": status %d;", r.status)
	for _, p := range append(parts(withoutHost(r.stdout)), r.stderr) {
		line += " " + digestOf(p)
	}
	return line
}

// digestOf is a part's first word, lines and digest.
func digestOf(part string) string {
	if part == "" {
		return "-"
	}
	return fmt.Sprintf("%d:%s", strings.Count(part, "\n"), suite.Digest([]byte(part)))
}

// withoutHost removes the line of a summary that differs from run to run.
func withoutHost(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "host ") {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "")
}

// paragraphs returns the parts of a text, joined if there are many.
func paragraphs(text string) []string {
	list := strings.SplitAfter(text, "\n\n")
	if len(list) > 8 {
		list = append(list[:7:7], strings.Join(list[7:], ""))
	}
	return list
}

func (g *writtenRig) summary(*testing.T) string {
	args := append([]string{"run"}, g.small()...)
	switch g.r.IntN(5) {
	case 0:
		args = append(args, "--listing", "-")
	case 1:
		args = append(args, "--mode", "functional", "--threads", "1")
	case 2:
		args = append(args, "--mode", "sampled", "--threads", "1")
	case 3:
		args = append(args, "--components")
	}
	return said(args, func(text string) []string { return append(strings.SplitAfterN(text, "\n", 12), paragraphs(text)...) })
}

// page profiles one or two runs, and builds the page of both.
func (g *writtenRig) page(t *testing.T) string {
	args := []string{"report", "--out", "-"}
	line := ""
	for k := range 1 + g.r.IntN(2) {
		file := fmt.Sprintf("p%d.json", k)
		run := append(append([]string{"run"}, g.small()...), "-q", "--profile", file)
		if r := spvsim("", run...); r.status != exitDone {
			t.Fatalf("%v: %+v", run, r)
		}
		args, line = append(args, file), line+strings.Join(run[1:4], " ")+", "
	}
	return line + said(args, func(text string) []string { return strings.Split(text, "<h2") })
}

// trace writes series and traces of a part of a run.
func (g *writtenRig) trace(t *testing.T) string {
	args := append(append([]string{"run"}, g.small()...), "-q", "--series", "s.csv", "--trace", "t.pftrace", "--stats", "s.json", "--stats-host=false")
	if g.r.IntN(2) == 0 {
		args = append(args, "--trace-cus", "0", "--trace-from", fmt.Sprint(g.r.IntN(10_000)), "--trace-to", fmt.Sprint(10_000+g.r.IntN(10_000)))
	}
	line := said(args, paragraphs)
	for _, name := range []string{"s.csv", "t.pftrace"} {
		data := suite.Must(os.ReadFile(name))(t)
		line += fmt.Sprintf(" %s %d bytes %s", name, len(data), suite.Digest(data))
	}
	return line
}

func (g *writtenRig) inspect(*testing.T) string {
	args := []string{"inspect", g.one(g.modules), "--machine", g.one(g.machines)}
	if g.r.IntN(3) == 0 {
		args[1] = g.one(g.jobs)
	}
	if g.r.IntN(2) == 0 {
		args = append(args, "--listing")
	}
	return said(args, paragraphs)
}

func (g *writtenRig) graph(*testing.T) string {
	args := []string{"graph", g.one(g.graphs), "--machine", g.one(g.machines), "--set", "queue.max_depth=64"}
	if g.r.IntN(2) == 0 {
		args = append(args, "--dot")
	}
	return said(args, paragraphs)
}

func (g *writtenRig) starter(*testing.T) string {
	return said([]string{"init", g.one(g.modules), "--machine", g.one(g.machines)}, paragraphs)
}

func (g *writtenRig) text(*testing.T) string {
	args := []string{"disasm", g.one(g.modules)}
	for _, flag := range []string{"--raw-id", "--no-indent", "--no-header"} {
		if g.r.IntN(3) == 0 {
			args = append(args, flag)
		}
	}
	if strings.HasSuffix(args[1], ".spvasm") {
		args = []string{"validate", args[1]}
	}
	return said(args, paragraphs)
}

// assembled assembles a text in which one word is replaced.
func (g *writtenRig) assembled(t *testing.T) string {
	var texts []string
	for _, m := range g.modules {
		if strings.HasSuffix(m, ".spvasm") {
			texts = append(texts, m)
		}
	}
	data := suite.Must(os.ReadFile(g.one(texts)))(t)
	lines := strings.Split(string(data), "\n")
	k := g.r.IntN(len(lines))
	words := strings.Split(lines[k], " ")
	words[g.r.IntN(len(words))] = g.one([]string{"", "-1", "0x1p4", "1e40", "0x12", "4294967296", "%u1", "%none", "\"a\\\"b\"", "OpNop", "Function", "Aligned|Volatile", "2.5", "!3", "Volatile Nontemporal", "18446744073709551615"})
	lines[k] = strings.Join(words, " ")
	file := "m.spvasm"
	g.write(t, file, []byte(strings.Join(lines, "\n")))
	return strings.TrimSpace(lines[k]) + ": " + said([]string{"asm", file}, func(text string) []string { return []string{text} })
}

// faults returns the errors of a slightly changed module.
func (g *writtenRig) faults(t *testing.T) string {
	for {
		name := g.one(g.modules)
		data := suite.Must(os.ReadFile(name))(t)
		m, err := spirv.Decode(data)
		if err != nil {
			continue // a text
		}
		file := "m.spv"
		g.write(t, file, mutate.Module(m, g.r, mutate.Options{Edits: 1 + g.r.IntN(3)}).Encode(binary.LittleEndian))
		return name + ": " + said([]string{g.one([]string{"validate", "inspect", "disasm", "init"}), file}, paragraphs)
	}
}

// words are of help, schemas, statistics and machines, and of mistakes in them.
func (g *writtenRig) words(*testing.T) string {
	kinds := [][]string{{"run", "--help"}, {"schema", "job"}, {"schema", "machine"}, {"schema", "figure"}, {"stats"}, {"stats", "--describe", "cycles"}, {"run", "--list"}, {"sweep", "--list"}, {"machine"},
		{"completion", "bash"}, {"run", "lastsim"}, {"run", "planes", "--set", "lds.bank=3"}, {"run", "planes", "--param", "n=x"}, {"run", "planes", "--max-cycles", "3000"},
		{"run", "planes", "--time", "first=2,steps=a"}, {"sweep", "lds-stride", "--small", "--dry-run"}, {"sweep", "enqueue-crossover", "--dry-run", "--small"}, {"machine", g.one(g.machines)}, {"stats", "--describe", "slot_cycles"}}
	return said(kinds[g.r.IntN(len(kinds))], paragraphs)
}

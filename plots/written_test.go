package plots

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/randfigure"
	"spvsim/internal/suite"
)

// writtenFigures are the lines of testdata/written.txt.
const writtenFigures = 300

// The drawings of random figures are recorded, a line each: the number of paths and texts of an SVG, and digests of its
// texts, of its paths and of the page of another format. Three of four use the tables of testdata, where nearly all can
// be drawn, and one random rows. With -update the file is rewritten.
func TestWrittenFigures(t *testing.T) {
	tables := map[string]*Table{}
	suite.Lines(t, "written.txt", *update, writtenFigures, func(i int) string {
		c := randfigure.New(randfigure.Bytes(uint64(20_000 + i)))
		if i%4 == 0 {
			text, rows := c.Figure(), c.Rows()
			table := suite.Must(ReadCSV("drawn", strings.NewReader(rows)))(t)
			return strings.ReplaceAll(text, "\n", ", ") + ": " + appearance(c, text, table)
		}
		text, rows := knownFigure(c)
		if tables[rows] == nil {
			table := suite.Must(ReadTable(filepath.Join("testdata", rows)))(t)
			tables[rows] = table
		}
		return rows + " " + strings.ReplaceAll(text, "\n", ", ") + ": " + appearance(c, text, tables[rows])
	})
}

// appearance summarizes the drawing of a figure, or why it is refused.
func appearance(c *randfigure.Choices, text string, table *Table) string {
	f, err := Read("f", []byte(text))
	if err != nil {
		return whyRefused(err)
	}
	chart, err := Build(f, table)
	if err != nil {
		return whyRefused(err)
	}
	svg, err := chart.Draw("svg", "")
	if err != nil {
		return whyRefused(err)
	}
	svg = withoutFont(svg)
	texts := textsInSVG.FindAll(svg, -1)
	var said []byte
	for _, t := range texts {
		said = append(said, t...)
	}
	line := fmt.Sprintf("%d paths, %d texts %s, svg %s", strings.Count(string(svg), "<path"), strings.Count(string(svg), "<text"), suite.Digest(said), suite.Digest(svg))
	switch c.IntN(5) {
	case 0:
		if pdf, err := chart.Draw("pdf", ""); err == nil {
			line += ", page " + suite.Digest(pageOf(pdf))
		}
	case 1:
		if eps, err := chart.Draw("eps", ""); err == nil {
			line += ", eps " + suite.Digest(eps)
		}
	}
	return line
}

// whyRefused is the error as a digest, with its first words.
func whyRefused(err error) string {
	if e := (*Error)(nil); !errors.As(err, &e) {
		return "an error without a place: " + err.Error()
	}
	words, _, _ := strings.Cut(err.Error(), ": want")
	return "refused: " + words + " " + suite.Digest([]byte(err.Error()))
}

// A known is a figure for a table, with optional keys of which some are chosen.
type known struct {
	rows, base string
	order      string // of the values that have names
	some       []string
}

var knowns = []known{
	{"schedulers.csv", "kind: line\ncombine: mean\nx: {column: work<x>}\ny: {column: cycles<y>}\nseries: {column: scheduler<names>}", "hardware, firmware", []string{"band: confidence", "band: range", "step: true", `lines: "off"`,
		"relative_to: {scheduler: multipass}", "relative_to: {scheduler: multipass}\nrelative_as: ratio", "relative_to: {scheduler: hardware}\nrelative_as: percent", "facets: {column: seed, columns: 2}", "filter: work > 8", "where: {scheduler: [hardware, firmware]}",
		"annotations: [{crossing: [hardware, multipass], text: \"at %x\"}, {crossing: [firmware], hline: 100000, text: there}]", `markers: "on"`, `markers: "off"`, "columns: {ms: cycles / 2.5e6}"}},
	{"stalls.csv", "kind: bar\nx: {column: machine<names>}\ny: {column: cycles, label: Time, unit: cycles}\nseries: {column: kernel<names>}", "", []string{"summary: geomean", "summary: max", "cells: true", "facets: {column: kernel, share: y}",
		"relative_to: {kernel: scan}", "annotations: [{hline: 50000, text: limit, source: paper}, {vline: 1}]", "combine: max"}},
	{"stalls.csv", "kind: stacked\ncombine: mean\nx: {column: machine<names>}\ny: {columns: [issue, memory, lds, barrier, dependency, idle]}", "rdna3-rx7900xtx, gcn3-r9nano", []string{"percent: true", "facets: {column: kernel, label: kernel}", "facets: kernel"}},
	{"launches.csv", "kind: box\nx: {column: machine<names>}\ny: {column: latency<y>}\nseries: {column: wave_size<names>}", "", []string{"facets: {column: wave_size, columns: 1}"}},
	{"conflicts.csv", "kind: heatmap\nx: {column: stride}\ny: {column: dwords<names>}\nvalue: {column: passes, scale: <shade>}", "4, 1", []string{"cells: true", "filter: stride < 20", "combine: median"}},
	{"measured.csv", "kind: scatter\nx: {column: measured_us, scale: log10}\ny: {column: simulated_us, scale: log10}\nseries: {column: gpu<names>}", "RX 7900 XTX", []string{"identity: true", "identity: true\nwithin: 1.5", "text: kernel", "facets: gpu",
		"annotations: [{text: here, x: 100, y: 200, align: right}, {points: [[50, 60], [500, 400]], text: others, source: measured}]"}},
	{"spans.csv", "kind: timeline\nx: {column: begin<from>}\nend: finish\ny: {column: engine<names>}", "engine 2, engine 0", []string{"series: {column: node, hide: [cull]}", "series: node", "text: node"}},
	{"roofline.csv", "kind: roofline\nx: {column: intensity}\ny: {column: gflops}\nseries: {column: type<names>}\nroofs: [{name: DRAM, bandwidth: 960}, {name: L2 $\\alpha_2$, bandwidth: 3700}, {name: FP32, peak: 30700}]", "f32",
		[]string{"text: kernel", "annotations: [{hline: 1000, text: a}]", "facets: type"}},
	{"schedulers.csv", "kind: line\ncombine: median\nx: {column: seed<from>}\ny: {column: cycles<y>}\nseries: scheduler\nfacets: {column: work<names>}\nfilter: work <= 64", "16, 64", []string{"band: {over: [seed]}", "width_in: 7"}},
}

var ofKnown = []string{"style: page", "title: A $\\le$ b^2", "palette: bright", "palette: muted", "palette: grey", "font: serif", "font: mono", "height_in: 2.5", "width_in: 5",
	"legend: inside", "legend: right", "legend: top", "legend: bottom", "legend: none", "legend: {place: right, title: Kinds of it}", "legend: {place: bottom, columns: 2}"}

// knownFigure is a figure of one of the tables.
func knownFigure(c *randfigure.Choices) (text, rows string) {
	k := &knowns[c.IntN(len(knowns))]
	x := c.OneOf("", ", scale: log2", ", scale: log10", ", scale: category", ", scale: log2, label: Work, unit: operations", ", min: 1, max: 5000", ", ticks: [1, 100, 1000]")
	y := c.OneOf("", ", scale: log10", ", scale: log2", ", label: Time, unit: µs", ", min: 0", ", max: 1e6", ", min: 100, max: 300000")
	names := c.OneOf("", ", order: ["+k.order+"]", ", names: {reduce: Reduce it, hardware: Queue in hardware, '32': wave32, f16: half}")
	shade, from := c.OneOf("linear", "log2", "log10, center: 4", "log2, min: 1, max: 16"), c.OneOf("", ", min: 0", ", label: Cycle")
	lines := strings.Split(strings.NewReplacer("<x>", x, "<y>", y, "<names>", names, "<shade>", shade, "<from>", from).Replace(k.base), "\n")
	lines = c.AddOptions(lines, append(append([]string(nil), k.some...), ofKnown...), 4)
	return strings.Join(lines, "\n"), k.rows
}

package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"

	"spvsim/tracing/profile"
)

// A heatMap is a grid of values from 0 on, drawn as an image whose cells have the stronger a colour the larger their value.
type heatMap struct {
	label       string
	rows        [][]float64 // from top to bottom
	top         float64     // the value of the strongest colour
	rowName     string
	rowTicks    func(row int) string // empty: none
	cycles      float64              // of all columns; 0: they are no times
	columnName  string
	columnTicks func(column int) string // where columns are no times
}

// mapRowHeight is the height of a row in pixels, within the bounds of the height of a map.
const (
	mapRowHeight = 14
	leastHeight  = 90
	mostHeight   = 320
)

func (h *heatMap) draw(width float64) template.HTML {
	height := min(max(float64(len(h.rows)*mapRowHeight), leastHeight), mostHeight)
	pl := newPlot(width, height+46, h.label)
	pl.left = 108
	fmt.Fprintf(pl, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" class="heat" href="data:image/png;base64,%s"/>`,
		num(pl.left), num(pl.top), num(pl.right-pl.left), num(pl.bottom-pl.top), h.picture())
	step := (pl.bottom - pl.top) / float64(len(h.rows))
	last := math.Inf(-1)
	for i := range h.rows {
		y := pl.top + (float64(i)+0.5)*step
		if text := h.rowTicks(i); text != "" && y-last >= 12 {
			pl.text(pl.left-6, y+4, end, "tick", shortened(text, 16))
			last = y
		}
	}
	pl.text(pl.left, pl.top-2, start, "name", h.rowName)
	if h.cycles > 0 {
		pl.xAxis(h.cycles, h.columnName)
		return pl.done()
	}
	columns := len(h.rows[0])
	every := int(44/((pl.right-pl.left)/float64(columns))) + 1
	for i := 0; i < columns; i += every {
		pl.text(pl.x((float64(i)+0.5)/float64(columns)), pl.bottom+16, middle, "tick", h.columnTicks(i))
	}
	pl.line(pl.left, pl.bottom, pl.right, pl.bottom, "axis")
	pl.text(pl.right, pl.height-3, end, "name", h.columnName)
	return pl.done()
}

// shades are the colours of cells: one that shows on light and dark pages, the less transparent the larger the value. The first is of 0.
var shades = func() (list color.Palette) {
	list = append(list, color.NRGBA{})
	for alpha := leastShade; alpha <= 255; alpha++ {
		list = append(list, color.NRGBA{R: 0xd0, G: 0x5a, B: 0x1e, A: uint8(alpha)})
	}
	return list
}()

// leastShade is the opacity of the smallest value, of 255.
const leastShade = 40

// picture is the grid as a PNG in base64.
func (h *heatMap) picture() string {
	columns := 0
	for _, row := range h.rows {
		columns = max(columns, len(row))
	}
	m := image.NewPaletted(image.Rect(0, 0, columns, len(h.rows)), shades)
	for y, row := range h.rows {
		for x, v := range row {
			if v > 0 && h.top > 0 {
				m.SetColorIndex(x, y, uint8(1+min(v/h.top, 1)*(255-leastShade)))
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return "" // a buffer takes all that is written, and the picture has a size
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// mapFigures are the maps of a run: units over time, counts by unit, parts of levels, and programs over time.
func mapFigures(p *profile.Profile) (list []figure) {
	m := p.Maps
	if m == nil || len(m.Units) == 0 || p.Cycles == 0 {
		return nil
	}
	return slices.Concat(unitMaps(p, m), levelMaps(p, m), programMaps(p, m))
}

func unitMaps(p *profile.Profile, m *profile.Maps) []figure {
	names := func(row int) string { return fmt.Sprintf("SE %d CU %d", row/p.Units, row%p.Units) }
	occupancy, issues := overBins(p, m, len(m.Units), func(i int) []uint64 { return m.Units[i].Busy }), overBins(p, m, len(m.Units), func(i int) []uint64 { return m.Units[i].Issued })
	counts := unitCounters(m)
	over := func(rows [][]float64, label string) func(width float64) template.HTML {
		return (&heatMap{label: label, rows: rows, top: highest(rows), rowTicks: names, rowName: "compute unit", cycles: float64(p.Cycles), columnName: "cycle"}).draw
	}
	return []figure{
		draw("Waves by compute unit and time", fmt.Sprintf("Resident waves of each compute unit; the strongest cell has %s.", shortNumber(highest(occupancy))), nil, over(occupancy, "waves by compute unit and time")),
		draw("Instructions by compute unit and time", fmt.Sprintf("Instructions that each compute unit issued a cycle; the strongest cell has %s.", shortNumber(highest(issues))), nil, over(issues, "instructions by compute unit and time")),
		draw("Counters by compute unit", "Each row is relative to its largest count. A row of one shade is even. Largest: "+largestCounts(counts)+".", nil,
			func(width float64) template.HTML { return drawUnitCounters(width, p, counts) }),
	}
}

// A counterRow is a count of all units.
type counterRow struct {
	name   string
	values []float64
}

// unitCounters are the counts that some unit has.
func unitCounters(m *profile.Maps) (list []counterRow) {
	for i := range m.Units {
		u := &m.Units[i]
		for k, c := range append(u.Counters(), profile.Counter{Name: "instructions", Value: u.Instructions}) {
			if i == 0 {
				list = append(list, counterRow{c.Name, make([]float64, len(m.Units))})
			}
			list[k].values[i] = float64(c.Value)
		}
	}
	return slices.DeleteFunc(list, func(c counterRow) bool { return slices.Max(c.values) == 0 })
}

// largestCounts lists the largest count of each row.
func largestCounts(list []counterRow) string {
	var texts []string
	for _, c := range list {
		texts = append(texts, strings.ReplaceAll(c.name, "_", " ")+" "+shortNumber(slices.Max(c.values)))
	}
	return strings.Join(texts, ", ")
}

func drawUnitCounters(width float64, p *profile.Profile, list []counterRow) template.HTML {
	h := heatMap{label: "counters by compute unit", top: 1, rowTicks: func(row int) string { return list[row].name },
		columnName: "compute unit", columnTicks: func(i int) string { return fmt.Sprint(i) }}
	for _, c := range list {
		row := make([]float64, len(c.values))
		for i, v := range c.values {
			row[i] = v / slices.Max(c.values)
		}
		h.rows = append(h.rows, row)
	}
	if len(h.rows) == 0 {
		return ""
	}
	return h.draw(width)
}

// overBins turns amounts of rows by bin into amounts a cycle.
func overBins(p *profile.Profile, m *profile.Maps, n int, row func(int) []uint64) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		for k, v := range row(i) {
			length := min(m.BinCycles, p.Cycles-uint64(k)*m.BinCycles)
			rows[i] = append(rows[i], float64(v)/float64(length))
		}
	}
	return rows
}

func highest(rows [][]float64) (top float64) {
	for _, row := range rows {
		for _, v := range row {
			top = max(top, v)
		}
	}
	return top
}

// mostParts bounds the parts of a level that have a map.
const mostParts = 256

// ofUnits are the levels whose parts are those of compute units, which have maps of their own.
var ofUnits = []string{"vector_l1", "scalar_l1"}

// levelMaps has the balance of the parts of each level, and their bytes over time.
func levelMaps(p *profile.Profile, m *profile.Maps) (list []figure) {
	for i := range m.Levels {
		l := &m.Levels[i]
		if len(l.Parts) < 2 || len(l.Parts) > mostParts || slices.Contains(ofUnits, l.Name) {
			continue
		}
		moved := make([]float64, len(l.Parts))
		sum := 0.0
		for k := range l.Parts {
			moved[k] = float64(l.Parts[k].Bytes)
			sum += moved[k]
		}
		if sum == 0 {
			continue
		}
		part := "slice"
		if l.Name == "memory" {
			part = "channel"
		}
		rows := overBins(p, m, len(l.Over), func(k int) []uint64 { return l.Over[k] })
		list = append(list,
			draw("Balance of "+l.Name, fmt.Sprintf("Bytes of each %s. The busiest moved %s times the mean.", part, shortNumber(slices.Max(moved)/(sum/float64(len(moved))))), nil,
				func(width float64) template.HTML { return drawBalance(width, l, part) }),
			draw(fmt.Sprintf("Bytes of %s by %s and time", l.Name, part), fmt.Sprintf("Bytes a cycle; the strongest cell has %s.", shortNumber(highest(rows))), nil,
				(&heatMap{label: l.Name + " over time", rows: rows, top: highest(rows), rowTicks: func(row int) string { return fmt.Sprint(row) }, rowName: part, cycles: float64(p.Cycles), columnName: "cycle"}).draw))
	}
	return list
}

// drawBalance draws a column for each part: its bytes.
func drawBalance(width float64, l *profile.LevelParts, part string) template.HTML {
	pl := newPlot(width, 130, "balance of "+l.Name)
	most := 0.0
	for i := range l.Parts {
		most = max(most, float64(l.Parts[i].Bytes))
	}
	marks := ticks(most, 3)
	top := marks[len(marks)-1]
	pl.axes(float64(len(l.Parts)), part, marks, "bytes")
	step := (pl.right - pl.left) / float64(len(l.Parts))
	for i := range l.Parts {
		x := &l.Parts[i]
		share := float64(x.Bytes) / top
		wait := 0.0
		if x.Accesses > 0 {
			wait = float64(x.WaitCycles) / float64(x.Accesses)
		}
		pl.rect(pl.left+float64(i)*step, pl.y(share), step-min(step*0.15, 2), pl.y(0)-pl.y(share), "r0",
			fmt.Sprintf("%s %d: %s accesses, %s bytes, %s cycles of waiting each", part, i, grouped(x.Accesses), grouped(x.Bytes), shortNumber(wait)))
	}
	return pl.done()
}

// mostProgramMaps bounds the programs that are drawn over time.
const mostProgramMaps = 4

// programMaps has the issues of instructions over time, of the programs with most.
func programMaps(p *profile.Profile, m *profile.Maps) (list []figure) {
	type of struct {
		*profile.ProgramMap
		issues float64
	}
	var programs []of
	for i := range m.Programs {
		sum := 0.0
		for _, row := range m.Programs[i].Issues {
			for _, n := range row {
				sum += float64(n)
			}
		}
		programs = append(programs, of{&m.Programs[i], sum})
	}
	slices.SortStableFunc(programs, func(a, b of) int {
		return map[bool]int{true: 1, false: -1}[a.issues < b.issues]
	})
	for _, x := range programs[:min(len(programs), mostProgramMaps)] {
		if x.issues == 0 {
			continue
		}
		rows := overBins(p, m, len(x.Issues), func(k int) []uint64 { return x.Issues[k] })
		list = append(list, draw("Instructions of "+x.Name+" over time", "Which instructions of the listing are issued when: loops are bands, phases are steps. The strongest cell has "+shortNumber(highest(rows))+" a cycle.", nil,
			(&heatMap{label: "instructions of " + x.Name + " over time", rows: rows, top: highest(rows), rowTicks: func(row int) string { return fmt.Sprint(row * x.Joined) }, rowName: "instruction (pc)", cycles: float64(p.Cycles), columnName: "cycle"}).draw))
	}
	return list
}

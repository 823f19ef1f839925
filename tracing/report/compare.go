package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/tracing/profile"
)

// A comparison is several runs side by side.
type comparison struct {
	Names    []string
	Settings []string   // paths of the settings that differ
	Values   [][]string // of each run, by setting
	More     string     // settings without a column
	Rows     []differenceRow
	Listings []comparedListing
}

// A differenceRow is one number of all runs.
type differenceRow struct {
	Name  string
	Cells []differenceCell
}

// A differenceCell is a number, and how it differs from the first run's.
type differenceCell struct{ Value, Change string }

// Limits on settings: columns of the table, and words of a name.
const (
	maxColumns   = 12
	maxNameWords = 3
)

func compare(list []*profile.Profile) *comparison {
	c := &comparison{}
	c.settings(list)
	c.name(list)
	c.numbers(list)
	c.listings(list)
	return c
}

// settings finds the settings that differ, in the order of the machine's description. It ignores profiles without
// settings, as older ones are.
func (c *comparison) settings(list []*profile.Profile) {
	var order []string
	var first map[string]string // of the runs that have settings
	seen := map[string]bool{}
	values := make([]map[string]string, len(list))
	for i, p := range list {
		values[i] = map[string]string{}
		for _, s := range p.Settings {
			if !seen[s.Path] {
				seen[s.Path], order = true, append(order, s.Path)
			}
			values[i][s.Path] = s.Value
		}
		if first == nil && len(p.Settings) > 0 {
			first = values[i]
		}
	}
	differ := slices.DeleteFunc(order, func(path string) bool {
		return path == "name" || !slices.ContainsFunc(values, func(v map[string]string) bool { return len(v) > 0 && v[path] != first[path] })
	})
	if left := len(differ) - maxColumns; left > 0 {
		c.More = fmt.Sprintf("%d more settings differ, from %s on.", left, differ[maxColumns])
		differ = differ[:maxColumns]
	}
	c.Settings = differ
	for _, v := range values {
		var row []string
		for _, path := range differ {
			row = append(row, orDash(v[path]))
		}
		c.Values = append(c.Values, row)
	}
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// name distinguishes the runs: by job and machine, by the settings that differ, and otherwise by their number.
func (c *comparison) name(list []*profile.Profile) {
	seen := map[string]int{}
	for i, p := range list {
		name := p.Job
		if slices.ContainsFunc(list, func(o *profile.Profile) bool { return o.Machine != p.Machine }) {
			name += " on " + p.Machine
		}
		var words []string
		for k := range min(len(c.Settings), maxNameWords) {
			words = append(words, c.Settings[k]+"="+c.Values[i][k])
		}
		if len(words) > 0 && len(c.Settings) <= maxNameWords {
			name += " (" + strings.Join(words, ", ") + ")"
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s, run %d", name, i+1)
		}
		c.Names = append(c.Names, name)
	}
}

// numbers are cycles, work, slot-cycles by reason and bytes by level.
func (c *comparison) numbers(list []*profile.Profile) {
	c.row("cycles", list, func(p *profile.Profile) uint64 { return p.Cycles })
	c.row("instructions", list, func(p *profile.Profile) (n uint64) {
		for i := range p.Kernels {
			n += p.Kernels[i].Instructions
		}
		return n
	})
	for r := range account.NumReasons {
		c.row("slot-cycles: "+r.String(), list, func(p *profile.Profile) uint64 { return p.Total[r] })
	}
	c.row("LDS accesses", list, func(p *profile.Profile) uint64 { return p.LDS.Accesses })
	c.row("LDS passes", list, func(p *profile.Profile) uint64 { return p.LDS.Passes })
	c.row("LDS passes for conflicts", list, func(p *profile.Profile) uint64 { return p.LDS.ConflictPasses })
	for _, name := range levelNames(list) {
		c.level(name, list)
	}
}

// level compares the counts of a memory level.
func (c *comparison) level(name string, list []*profile.Profile) {
	of := func(p *profile.Profile) account.LevelCounts {
		i := slices.IndexFunc(p.Levels, func(l profile.LevelProfile) bool { return l.Name == name })
		if i < 0 {
			return account.LevelCounts{}
		}
		return p.Levels[i].LevelCounts
	}
	c.row("bytes: "+name, list, func(p *profile.Profile) uint64 { return of(p).Bytes })
	c.row("accesses: "+name, list, func(p *profile.Profile) uint64 { return of(p).Accesses })
	c.rates("hit rate: "+name, list, func(p *profile.Profile) (part, whole uint64) { return of(p).Hits, of(p).Accesses })
	c.row("cycles for full queues: "+name, list, func(p *profile.Profile) uint64 { return of(p).FullCycles })
}

// rates adds a row of shares, where any run has one; they differ by points of percent.
func (c *comparison) rates(name string, list []*profile.Profile, of func(*profile.Profile) (part, whole uint64)) {
	row := differenceRow{Name: name}
	some := false
	first := math.NaN()
	for i, p := range list {
		part, whole := of(p)
		if whole == 0 {
			row.Cells = append(row.Cells, differenceCell{Value: "–"})
			continue
		}
		rate := 100 * float64(part) / float64(whole)
		cell := differenceCell{Value: percent(float64(part), float64(whole))}
		if i == 0 {
			first = rate
		}
		if d := math.Round(10*(rate-first)) / 10; d != 0 && !math.IsNaN(d) {
			cell.Change = fmt.Sprintf("%+.1f points", d)
		}
		row.Cells = append(row.Cells, cell)
		some = true
	}
	if some {
		c.Rows = append(c.Rows, row)
	}
}

func levelNames(list []*profile.Profile) (names []string) {
	for _, p := range list {
		for i := range p.Levels {
			if !slices.Contains(names, p.Levels[i].Name) {
				names = append(names, p.Levels[i].Name)
			}
		}
	}
	return names
}

// row adds a number that any run has.
func (c *comparison) row(name string, list []*profile.Profile, of func(*profile.Profile) uint64) {
	row := differenceRow{Name: name}
	some := false
	for _, p := range list {
		row.Cells = append(row.Cells, newDifference(of(p), of(list[0])))
		some = some || of(p) > 0
	}
	if some {
		c.Rows = append(c.Rows, row)
	}
}

// newDifference describes the difference of a number from the first run's; the first run has an empty one.
func newDifference(n, first uint64) differenceCell {
	cell := differenceCell{Value: grouped(n)}
	switch {
	case n == first:
	case first == 0:
		cell.Change = "new"
	default:
		cell.Change = fmt.Sprintf("%+.1f%%", 100*(float64(n)/float64(first)-1))
	}
	return cell
}

// A comparedListing is a program that several runs have.
type comparedListing struct {
	Name string
	Hot  *sides // the lines that differ most
	All  sides
}

// sides are lines with a cell for each run.
type sides struct {
	Names []string
	Lines []sideLine
}

// A sideLine is an instruction with its cost in each run.
type sideLine struct {
	ID, Class, Text string
	Cells           []differenceCell
	cycleRange      uint64 // between the runs, cycles
}

// listings puts the programs of one name side by side, in the order of the first run.
func (c *comparison) listings(list []*profile.Profile) {
	for i := range list[0].Listings {
		name := list[0].Listings[i].Name
		var lines [][]profile.Line
		for _, p := range list {
			if k := slices.IndexFunc(p.Listings, func(l profile.Listing) bool { return l.Name == name }); k >= 0 {
				lines = append(lines, p.Listings[k].Lines)
			}
		}
		if len(lines) != len(list) {
			continue
		}
		out := comparedListing{Name: name, All: sides{c.Names, sideBySide(lines)}}
		if hot := hottestSides(out.All.Lines); len(hot) > 0 {
			out.Hot = &sides{c.Names, hot}
		}
		c.Listings = append(c.Listings, out)
	}
}

func hottestSides(lines []sideLine) []sideLine {
	hot := slices.DeleteFunc(slices.Clone(lines), func(l sideLine) bool { return l.cycleRange == 0 })
	slices.SortStableFunc(hot, func(a, b sideLine) int { return cmp.Compare(b.cycleRange, a.cycleRange) })
	return hot[:min(len(hot), hottest)]
}

// sideBySide aligns the lines of runs, whose programs may differ: lines correspond if they have the same id and class.
func sideBySide(runs [][]profile.Line) []sideLine {
	rows := make([][]*profile.Line, 0, len(runs[0]))
	for i := range runs[0] {
		rows = append(rows, []*profile.Line{&runs[0][i]})
	}
	for k, lines := range runs[1:] {
		rows = merge(rows, lines, k+1)
	}
	var out []sideLine
	for _, row := range rows {
		out = append(out, newSide(row, len(runs)))
	}
	return out
}

func newSide(row []*profile.Line, runs int) sideLine {
	any := row[slices.IndexFunc(row, func(l *profile.Line) bool { return l != nil })]
	side := sideLine{Class: any.Class, Text: any.Text}
	if any.ID != 0 {
		side.ID = fmt.Sprintf("%%%d", any.ID)
	}
	var first, low, high uint64
	for i := range runs {
		if i >= len(row) || row[i] == nil {
			side.Cells = append(side.Cells, differenceCell{Value: "–"})
			low = 0
			continue
		}
		n := row[i].Cycles.Total()
		if i == 0 {
			first, low = n, n
		}
		low, high = min(low, n), max(high, n)
		side.Cells = append(side.Cells, newDifference(n, first))
	}
	side.cycleRange = high - low
	return side
}

// merge adds the lines of run k to rows, which have the lines of the earlier runs.
func merge(rows [][]*profile.Line, lines []profile.Line, k int) [][]*profile.Line {
	keyOf := func(row []*profile.Line) string {
		return lineKey(row[slices.IndexFunc(row, func(l *profile.Line) bool { return l != nil })])
	}
	var a, b []string
	for _, row := range rows {
		a = append(a, keyOf(row))
	}
	for i := range lines {
		b = append(b, lineKey(&lines[i]))
	}
	var out [][]*profile.Line
	for _, pair := range align(a, b) {
		row := make([]*profile.Line, k+1)
		if pair[0] >= 0 {
			copy(row, rows[pair[0]])
		}
		if pair[1] >= 0 {
			row[k] = &lines[pair[1]]
		}
		out = append(out, row)
	}
	return out
}

func lineKey(l *profile.Line) string { return fmt.Sprint(l.ID, " ", l.Class) }

// maxAligned bounds the table of the longest common subsequence, in cells; longer programs are paired in their order.
const maxAligned = 16 << 20

// align pairs the indices of two lists in order: the items of a longest common subsequence with each other, others
// alone (-1).
func align(a, b []string) (pairs [][2]int) {
	var head, tail int
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for i := range head {
		pairs = append(pairs, [2]int{i, i})
	}
	for _, p := range alignMiddle(a[head:len(a)-tail], b[head:len(b)-tail]) {
		pairs = append(pairs, [2]int{shifted(p[0], head), shifted(p[1], head)})
	}
	for i := range tail {
		pairs = append(pairs, [2]int{len(a) - tail + i, len(b) - tail + i})
	}
	return pairs
}

func shifted(i, by int) int {
	if i < 0 {
		return i
	}
	return i + by
}

func alignMiddle(a, b []string) (pairs [][2]int) {
	best := commonLengths(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && best != nil && a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && (best == nil || best[i+1][j] >= best[i][j+1]):
			pairs = append(pairs, [2]int{i, -1})
			i++
		default:
			pairs = append(pairs, [2]int{-1, j})
			j++
		}
	}
	return pairs
}

// commonLengths returns the lengths of the longest common subsequences of the suffixes from each pair of indices; nil
// if there are too many.
func commonLengths(a, b []string) [][]int32 {
	if (len(a)+1)*(len(b)+1) > maxAligned {
		return nil
	}
	best := make([][]int32, len(a)+1)
	for i := range best {
		best[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	return best
}

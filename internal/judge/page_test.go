package judge

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// Lines of a page that its comparison is between.
const (
	pageFrom = "<!-- judge: from here -->\n"
	pageTo   = "<!-- judge: to here -->\n"
)

// A Set is rows that a page names together.
type Set struct {
	Name     string
	Rows     []Row
	Executed bool // what counts is what ran: numbers of instructions by kind, and no list of modules
}

var pageFile = flag.String("page", "", "page whose comparison is written anew, which takes minutes")

var rootFolder = flag.String("root", "", "folder of the system whose driver compiles, as debootstrap makes one; for root only")

// openIn opens the driver of the system under a folder, as debootstrap makes one, which may have another Mesa. Only root may do so.
func openIn(root string) (*Driver, error) {
	m, err := manifestIn(root)
	if err != nil {
		return nil, err
	}
	program, err := build()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	inside := filepath.Join("/tmp", filepath.Base(program))
	if err := os.WriteFile(filepath.Join(root, inside), data, 0o755); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	return &Driver{program: inside, manifest: m, root: root}, nil
}

// The comparison of all modules of the repository and of all ready jobs, as executed: go test ./internal/judge -run TestWritePage -timeout 0 -page ../../docs/model/lowering.md.
func TestWritePage(t *testing.T) {
	if *pageFile == "" {
		return
	}
	d := opened(t)
	if *rootFolder != "" {
		var err error
		if d, err = openIn(*rootFolder); err != nil {
			t.Fatal(err)
		}
	}
	d.answers = *answers
	shaders := suite.Must(Modules("../..", Folders))(t)
	modules := suite.Must(d.Rows(shaders, presets()))(t)
	ran := d.readyRows(t, presets())
	sets := []Set{{Name: "Modules of the repository", Rows: modules}, {Name: "Ready jobs, as executed", Rows: ran, Executed: true}}
	suite.OK(t, WritePage(*pageFile, sets, 25))
}

// WritePage puts the comparison of the sets into a page, between its two lines.
func WritePage(path string, sets []Set, worst int) error {
	return replaceBetween(path, pageFrom, pageTo, pageText(sets, worst))
}

// pageText is a table of ratios for each set, and the modules that are furthest off.
func pageText(sets []Set, worst int) string {
	var b strings.Builder
	for _, set := range sets {
		list := Summarize(set.Rows)
		fmt.Fprintf(&b, "\n%s: the geometric mean of ours to RADV's, and the mean factor either way.\n\n|  |", set.Name)
		for _, s := range list {
			fmt.Fprintf(&b, " %s (%d) |", s.Machine, s.Compared)
		}
		b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(list)) + "\n")
		for _, line := range pageLines(list, set.Executed) {
			b.WriteString(line)
		}
		if !set.Executed {
			writeWorstTable(&b, set.Rows, worst)
		}
	}
	b.WriteByte('\n')
	return b.String()
}

func pageLines(list []Summary, executed bool) (lines []string) {
	add := func(name string, of func(s *Summary) *Ratio) {
		line := "| " + name + " |"
		for i := range list {
			if r := of(&list[i]); r.Count() > 0 {
				line += fmt.Sprintf(" %.2f, %.2f |", r.Mean(), r.Factor())
			} else {
				line += "  |"
			}
		}
		lines = append(lines, line+"\n")
	}
	if executed {
		add("instructions", func(s *Summary) *Ratio { return &s.Executed })
	} else {
		add("instructions", func(s *Summary) *Ratio { return &s.Instructions })
		add("vector registers", func(s *Summary) *Ratio { return &s.VectorRegs })
		add("waves a SIMD", func(s *Summary) *Ratio { return &s.Waves })
	}
	for k := range NumKinds {
		if k == Wait {
			continue
		}
		add(k.String(), func(s *Summary) *Ratio {
			if executed {
				return &s.ExecutedKinds[k]
			}
			return &s.Kinds[k]
		})
	}
	return lines
}

func writeWorstTable(b *strings.Builder, rows []Row, n int) {
	b.WriteString("\n| furthest off | machine | here | RADV |\n| --- | --- | --- | --- |\n")
	for _, r := range furthest(rows, n) {
		x, y := r.Lowered.Static(), r.RADV.Static()
		fmt.Fprintf(b, "| `%s` | %s | %.0f | %.0f |\n", strings.TrimSuffix(r.Name, " main"), r.Machine, x.Total(), y.Total())
	}
}

// The comparison of a page is between two lines; a page without them is refused.
func TestPageOfTheComparison(t *testing.T) {
	c := &Comparison{Lowered: &Code{Blocks: []Block{{Kinds: []Kind{VALU, VALU}}}, VectorRegs: 4, Waves: 8}, RADV: &Code{Blocks: []Block{{Kinds: []Kind{VALU}}}, VectorRegs: 4, Waves: 8}}
	path := filepath.Join(t.TempDir(), "page.md")
	suite.OK(t, os.WriteFile(path, []byte("before\n"+pageFrom+"old\n"+pageTo+"after\n"), 0o644))
	suite.OK(t, WritePage(path, []Set{{Name: "One", Rows: []Row{{Comparison: c, Name: "double main", Machine: "m"}}}}, 3))
	page := suite.Must(os.ReadFile(path))(t)
	suite.Contains(t, string(page), "before\n"+pageFrom, pageTo+"after\n", "| instructions | 2.00, 2.00 |", "| vector registers | 1.00, 1.00 |", "| `double` | m | 2 | 1 |")
	suite.OK(t, os.WriteFile(path, []byte("nothing\n"), 0o644))
	if err := WritePage(path, nil, 3); err == nil || !strings.Contains(err.Error(), pageFrom[:4]) {
		t.Errorf("a page without the lines: %v", err)
	}
}

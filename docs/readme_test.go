package docs_test

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// README is short, and what it says of speed, accuracy, programs and machines is what the pages that it links hold.
func TestReadmeSaysWhatThePagesSay(t *testing.T) {
	readme := readText(t, "../README.md")
	if n := strings.Count(readme, "\n"); n > 130 {
		t.Errorf("README has %d lines: want at most 130", n)
	}
	text := strings.Join(strings.Fields(readme), " ")
	least, most := math.Inf(1), 0.0
	number := func(cell string) float64 { return suite.Must(strconv.ParseFloat(strings.TrimSpace(cell), 64))(t) }
	for _, row := range regexp.MustCompile(`(?m)^\| .peer-.*\| 1/[0-9]+ \|$`).FindAllString(readText(t, "develop/speed.md"), -1) {
		cells := strings.Split(row, "|")
		ratio := number(cells[2]) / number(cells[4])
		suite.Contains(t, cells[6], fmt.Sprintf(" 1/%.0f ", ratio))
		least, most = min(least, ratio), max(most, ratio)
	}
	suite.Contains(t, text, fmt.Sprintf("take %.0f to %.0f times less time than with MGPUSim", least, most))

	_, block, _ := strings.Cut(readText(t, "model/accuracy.md"), "<!-- nothing chosen -->")
	block, _, _ = strings.Cut(block, "<!--")
	worst := 0.0
	for line := range strings.Lines(block) {
		cells := strings.Split(line, " | ")
		if len(cells) < 6 {
			continue
		}
		factor, err := strconv.ParseFloat(cells[3], 64)
		if err != nil {
			continue
		}
		worst = max(worst, factor)
		if cells[0] == "| MI300X" {
			kernels, _, _ := strings.Cut(cells[1], ",")
			suite.Contains(t, text, fmt.Sprintf("%s on an MI300X", kernels), fmt.Sprintf("over %s points the geometric mean of the error factor is %.2f", cells[2], factor))
			suite.Contains(t, cells[1]+cells[5], "committed before they were compared", "none of the machine")
		}
	}
	suite.Contains(t, text, fmt.Sprintf("%.2f at most", worst))

	suite.Contains(t, readText(t, "guide/vulkan.md"), "| llama-bench (Debian", "| FFmpeg 9")
	suite.Contains(t, readText(t, "guide/opencl.md"), "run unchanged")
	for _, name := range config.Presets() {
		family, _, _ := strings.Cut(name, "-")
		letters := strings.TrimRight(family, "0123456789")
		if !regexp.MustCompile(strings.ToUpper(letters) + ` [0-9]( to [0-9])?`).MatchString(text) {
			t.Errorf("README names no machine of the family of %s", name)
		}
	}
}

// The index has each page once, with a line of its own.
func TestIndexHasEachPageOnce(t *testing.T) {
	entry := regexp.MustCompile(`^- \[[^\]]+\]\(([^)#]+)\): [^ ].{15,}[^ ]\.$`)
	found := map[string]int{}
	for _, line := range prose(readText(t, "README.md")) {
		m := entry.FindStringSubmatch(line)
		if strings.HasPrefix(line, "- ") && m == nil {
			t.Errorf("%q: want a link and one line about the page", line)
		}
		if m != nil {
			found[filepath.Join("docs", m[1])]++
		}
	}
	pages := []string{"CHANGELOG.md", "CONTRIBUTING.md", "NOTICE.md", "RATIONALE.md"}
	for _, page := range filesWith(t, ".md") {
		if strings.HasPrefix(page, "docs/") && page != "docs/README.md" {
			pages = append(pages, page)
		}
	}
	for _, page := range pages {
		if found[page] != 1 {
			t.Errorf("the index has %s %d times: want once", page, found[page])
		}
		delete(found, page)
	}
	for page := range found {
		t.Errorf("the index has %s, which is no page of the documentation", page)
	}
}

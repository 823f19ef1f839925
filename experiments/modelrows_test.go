package experiments

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"spvsim/internal/suite"
)

// modelFile has the cycles of each job under both memory models, and why they differ where they do by more than 15 %.
const modelFile = "memorymodels.csv"

// modelDrift bounds the deviation of a ratio of cycles from the file before the file has to be rewritten.
const modelDrift = 0.1

type modelCycles struct{ fast, akita uint64 }

func (c modelCycles) ratio() float64 { return float64(c.akita) / float64(c.fast) }

// modelRows are the rows of modelFile, by job.
type modelRows struct {
	lock sync.Mutex
	rows map[string]modelCycles
	why  map[string]string
}

// readModelRows reads the file; with -update it is written after the test.
func readModelRows(t *testing.T) *modelRows {
	t.Helper()
	data := suite.Must(os.ReadFile(modelFile))(t)
	table, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(table) == 0 {
		t.Fatalf("%s: %v", modelFile, err)
	}
	r := &modelRows{rows: map[string]modelCycles{}, why: map[string]string{}}
	for _, row := range table[1:] {
		fast, err := strconv.ParseUint(row[1], 10, 64)
		akita, bad := strconv.ParseUint(row[2], 10, 64)
		if err != nil || bad != nil || fast == 0 {
			t.Fatalf("%s: %v: want cycles", modelFile, row)
		}
		r.rows[row[0]], r.why[row[0]] = modelCycles{fast, akita}, row[3]
	}
	if *update {
		t.Cleanup(func() { r.write(t) })
	}
	return r
}

// set compares the cycles of a job with its row, or with -update replaces it.
func (r *modelRows) set(t *testing.T, job string, c modelCycles) {
	t.Helper()
	r.lock.Lock()
	defer r.lock.Unlock()
	if *update {
		r.rows[job] = c
	} else if was, ok := r.rows[job]; !ok || math.Abs(was.ratio()-c.ratio()) > modelDrift {
		t.Errorf("akita takes %.2f of the cycles of fast, %s says %.2f: run go test ./experiments -run MemoryModels -args -update", c.ratio(), modelFile, was.ratio())
	}
}

func (r *modelRows) jobs() (names []string) {
	for name := range r.rows {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *modelRows) write(t *testing.T) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	table := [][]string{{"job", "fast", "akita", "why"}}
	for _, name := range r.jobs() {
		c := r.rows[name]
		table = append(table, []string{name, fmt.Sprint(c.fast), fmt.Sprint(c.akita), r.why[name]})
	}
	suite.OK(t, w.WriteAll(table))
	settle(t, modelFile, b.Bytes())
}

// The page's table of the two models equals the rows, and a row that is off by more than 15 % has a reason.
func TestPageOfMemoryModels(t *testing.T) {
	const page, begin, end = "../docs/model/assumptions.md", "<!-- memory models -->\n", "<!-- end of memory models -->\n"
	r := readModelRows(t)
	var b strings.Builder
	b.WriteString("| job | cycles, fast | cycles, akita | akita / fast | if off by more than 15 %, why |\n| --- | ---: | ---: | ---: | --- |\n")
	for _, name := range r.jobs() {
		c := r.rows[name]
		if off := math.Max(c.ratio(), 1/c.ratio()) > 1.15; off != (r.why[name] != "") {
			t.Errorf("%s: akita takes %.2f of the cycles of fast, and its reason in %s is %q", name, c.ratio(), modelFile, r.why[name])
		}
		fmt.Fprintf(&b, "| `%s` | %d | %d | %.3f | %s |\n", name, c.fast, c.akita, c.ratio(), r.why[name])
	}
	text := suite.Must(os.ReadFile(page))(t)
	before, rest, _ := strings.Cut(string(text), begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no part %q", page, begin)
	}
	settle(t, page, []byte(before+begin+b.String()+end+after))
}

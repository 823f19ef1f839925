package validate

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A flowWriter draws functions of selections, loops and switches within each other.
type flowWriter struct {
	r      *rand.Rand
	lines  []string
	labels int
	outs   []string // where a block may leave its constructs for
}

func (w *flowWriter) label() string {
	w.labels++
	return fmt.Sprintf("%%L%d", w.labels)
}

func (w *flowWriter) line(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

// body begins a block, writes statements, and goes to another block or leaves for one further out.
func (w *flowWriter) body(label string, depth int, to string) {
	w.line("%s = OpLabel", label)
	w.statements(depth)
	switch {
	case w.r.IntN(12) == 0:
		w.line("OpReturn")
	case len(w.outs) > 0 && w.r.IntN(4) == 0:
		w.line("OpBranch %s", w.outs[w.r.IntN(len(w.outs))])
	default:
		w.line("OpBranch %s", to)
	}
}

func (w *flowWriter) statements(depth int) {
	for range w.r.IntN(3) {
		if depth == 0 {
			return
		}
		switch w.r.IntN(4) {
		case 0, 1:
			w.selection(depth - 1)
		case 2:
			w.loop(depth - 1)
		case 3:
			w.choice(depth - 1)
		}
	}
}

func (w *flowWriter) selection(depth int) {
	yes, no, merge := w.label(), w.label(), w.label()
	w.line("OpSelectionMerge %s None", merge)
	if w.r.IntN(3) == 0 {
		no = merge
	}
	w.line("OpBranchConditional %%true %s %s", yes, no)
	w.body(yes, depth, merge)
	if no != merge {
		w.body(no, depth, merge)
	}
	w.line("%s = OpLabel", merge)
}

func (w *flowWriter) loop(depth int) {
	head, body, next, merge := w.label(), w.label(), w.label(), w.label()
	w.line("OpBranch %s", head)
	w.line("%s = OpLabel", head)
	w.line("OpLoopMerge %s %s None", merge, next)
	if w.r.IntN(2) == 0 {
		w.line("OpBranch %s", body)
	} else {
		w.line("OpBranchConditional %%true %s %s", body, merge)
	}
	outs := w.outs
	w.outs = []string{merge, next}
	w.body(body, depth, next)
	w.outs = nil
	w.line("%s = OpLabel", next)
	if w.r.IntN(3) == 0 {
		w.statements(min(depth, 1))
	}
	if w.r.IntN(2) == 0 {
		w.line("OpBranch %s", head)
	} else {
		w.line("OpBranchConditional %%true %s %s", head, merge)
	}
	w.outs = outs
	w.line("%s = OpLabel", merge)
}

func (w *flowWriter) choice(depth int) {
	merge := w.label()
	cases := []string{w.label(), w.label(), w.label()}[:1+w.r.IntN(3)]
	other := append(slices.Clone(cases), merge)[w.r.IntN(len(cases)+1)]
	w.line("OpSelectionMerge %s None", merge)
	text := ""
	for i, c := range cases {
		text += fmt.Sprintf(" %d %s", i, c)
	}
	w.line("OpSwitch %%u1 %s%s", other, text)
	outs := w.outs
	w.outs = append(slices.Clone(outs), merge)
	for i, c := range cases {
		to := merge
		if i+1 < len(cases) && w.r.IntN(4) == 0 {
			to = cases[i+1]
		}
		w.body(c, depth, to)
	}
	w.outs = outs
	w.line("%s = OpLabel", merge)
}

var drawnLabel = regexp.MustCompile(`%L\d+`)

// redirect makes a branch or a merge instruction name another block.
func (w *flowWriter) redirect() {
	for {
		i := w.r.IntN(len(w.lines))
		at := drawnLabel.FindAllStringIndex(w.lines[i], -1)
		if len(at) == 0 || strings.Contains(w.lines[i], "= OpLabel") {
			continue
		}
		p := at[w.r.IntN(len(at))]
		w.lines[i] = w.lines[i][:p[0]] + fmt.Sprintf("%%L%d", 1+w.r.IntN(w.labels)) + w.lines[i][p[1]:]
		return
	}
}

// drawnFlow returns a module with a function of drawn control flow, in which every second one has a branch that leads elsewhere.
func drawnFlow(seed uint64) string {
	w := &flowWriter{r: rand.New(rand.NewPCG(seed, 8))}
	for len(w.lines) < 8 {
		w.statements(3)
	}
	if seed%2 == 1 {
		w.redirect()
	}
	return withParts("CODE", strings.Join(w.lines, "\n"))
}

// looserFlows are functions that the public validator alone refuses, for branches that the specification permits: out of loops that are within the case of a switch to
// the merge block of an outer loop, and from blocks that nothing leads to.
var looserFlows = set[uint64](141, 378, 630, 669)

// Of drawn control flow those functions pass that the public validator passes, and the looser ones: a letter in testdata/flow.txt for each, p or n, by seed. With -update that is asked, where it is installed.
func TestDrawnControlFlow(t *testing.T) {
	const drawn = 800
	path := filepath.Join("testdata", "flow.txt")
	if *update {
		var verdicts strings.Builder
		for seed := range uint64(drawn) {
			verdicts.WriteByte("np"[publicVerdict(t, drawnFlow(seed))])
			if seed%80 == 79 {
				verdicts.WriteByte('\n')
			}
		}
		suite.OK(t, os.WriteFile(path, []byte(verdicts.String()), 0o644))
	}
	text := suite.Must(os.ReadFile(path))(t)
	verdicts := strings.ReplaceAll(string(text), "\n", "")
	if len(verdicts) != drawn {
		t.Fatalf("%s has %d verdicts, want %d", path, len(verdicts), drawn)
	}
	for seed := range uint64(drawn) {
		if _, err := Check(assemble(t, drawnFlow(seed))); (err == nil) != (verdicts[seed] == 'p' || looserFlows[seed]) {
			t.Errorf("seed %d: %v, there %c\n%s", seed, err, verdicts[seed], drawnFlow(seed))
		}
	}
}

// publicVerdict returns 1 where the public validator passes a module, else 0.
func publicVerdict(t *testing.T, text string) int {
	t.Helper()
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val is not installed")
	}
	path := filepath.Join(t.TempDir(), "m.spv")
	suite.OK(t, os.WriteFile(path, assemble(t, text).Encode(binary.LittleEndian), 0o600))
	if exec.Command(tool, "--target-env", "spv1.6", path).Run() != nil {
		return 0
	}
	return 1
}

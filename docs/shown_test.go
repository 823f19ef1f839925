package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"spvsim/internal/suite"
)

var updateShown = flag.Bool("update-shown", false, "write what commands print into the pages that show it")

// shownPages are the pages whose commands run, each in a copy of the folder that it says, within the repository. Where a page has a
// heading, that is from there on: other tests run what is before it.
var shownPages = []struct{ page, folder, heading string }{
	{page: "../README.md", folder: "."},
	{page: "guide/tutorial.md", folder: tutorialFolder},
	{page: "guide/commands.md", folder: "."},
	{page: "guide/scripting.md", folder: ".", heading: "## Sweeps on clusters"},
	{page: "guide/experiments.md", folder: "."},
	{page: "graphs/writing.md", folder: "."},
	{page: "model/lowering.md", folder: "."},
	{page: "guide/profiling.md", folder: "docs/diagnosis"},
	{page: "model/shaders.md", folder: "."},
	{page: "develop/speed.md", folder: "."},
	{page: "../CONTRIBUTING.md", folder: "."},
}

// A part of a page is a file that it shows, or commands.
type part struct {
	line    int    // of its first line in the page, from 0
	indent  string // of each of its lines
	text    []string
	file    string // name of the file that it is
	command bool
	printed bool // commands begin with $, and what they print follows
}

var (
	fileName  = regexp.MustCompile("`([A-Za-z][A-Za-z0-9/-]*\\.(?:comp|yaml|yml|spvasm))`:?$")
	ourInline = regexp.MustCompile("`(spvsim [a-z]+ [a-z][^`]+)`") // not of a flag alone
	capitals  = regexp.MustCompile(`\b[A-Z]{2,}\b`)
)

// commandWords begin lines of commands in the indented parts of pages.
var commandWords = []string{"spvsim", "go", "glslangValidator", "for", "source", "/usr/bin/time", "grep", "gofmt"}

// partsOf finds the files and commands of a page.
func partsOf(page string) (parts []part) {
	lines := strings.Split(page, "\n")
	before := "" // the last line of text
	for i := 0; i < len(lines); i++ {
		end := i
		p := part{line: i}
		switch line := lines[i]; {
		case strings.HasPrefix(line, "```"):
			p.line++
			for end = i + 1; end < len(lines) && !strings.HasPrefix(lines[end], "```"); end++ {
				p.text = append(p.text, lines[end])
			}
		case strings.HasPrefix(line, "    ") && (i == 0 || lines[i-1] == ""):
			p.indent = "    "
			for end < len(lines) && strings.HasPrefix(lines[end], p.indent) || lines[end] == "" && end+1 < len(lines) && strings.HasPrefix(lines[end+1], p.indent) {
				p.text = append(p.text, strings.TrimPrefix(lines[end], p.indent))
				end++
			}
			end--
		default:
			for _, m := range ourInline.FindAllStringSubmatch(line, -1) {
				if !capitals.MatchString(m[1]) && !strings.Contains(m[1], "...") {
					parts = append(parts, part{line: i, text: []string{m[1]}, command: true})
				}
			}
			if line != "" {
				before = line
			}
			continue
		}
		if p.of(before) {
			parts = append(parts, p)
		}
		i = end
	}
	return parts
}

// of says what a part is, by the text before it; false for one that is neither a file nor commands.
func (p *part) of(before string) bool {
	if len(p.text) == 0 {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimSpace(p.text[0]), " ")
	p.printed = first == "$"
	p.command = p.printed || p.indent != "" && slices.Contains(commandWords, first)
	if m := fileName.FindStringSubmatch(before); m != nil && !p.command {
		p.file = m[1]
	}
	return p.command || p.file != ""
}

// Every command of README, tutorial and how-tos runs, in a copy of the folder that the page names, with the files that it shows,
// and prints what the page says. Long sweeps are planned and not run.
func TestPagesDoWhatTheySay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some hundred commands")
	}
	bin := tools(t)
	for _, s := range shownPages {
		t.Run(strings.TrimSuffix(filepath.Base(s.page), ".md"), func(t *testing.T) {
			t.Parallel()
			text := suite.Must(os.ReadFile(s.page))(t)
			dir := t.TempDir()
			for _, folder := range []string{"docs", "experiments"} {
				suite.OK(t, os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("..", folder))))
			}
			sh := &shell{t: t, dir: filepath.Join(dir, s.folder), bin: bin, page: s.page}
			lines := strings.Split(string(text), "\n")
			var out []string
			done := 0
			from := slices.Index(lines, s.heading)
			for _, p := range partsOf(string(text)) {
				if p.line < from {
					continue
				}
				out = append(append(out, lines[done:p.line]...), sh.part(&p)...)
				if done = p.line; p.printed {
					done += len(p.text)
				}
			}
			if s.folder == tutorialFolder {
				sh.keeps("results/stride/stride.csv", "tutorial/stride.csv")
				sh.keeps("results/stride/stride.svg", "tutorial/stride.svg")
			}
			if out = append(out, lines[done:]...); *updateShown {
				suite.OK(t, os.WriteFile(s.page, []byte(strings.Join(out, "\n")), 0o644))
			}
		})
	}
}

// tools builds spvsim into a folder of its own, beside a go that works in the repository, where the sources are, and that
// hands out this spvsim where a page builds it: linking it for each page would take longer than most of their commands.
func tools(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "spvsim"), "../cmd/spvsim").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	real, err := exec.LookPath("go")
	repository, err2 := filepath.Abs("..")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	shim := fmt.Sprintf(`#!/bin/sh -e
export PATH="${PATH#*:}" GOBIN="$PWD/bin"
case "$1 $2" in
"build -o") test "$4" = ./cmd/spvsim; exec cp "${0%%/*}/spvsim" "$3" ;;
"install ./cmd/spvsim") mkdir -p "$GOBIN"; exec cp "${0%%/*}/spvsim" "$GOBIN" ;;
"run ./cmd/spvsim") shift 2; exec "${0%%/*}/spvsim" "$@" ;;
test*|vet*|generate*) exec %[1]q -C %[2]q list $(for a; do case "$a" in ./*) echo "$a" ;; esac; done) ;; # tests would run this one again
tool*) exit 0 ;; # it looks at a profile that the tests did not write
esac
exec %[1]q -C %[2]q "$@"
`, real, repository)
	suite.OK(t, os.WriteFile(filepath.Join(bin, "go"), []byte(shim), 0o755))
	return bin
}

const tutorialFolder = "docs/tutorial"

// keeps holds a committed file to what the page's commands made, but for what rows say of the simulator and its files; with
// -update-shown it is written.
func (s *shell) keeps(made, committed string) {
	s.t.Helper()
	got, err := os.ReadFile(filepath.Join(s.dir, made))
	if err != nil || s.lacking != "" {
		if s.lacking == "" {
			s.t.Error(err)
		}
		return
	}
	if *updateShown {
		if err := os.WriteFile(committed, got, 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(committed)
	if err != nil || !bytes.Equal(withoutOrigin(got), withoutOrigin(want)) {
		s.t.Errorf("%s is not what the commands of %s make now, %v (go generate ./docs writes it anew)", committed, s.page, err)
	}
}

// withoutOrigin takes the last two cells, the digest of the inputs and the version, from rows.
func withoutOrigin(rows []byte) []byte { return origin.ReplaceAll(rows, nil) }

var origin = regexp.MustCompile(`(?m),[0-9a-f]{64},[^,\n]*$`)

// A shell runs the commands of one page.
type shell struct {
	t              *testing.T
	dir, bin, page string
	lacking        string // a tool that is not installed: later commands may need what it makes
}

// part writes a file or runs commands. It returns what the page should say in the place of a part with output.
func (s *shell) part(p *part) []string {
	s.t.Helper()
	switch {
	case p.file != "":
		file := filepath.Join(s.dir, p.file)
		if err := os.WriteFile(file, []byte(strings.Join(p.text, "\n")+"\n"), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return nil
	case p.printed:
		return s.session(p)
	}
	scripts := p.text // each line by itself, where all are ours
	if slices.ContainsFunc(p.text, func(line string) bool { return !strings.HasPrefix(line, "spvsim ") }) {
		scripts = []string{strings.Join(p.text, "\n")}
	}
	for i, script := range scripts {
		if out, err := s.run(s.unplanned(script)); err != nil {
			s.t.Errorf("%s:%d: %s: %v\n%s", s.page, p.line+i+1, p.text[i], err, out)
		}
	}
	return nil
}

// session runs commands one by one and compares what they print.
func (s *shell) session(p *part) (out []string) {
	s.t.Helper()
	for i := 0; i < len(p.text); {
		end := i + 1
		for end < len(p.text) && !strings.HasPrefix(p.text[end], "$ ") {
			end++
		}
		command, want := strings.TrimPrefix(p.text[i], "$ "), p.text[i+1:end]
		text, err := s.run(command)
		if err != nil && !strings.Contains(strings.Join(want, "\n"), "spvsim: ") {
			s.t.Errorf("%s:%d: %s: %v\n%s", s.page, p.line+i+1, command, err, text)
		}
		got := want
		if s.lacking == "" {
			got = inShape(want, strings.Split(strings.TrimRight(text, "\n"), "\n"))
		}
		if !*updateShown && !slices.Equal(got, want) {
			s.t.Errorf("%s:%d: %s prints\n%s\nand the page says\n%s\n(go generate ./docs writes it anew)", s.page, p.line+i+1, command, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		out = append(append(out, p.indent+p.text[i]), indented(p.indent, got)...)
		i = end
	}
	return out
}

func indented(by string, lines []string) (out []string) {
	for _, line := range lines {
		out = append(out, by+line)
	}
	return out
}

// changing begins lines that differ from run to run: the speed of the host, the commit of the build.
var changing = []string{"host ", "spvsim 0."}

func changes(line string) bool {
	return slices.ContainsFunc(changing, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// inShape cuts an output as a page shows it: lines after a line of dots are left out, and so are columns after dots. Lines that
// differ from run to run are where they are printed, as the page has them, if it has them.
func inShape(shown, printed []string) (out []string) {
	was := map[string]string{}
	shown = slices.DeleteFunc(slices.Clone(shown), func(line string) bool {
		if changes(line) {
			was[strings.Fields(line)[0]] = line
		}
		return changes(line)
	})
	at := 0
	for _, got := range printed {
		if changes(got) {
			if line, ok := was[strings.Fields(got)[0]]; ok {
				out = append(out, line)
			}
			continue
		}
		if at < len(shown) {
			if shown[at] == "..." {
				break
			}
			if head, cut := strings.CutSuffix(shown[at], "..."); cut && len(got) > len(head) {
				got = got[:len(head)] + "..."
			}
		}
		out = append(out, got)
		at++
	}
	if at < len(shown) && shown[at] == "..." {
		out = append(out, "...")
	}
	return out
}

var (
	sweepWords = regexp.MustCompile(`spvsim sweep [^|&#\n]*`)
	drawnAgain = regexp.MustCompile(`^spvsim sweep ([a-z0-9-]+) --draw experiments/figures/([a-z0-9-]+)\.csv -o figures$`)
	cheapFlags = regexp.MustCompile(`--(list|dry-run|status|draw|stale|merge)\b`)
	cheapSmall = regexp.MustCompile(`sweep (crosslane-lowering|lds-stride) .*--small\b`)
)

// bounded plans a sweep in the place of running it, but for those of a second or two and the tutorial's. Committed rows are drawn for one
// experiment: TestCommittedFigures of the command draws all.
func (s *shell) bounded(script string) string {
	if m := drawnAgain.FindStringSubmatch(script); m != nil && m[1] == m[2] && m[1] != "enqueue-crossover" {
		return "test -f experiments/figures/" + m[2] + ".csv"
	}
	return sweepWords.ReplaceAllStringFunc(script, func(c string) string {
		if rest, all := strings.CutPrefix(c, "spvsim sweep --stale"); all {
			return "spvsim sweep lds-stride --stale" + rest // one experiment for all
		}
		if strings.Contains(c, "vkfft-banks") {
			return "spvsim sweep --list " // it runs a program that a machine may lack
		}
		if cheapFlags.MatchString(c) || cheapSmall.MatchString(c) || strings.Contains(c, ".yaml") && !strings.Contains(c, "--launcher") {
			return c
		}
		return strings.TrimRight(c, " ") + " --dry-run "
	})
}

// optional are tools that a machine may lack; what they would have made is then missing for the rest of the page.
var optional = []string{"glslangValidator", "dot", "/usr/bin/time", "awk"}

// run runs what a page says. Commands that leave no file print the same in each page's copy of a folder: they run once.
func (s *shell) run(script string) (string, error) {
	for _, tool := range optional {
		if s.lacking == "" && regexp.MustCompile(`(^|[|;&]\s*|\n\s*)`+tool+" ").MatchString(script) {
			if _, err := exec.LookPath(tool); err != nil {
				s.lacking = tool
				s.t.Logf("%s is not installed: what follows is not run", tool)
			}
		}
	}
	if s.lacking != "" {
		return "", nil
	}
	bounded := s.bounded(script)
	if !planOnly.MatchString(bounded) {
		return s.bash(bounded)
	}
	type printed struct {
		out string
		err error
	}
	once, _ := plans.LoadOrStore(bounded, sync.OnceValue(func() printed {
		out, err := s.bash(bounded)
		return printed{out, err}
	}))
	p := once.(func() printed)()
	return p.out, p.err
}

// unplanned leaves out most of the plans whose output no page shows, whose experiments are there; the whole suite makes each.
func (s *shell) unplanned(script string) string {
	m := planOnly.FindStringSubmatch(s.bounded(script))
	if m == nil || suite.AllCases() || len(m[1])%4 == 0 {
		return script
	}
	return "test -f experiments/figures/" + m[1] + ".yaml"
}

// planOnly are sweeps of the library's experiments that print and leave nothing; plans has what they printed, by command.
var (
	planOnly = regexp.MustCompile(`^spvsim sweep ([a-z0-9-]+)( --?[a-z]+( [0-9]+)?)*? --(dry-run|list) *$`)
	plans    sync.Map
)

// noRADV is what a command says that asks Mesa's compiler, where that is not installed.
const noRADV = "RADV is not installed"

func (s *shell) bash(script string) (string, error) {
	c := exec.Command("bash", "-c", "set -e\n"+script)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "PATH="+s.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if err != nil && strings.Contains(out.String(), noRADV) {
		s.lacking = "RADV"
		s.t.Logf("%s is not installed: what follows is not run", s.lacking)
		return "", nil
	}
	return out.String(), err
}

func TestShapeOfShownOutput(t *testing.T) {
	for _, c := range []struct{ shown, printed, want string }{
		{"a\n...", "b\nc\nd", "b\n..."},
		{"abc...\nx", "abcdef\ny", "abc...\ny"},
		{"a\nhost 1 s\nb", "a\nhost 2 s\nc", "a\nhost 1 s\nc"},
		{"a\nhost 1 s\nb", "a\nb\nhost 2 s", "a\nb\nhost 1 s"},
		{"host 1 s\na\n...", "a\nhost 2 s\nb", "a\nhost 1 s\n..."},
		{"a\nb", "a\nhost 2 s\nb", "a\nb"},
		{"a\nb\nc", "a", "a"},
		{"a", "a\nb", "a\nb"},
	} {
		if got := strings.Join(inShape(strings.Split(c.shown, "\n"), strings.Split(c.printed, "\n")), "\n"); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.shown, c.printed, got, c.want)
		}
	}
}

package report_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing"
	"spvsim/tracing/profile"
	"spvsim/tracing/report"
)

func profiled(t *testing.T, name, machine string) *profile.Profile {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJob(files, file))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: machine}))(t)
	c := profile.NewCollector()
	r := suite.Must(gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: c}))(t)
	p := suite.Must(profile.New(job, c, m, r.Stats, r.Listings))(t)
	return p
}

func pageOf(t *testing.T, list ...*profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	suite.OK(t, report.Write(&b, list))
	return b.String()
}

// withoutImages returns a page without the images that it holds as text.
func withoutImages(page string) string {
	return regexp.MustCompile(`href="data:image/png;base64,[A-Za-z0-9+/=]+"`).ReplaceAllString(page, "")
}

// TestPageIsSelfContained: nothing is fetched, nothing is run.
func TestPageIsSelfContained(t *testing.T) {
	text := withoutImages(pageOf(t, profiled(t, "reduce", "gcn3-r9nano")))
	for _, unwanted := range []string{"http:", "https:", "src=", "@import", "url(", "<script", "<link", "ZgotmplZ", "NaN", "Inf"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the page holds %q", unwanted)
		}
	}
	for _, wanted := range []string{"<h1>reduce</h1>", "Slot-cycles by program", "Slot-cycles by compute unit", "Resident waves",
		"Bandwidth of l2", "Roofline", "Waves by compute unit and time", "Counters by compute unit", "Balance of memory", "Instructions of main over time", "s_barrier", "prefers-color-scheme: dark"} {
		suite.Contains(t, text, wanted)
	}
}

func TestSameRunSamePage(t *testing.T) {
	first, again := pageOf(t, profiled(t, "reduce", "gcn3-r9nano")), pageOf(t, profiled(t, "reduce", "gcn3-r9nano"))
	if first != again {
		t.Error("two pages of one job differ")
	}
}

// TestNamesAreEscaped: names come from shaders and job files.
func TestNamesAreEscaped(t *testing.T) {
	p := profiled(t, "reduce", "gcn3-r9nano")
	const evil = `<script>"&`
	p.Job, p.Kernels[0].Name, p.Steps[0].Name, p.Levels[0].Name, p.Listings[0].Name = evil, evil, evil, evil, evil
	p.Bound, p.Utilization[0].Part, p.Utilization[0].Peak, p.Latencies[0].Level = evil, evil, evil, evil
	p.WhatIf = []tracing.Counterfactual{{Name: evil, Meaning: evil, Advice: evil, Settings: []string{evil}, Base: 2, Cycles: 1}}
	if strings.Contains(pageOf(t, p), "<script>") {
		t.Error("a name became a part of the page's markup")
	}
}

// TestSeveralRuns: settings that differ have columns and are in names, and tables put the runs side by side.
func TestSeveralRuns(t *testing.T) {
	a, b := profiled(t, "reduce", "gcn3-r9nano"), profiled(t, "reduce", "rdna3-rx7900xtx")
	text := pageOf(t, a, b)
	for _, wanted := range []string{"<h1>2 runs</h1>", "<th>clock_mhz</th>", "more settings differ", "reduce on gcn3-r9nano", "reduce on rdna3-rx7900xtx",
		"Differences", "slot-cycles: memory", "cycles by instruction, side by side", "bytes: l2"} {
		suite.Contains(t, text, wanted)
	}
	if strings.Contains(withoutImages(text), "NaN") || strings.Contains(pageOf(t, a), "Differences") {
		t.Error("the page of one run compares, or one of two holds NaN")
	}
}

// TestNumbersOfTheMachine: the page has the statistics of memory, LDS and occupancy, the meanings of terms, and each
// warning.
func TestNumbersOfTheMachine(t *testing.T) {
	p := profiled(t, "reduce", "gcn3-r9nano")
	p.Version, p.Warnings = "spvsim 1.2.3 revision abc", []string{"3 accesses < 4 of lanes"}
	p.Overrides = []config.Leaf{{Path: "lds.banks", Value: "16", By: "set on the command line"}}
	p.Levels[0].FullCycles = 987654
	text := pageOf(t, p)
	l2 := p.Levels[1]
	for _, wanted := range []string{
		"spvsim 1.2.3 revision abc", "<strong>Warning:</strong> 3 accesses &lt; 4 of lanes", "set on the command line", "lds.banks",
		"share of own wave cycles", "share of slots", "waves possible", "waves reached", "limited by",
		"987\u202f654", grouped(l2.Accesses), grouped(l2.Hits), "passes over the banks", "passes an access",
		`title="the wave waits for a result of memory"`, "<dt>memory.atomic</dt>", "<dt>own wave cycles</dt>",
	} {
		suite.Contains(t, text, wanted)
	}
	p.Warnings, p.Overrides, p.LDS = nil, nil, account.LDSCounts{}
	p.Listings = nil
	if text := pageOf(t, p); strings.Contains(text, "Warning") || strings.Contains(text, "Settings") || strings.Contains(text, "passes over the banks,") {
		t.Error("a page of a run without warnings, settings or LDS has their sections")
	}
}

// grouped is a count as the page writes it.
func grouped(n uint64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// TestSharesOfOwnWaves: even if a launch leaves nearly all slots empty, the shares of its waves' cycles add up to 100
// %.
func TestSharesOfOwnWaves(t *testing.T) {
	p := profiled(t, "reduce", "gcn3-r9nano")
	p.Total = account.SlotCycles{account.Issued: 25, account.Memory: 75, account.Empty: 99900}
	text := pageOf(t, p)
	suite.Contains(t, text, "<td>0.0%</td><td>25.0%</td>", "<td>0.1%</td><td>75.0%</td>", "<td>99.9%</td><td>–</td>")
}

// TestSourceOnThePage: the listing shows the module's source text if the module has it.
func TestSourceOnThePage(t *testing.T) {
	p := profiled(t, "reduce", "gcn3-r9nano")
	if text := pageOf(t, p); strings.Contains(text, "By line of") || strings.Contains(text, ">source<") {
		t.Error("a page of a module without its text has lines of it")
	}
	for i := range p.Listings[0].Lines {
		p.Listings[0].Lines[i].Line = 3
	}
	p.Listings[0].Source = []profile.SourceLine{{File: "a.comp", Line: 3, Text: "x < y"}}
	text := pageOf(t, p)
	suite.Contains(t, text, "By line of a.comp", "<code>x &lt; y</code>", `<th class="word">source</th>`)
}

// TestQueueHasAPicture only where payloads waited.
func TestQueueHasAPicture(t *testing.T) {
	const picture = "Payloads that wait"
	suite.Contains(t, pageOf(t, profiled(t, "classify", "rdna4-like")), picture)
	if strings.Contains(pageOf(t, profiled(t, "reduce", "gcn3-r9nano")), picture) {
		t.Error("a picture of a queue that nothing was in")
	}
}

// probe is appended to the page: it reports the browser's layout to the enclosing frame. A figure counts if its picture
// has a size on screen.
const probe = `<script>
window.addEventListener("load", () => {
  const root = document.documentElement;
  const shown = [...document.querySelectorAll("figure")].filter(f => [...f.querySelectorAll("div > svg")].some(s => s.getBoundingClientRect().height > 40 && s.querySelector("path, rect")));
  const small = [...document.querySelectorAll("svg text")].filter(t => { const b = t.getBoundingClientRect(); return b.height > 0 && b.height < 9; });
  const wide = [...document.querySelectorAll("svg text")].filter(t => { const b = t.getBoundingClientRect(); return b.height > 0 && (b.right > root.clientWidth + 1 || b.left < -1); });
  parent.postMessage("probe width=" + root.clientWidth + " overflow=" + (root.scrollWidth - root.clientWidth) + " figures=" + shown.length + "/" +
    document.querySelectorAll("figure").length + " small=" + small.length + " wide=" + wide.length + " errors=" + window.faults + ".", "*");
});
</script>`

// faults counts the errors of the page; it precedes everything else.
const faults = `<script>window.faults = 0; window.addEventListener("error", () => window.faults++, true);</script>`

// frame shows the page in a frame of the given width, as a browser's window can't be as narrow as a phone's, and copies
// the probe's report into the title.
func frame(width string) string {
	return `<!DOCTYPE html><title></title><script>addEventListener("message", e => document.title = e.data)</script>
<iframe src="page.html" style="border:0; width:` + width + `px; height:900px"></iframe>`
}

// whatIfResults are results on machines without a limit: one that saves, one that takes longer, one with an estimate.
func whatIfResults() []tracing.Counterfactual {
	changes := slices.Repeat([]config.Change{{Path: "vector_l1.link_shared_bytes_per_cycle", Value: "0", Was: "64"}}, 12)
	return []tracing.Counterfactual{
		{Name: "latency", Meaning: "the fixed latency of memory behind the L2", Changes: changes, Base: 1000, Cycles: 1200},
		{Name: "vector-misses", Meaning: "all cost of misses of the vector cache", Changes: changes, Base: 1000, Cycles: 400, Advice: "reuse what is there sooner"},
		{Name: "mine", Meaning: "your settings", Settings: []string{"parameters.n=5"}, Base: 1000, Cycles: 1000, Low: 900, High: 1100},
	}
}

// The machine that saves most comes first, with its settings and its advice.
func TestWhatIfComesFirst(t *testing.T) {
	p := profiled(t, "reduce", "gcn3-r9nano")
	p.WhatIf = whatIfResults()
	text := pageOf(t, p)
	at := -1
	for _, want := range []string{"<h2>What if</h2>", ">vector-misses<", "60.0%", ">mine<", "1000 (900 to 1100)", ">latency<", "-20.0%", "vector_l1.link_shared_bytes_per_cycle=0 (64)",
		"reuse what is there sooner", "<h2>What bounds it</h2>", "<h2>Where time goes</h2>"} {
		next := strings.Index(text, want)
		if next <= at {
			t.Errorf("%q is at %d of the page, want it after %d", want, next, at)
		}
		at = next
	}
}

// TestPageInBrowser shows the page at two widths.
func TestPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	p := profiled(t, "classify", "rdna4-like")
	p.WhatIf = whatIfResults()
	text := pageOf(t, p, profiled(t, "peer-atax", "gcn3-r9nano"))
	text = strings.Replace(text, "<head>", "<head>"+faults, 1)
	text = strings.Replace(text, "</body>", probe+"</body>", 1)
	dir := t.TempDir()
	inner := filepath.Join(dir, "page.html")
	suite.OK(t, os.WriteFile(inner, []byte(text), 0o644))
	figures := strings.Count(text, "<figure>")
	for _, width := range []string{"1280", "400"} {
		outer := filepath.Join(dir, "frame"+width+".html")
		suite.OK(t, os.WriteFile(outer, []byte(frame(width)), 0o644))
		dom := browse(t, chromium, outer, dir)
		got := regexp.MustCompile(`<title>probe [^<]*`).FindString(dom)
		want := regexp.MustCompile(`width=` + width + ` overflow=0 figures=(\d+)/(\d+) small=0 wide=0 errors=0\.`).FindStringSubmatch(got)
		if want == nil || want[1] != want[2] || figures < 15 {
			t.Errorf("at %s pixels: %q, of %d figures", width, got, figures)
		}
	}
}

// browse returns the document that the browser has after loading.
func browse(t *testing.T, chromium, file, dir string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom", "file://"+file)
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, log.String())
	}
	return string(out)
}

package report_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/tracing/profile"
	"spvsim/tracing/report"
)

func profiled(t *testing.T, name, machine string) *profile.Profile {
	t.Helper()
	files, file, _, err := experiments.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	job, err := config.LoadJob(files, file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := config.LoadMachine(config.Request{Job: job, Machine: machine})
	if err != nil {
		t.Fatal(err)
	}
	c := profile.NewCollector()
	r, err := gpu.Run(context.Background(), gpu.Setup{Machine: m, Job: job, Tracer: c})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.New(job, c, m, r.Stats, r.Listings)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pageOf(t *testing.T, list ...*profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPageIsSelfContained: nothing is fetched, nothing is run.
func TestPageIsSelfContained(t *testing.T) {
	text := pageOf(t, profiled(t, "reduce", "gcn3-r9nano"))
	for _, unwanted := range []string{"http:", "https:", "src=", "@import", "url(", "<script", "<link", "ZgotmplZ", "NaN", "Inf"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("the page holds %q", unwanted)
		}
	}
	for _, wanted := range []string{"<h1>reduce</h1>", "Slot-cycles by program", "Slot-cycles by compute unit", "Resident waves",
		"Bandwidth of l2", "Roofline", "s_barrier", "prefers-color-scheme: dark"} {
		if !strings.Contains(text, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
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
	if strings.Contains(pageOf(t, p), "<script>") {
		t.Error("a name became a part of the page's markup")
	}
}

// TestSeveralRuns: what differs has columns and is in names, and tables put the runs side by side.
func TestSeveralRuns(t *testing.T) {
	a, b := profiled(t, "reduce", "gcn3-r9nano"), profiled(t, "reduce", "rdna3-rx7900xtx")
	text := pageOf(t, a, b)
	for _, wanted := range []string{"<h1>2 runs</h1>", "<th>clock_mhz</th>", "more settings differ", "reduce on gcn3-r9nano", "reduce on rdna3-rx7900xtx",
		"Differences", "slot-cycles: memory", "cycles by instruction, side by side", "bytes: l2"} {
		if !strings.Contains(text, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(pageOf(t, a), "Differences") {
		t.Error("the page of one run compares, or one of two holds NaN")
	}
}

// TestQueueHasAPicture only where payloads waited.
func TestQueueHasAPicture(t *testing.T) {
	const picture = "Payloads that wait"
	if !strings.Contains(pageOf(t, profiled(t, "classify", "rdna4-like")), picture) {
		t.Error("no picture of the queue of an execution graph")
	}
	if strings.Contains(pageOf(t, profiled(t, "reduce", "gcn3-r9nano")), picture) {
		t.Error("a picture of a queue that nothing was in")
	}
}

// probe is put at the page's end: it says the frame around it what a browser
// makes of the page. A figure counts when its picture is shown with a size.
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

// faults counts the errors of the page; it is before everything else.
const faults = `<script>window.faults = 0; window.addEventListener("error", () => window.faults++, true);</script>`

// frame shows the page in a frame of the given width, as a browser's window
// can't be as narrow as a telephone's, and puts what the probe says into the title.
func frame(width string) string {
	return `<!DOCTYPE html><title></title><script>addEventListener("message", e => document.title = e.data)</script>
<iframe src="page.html" style="border:0; width:` + width + `px; height:900px"></iframe>`
}

// TestInABrowser shows the page at two widths.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	text := pageOf(t, profiled(t, "classify", "rdna4-like"), profiled(t, "peer-atax", "gcn3-r9nano"))
	text = strings.Replace(text, "<head>", "<head>"+faults, 1)
	text = strings.Replace(text, "</body>", probe+"</body>", 1)
	dir := t.TempDir()
	inner := filepath.Join(dir, "page.html")
	if err := os.WriteFile(inner, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	figures := strings.Count(text, "<figure>")
	for _, width := range []string{"1280", "400"} {
		outer := filepath.Join(dir, "frame"+width+".html")
		if err := os.WriteFile(outer, []byte(frame(width)), 0o644); err != nil {
			t.Fatal(err)
		}
		dom := browse(t, chromium, outer, dir)
		got := regexp.MustCompile(`<title>probe [^<]*`).FindString(dom)
		want := regexp.MustCompile(`width=` + width + ` overflow=0 figures=(\d+)/(\d+) small=0 wide=0 errors=0\.`).FindStringSubmatch(got)
		if want == nil || want[1] != want[2] || figures < 15 {
			t.Errorf("at %s pixels: %q, of %d figures", width, got, figures)
		}
	}
}

// browse returns the page as the browser has it after loading.
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

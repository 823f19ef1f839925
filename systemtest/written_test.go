package systemtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/probe"
	"spvsim/tracing"
)

var update = flag.Bool("update", false, "write testdata/written.txt")

// writtenLines are the lines of testdata/written.txt, each a job on a machine that are drawn from its number.
const writtenLines = 324

// What small random jobs of all kinds of work come to on random machines is written down, a line each: cycles, instructions, what each level of memory did,
// and digests of all statistics, buffers and, for some, of all events. A change of the model shows as a difference, whether a law forbids it or not; what is
// right the laws and closed forms of the other tests say. With -update the file is written.
func TestWrittenJobs(t *testing.T) {
	b := newWrittenBench(t)
	suite.Lines(t, "written.txt", *update, writtenLines, b.line)
}

// A writtenBench works out lines.
type writtenBench struct {
	t        testing.TB
	fields   []drawnKey
	presets  []writtenPreset
	ofGraphs []drawnKey // those of schedulers and queues
}

func newWrittenBench(t testing.TB) *writtenBench {
	b := &writtenBench{t: t, presets: writtenPresets(t)}
	for i, n := range numbers() {
		if !strings.HasPrefix(n.path, "energy.") || i%4 == 0 { // there are many of those
			b.fields = append(b.fields, n)
		}
		if strings.HasPrefix(n.path, "scheduler.") || strings.HasPrefix(n.path, "queue.") {
			b.ofGraphs = append(b.ofGraphs, n)
		}
	}
	return b
}

// line is what the job of a number comes to.
func (b *writtenBench) line(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 22))
	kind := &writtenKinds[i%len(writtenKinds)]
	s := gpu.Setup{Job: b.job(kind, r), MaxCycles: 300_000, Threads: 1}
	s.Machine = b.machine(r, s.Job, kind.graphs)
	if r.IntN(8) == 0 {
		s.Mode = config.ModeFunctional
	}
	what := strings.TrimSpace(kind.name+" on "+settings(s.Machine)+" "+s.Mode) + ":"
	if i%3 > 0 {
		return what + " " + outcomeOf(s, nil)
	}
	return what + " " + outcomeOf(s, &eventSum{})
}

// job draws a job of a kind, whose modules are in the kind's folder.
func (b *writtenBench) job(kind *writtenKind, r *rand.Rand) *config.Job {
	b.t.Helper()
	if kind.text == nil {
		p := draw(r.Uint64N(1000))
		return parse(b.t, module(p, r.IntN(2) == 0), maxSize*ownWords+sharedWords)
	}
	text := strings.ReplaceAll(kind.text(r), "shader: ", "shader: "+kind.folder+"/")
	job, err := config.ParseJob(os.DirFS(".."), "job.yaml", []byte(text))
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", kind.name, err, text)
	}
	return job
}

// outcomeOf runs a job and says what it came to, with the sum of its events if there is one.
func outcomeOf(s gpu.Setup, events *eventSum) string {
	if events != nil {
		s.Tracer = events
	}
	r, err := gpu.Run(context.Background(), s)
	if r == nil {
		return "refused: " + err.Error()
	}
	var out strings.Builder
	if err != nil && !errors.Is(err, gpu.ErrExpectation) {
		fmt.Fprintf(&out, "(%v) ", err)
	}
	c := &r.Stats.Counts
	fmt.Fprintf(&out, "%d cycles, %d instructions of %d waves;", c.Cycles, c.Instructions(), c.Waves)
	for _, l := range c.Memory {
		fmt.Fprintf(&out, " %s %d/%d/%d", l.Name, l.Accesses, l.Hits, l.Bytes)
	}
	fmt.Fprintf(&out, "; lds %d/%d; statistics %s", c.LDS.Accesses, c.LDS.Passes, statsDigest(r.Stats))
	var data []byte
	for _, buffer := range r.Buffers {
		data = append(data, buffer.Bytes...)
	}
	fmt.Fprintf(&out, ", buffers %s", suite.Digest(data))
	if said := strings.Join(append(r.Faults, r.Warnings...), "\n"); said != "" {
		fmt.Fprintf(&out, ", faults and warnings %s", suite.Digest([]byte(said)))
	}
	if events != nil {
		fmt.Fprintf(&out, ", %d events %s", events.n, suite.Digest(events.sum.Bytes()))
	}
	return out.String()
}

// statsDigest is of all statistics but the host's. Hosts may round sums of energies otherwise: of numbers that are not whole, nine digits count.
func statsDigest(s *tracing.Stats) string {
	s.Host = tracing.Host{}
	data, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var out bytes.Buffer
	for token, err := in.Token(); err == nil; token, err = in.Token() {
		if n, ok := token.(json.Number); ok && strings.ContainsAny(n.String(), ".e") {
			x, _ := n.Float64()
			token = strconv.FormatFloat(x, 'e', 8, 64)
		}
		fmt.Fprintln(&out, token)
	}
	return suite.Digest(out.Bytes())
}

// An eventSum gathers all events of a run as text.
type eventSum struct {
	probe.Deaf
	n   int
	sum bytes.Buffer
}

func (e *eventSum) event(words ...any) {
	e.n++
	fmt.Fprintln(&e.sum, words...)
}

func (e *eventSum) LaunchBegin(l *probe.Launch)             { e.event("launch", *l) }
func (e *eventSum) LaunchEnd(end uint64)                    { e.event("ended", end) }
func (e *eventSum) WorkgroupBegin(g *probe.Workgroup)       { e.event("workgroup", *g) }
func (e *eventSum) WorkgroupEnd(at uint64, u int, i uint64) { e.event("workgroup ended", at, u, i) }
func (e *eventSum) WaveBegin(w *probe.Wave) {
	e.event("wave", w.Place, w.At, w.Group, w.Workgroup, w.Wave)
}
func (e *eventSum) WaveEnd(at uint64, p probe.Place)       { e.event("wave ended", at, p) }
func (e *eventSum) AccessDone(at uint64, u int, id uint64) { e.event("access done", at, u, id) }
func (e *eventSum) Memory(a *probe.Access)                 { e.event("memory", *a) }
func (e *eventSum) LDS(a *probe.Access)                    { e.event("lds", *a) }
func (e *eventSum) Enqueued(p *probe.PayloadWait)          { e.event("enqueued", *p) }
func (e *eventSum) Picked(p *probe.PayloadWait)            { e.event("picked", *p) }
func (e *eventSum) Issue(i *probe.Issue) {
	e.event("issue", i.Place, i.PC, i.Exec, i.Why, i.From, i.Ready, i.At, i.End, i.Full, i.FullOf)
}

// Sample wants the next one a thousand cycles later.
func (e *eventSum) Sample(s *probe.Sample) (next uint64) {
	e.event("sample", *s)
	return s.At + 1000
}

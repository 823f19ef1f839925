package systemtest

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/ledger"
	"spvsim/internal/suite"
)

var update = flag.Bool("update", false, "write testdata/written.txt")

// writtenLines are the lines of testdata/written.txt, each a job on a machine that are drawn from its number.
const writtenLines = 252

// What small random jobs of all kinds of work come to on random machines is written down, a line each: cycles, instructions, what each level of memory did,
// and digests of all statistics, buffers and, for some, of all events. A change of the model shows as a difference, whether a law forbids it or not; what is
// right the laws and closed forms of the other tests say. With -update the file is written.
func TestWrittenJobs(t *testing.T) {
	machines := suite.Must(ledger.NewMachines())(t)
	b := &writtenBench{t, machines}
	suite.Lines(t, "written.txt", *update, writtenLines, b.line)
}

// A writtenBench works out lines.
type writtenBench struct {
	t        testing.TB
	machines *ledger.Machines
}

// Drawn jobs come to the same with each turn as an event, with units ahead of the engine, and with several threads.
func TestDrawnJobsGoAhead(t *testing.T) {
	machines := suite.Must(ledger.NewMachines())(t)
	b := &writtenBench{t, machines}
	suite.SampleCases(writtenLines, func(i int) {
		if _, s := b.setup(i); s.Mode != config.ModeFunctional {
			if said := ledger.Ahead(s, 2+i%3); said != "" {
				t.Errorf("job %d: %s", i, said)
			}
		}
	})
}

// line is what the job of a number comes to.
func (b *writtenBench) line(i int) string {
	name, s := b.setup(i)
	return name + " on " + ledger.Outcome(s, i%3 == 0)
}

// setup is the job of a number, of the kind of a name.
func (b *writtenBench) setup(i int) (string, gpu.Setup) {
	b.t.Helper()
	r := rand.New(rand.NewPCG(uint64(i), 22))
	kind := &writtenKinds[i%len(writtenKinds)]
	s := gpu.Setup{Job: b.job(kind, r), MaxCycles: 300_000, Threads: 1}
	var err error
	if s.Machine, err = b.machines.Draw(r, s.Job, kind.graphs); err != nil {
		b.t.Fatalf("line %d, %s: %v", i+1, kind.name, err)
	}
	if r.IntN(8) == 0 {
		s.Mode = config.ModeFunctional
	}
	return kind.name, s
}

// job draws a job of a kind, whose modules are in the kind's folder.
func (b *writtenBench) job(kind *writtenKind, r *rand.Rand) *config.Job {
	b.t.Helper()
	if kind.text == nil {
		p := draw(r.Uint64N(1000))
		return parse(b.t, module(p, r.IntN(2) == 0), maxSize*ownWords+sharedWords)
	}
	text := strings.ReplaceAll(kind.text(r), "shader: ", "shader: "+kind.folder+"/")
	job, err := config.ParseJob(os.DirFS("../.."), "job.yaml", []byte(text))
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", kind.name, err, text)
	}
	return job
}

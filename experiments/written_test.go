package experiments

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/ledger"
	"spvsim/internal/suite"
)

// writtenGraphs are the lines of testdata/graphs.txt.
const writtenGraphs = 80

// The results of random graphs under each scheduler, on random machines, are recorded like those of jobs in internal/systemtest:
// with plenty of scratch memory, with the least that they need or with a part more. With -update the file is rewritten.
func TestWrittenGraphs(t *testing.T) {
	machines := suite.Must(ledger.NewMachines())(t)
	suite.Lines(t, "graphs.txt", *update, writtenGraphs, func(i int) string {
		seed, nodes, s := writtenGraph(t, machines, i)
		return fmt.Sprintf("%d nodes of seed %d on %s", nodes, seed, ledger.Outcome(s, i%4 == 0))
	})
}

// Random graphs give the same results with each turn as an event, with units ahead of the engine, and with several
// threads.
func TestRandomGraphsLookahead(t *testing.T) {
	machines := suite.Must(ledger.NewMachines())(t)
	suite.SampleCases(writtenGraphs, func(i int) {
		if seed, _, s := writtenGraph(t, machines, i); s.Mode != config.ModeFunctional {
			if said := ledger.Ahead(s, 2+i%3); said != "" {
				t.Errorf("graph of seed %d: %s", seed, said)
			}
		}
	})
}

// writtenGraph is the random graph of a number, with the machine that it runs on.
func writtenGraph(t *testing.T, machines *ledger.Machines, i int) (seed uint64, nodes int, s gpu.Setup) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(i), 23))
	g, seed := drawGraph(t, uint64(1000*i))
	files := fstest.MapFS{"graph.spvasm": {Data: []byte(g.text)}}
	text := g.job
	if i%3 > 0 {
		least, _, err := g.scratch()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text += fmt.Sprintf("scratch_bytes: %d\n", least+uint64(i%5)*least/4)
	}
	job, err := config.ParseJob(files, "job.yaml", []byte(text))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	m, err := machines.Draw(r, job, true)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return seed, len(g.nodes), gpu.Setup{Machine: m, Job: job, MaxCycles: 1e6, Threads: 1}
}

// drawGraph is the first graph from a seed on that is not too large.
func drawGraph(t *testing.T, seed uint64) (*randomGraph, uint64) {
	t.Helper()
	for {
		g, err := newRandomGraph(seed)
		if err == nil {
			return g, seed
		}
		if !errors.Is(err, errTooLarge) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		seed++
	}
}

package experiments

import (
	"fmt"
	"path"
	"testing"

	"spvsim/config"
	"spvsim/internal/suite"
)

// The jobs that only figures use meet their expectations on every way of running them: graphs under every scheduler, waves of
// both sizes with both lowerings.
func TestFigureJobsMeetTheirExpectations(t *testing.T) {
	var graphs, lanes [][]string
	for _, kind := range []string{"hardware", "firmware", "multipass", "generated", "persistent"} {
		for _, placement := range []string{"central", "engine"} {
			graphs = append(graphs, []string{"scheduler.kind=" + kind, "queue.placement=" + placement})
		}
	}
	var besides [][]string // schedulers whose workers do not hold the machine
	for _, kind := range besideKinds {
		besides = append(besides, []string{"scheduler.kind=" + kind})
	}
	for _, lowering := range []string{"dpp", "lds"} {
		lanes = append(lanes, []string{"timing.lowering=" + lowering})
	}
	// An eighth of the payloads of the file: still four for each lane of the six producing workgroups.
	fewer := []string{"total=49152"}
	for _, c := range []struct {
		job        string
		parameters []string
		sets       [][]string
	}{
		{"enqueue", nil, graphs}, {"enqueue-coalesced", nil, graphs}, {"enqueue-engines", fewer, graphs},
		{"graphs-beside", nil, besides}, {"graphs-after", nil, besides[:1]},
		{"crosslane", nil, lanes}, {"lds-stride-access", nil, [][]string{nil}},
	} {
		files := suite.Must(FigureFiles())(t)
		for i, set := range c.sets {
			if testing.Short() && i%3 != len(c.job)%3 && len(c.sets) > 3 {
				continue
			}
			t.Run(fmt.Sprint(c.job, set), func(t *testing.T) {
				skipUnderRace(t, c.job)
				job := suite.Must(config.LoadJobWith(files, path.Join("jobs", c.job+".yaml"), c.parameters))(t)
				if len(job.Expect) == 0 {
					t.Error("the job expects nothing")
				}
				execute(t, job, "", set...)
			})
		}
	}
}

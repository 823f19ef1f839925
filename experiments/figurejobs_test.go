package experiments

import (
	"fmt"
	"path"
	"testing"

	"spvsim/config"
)

// The jobs that only figures use meet their expectations on every way of running them: graphs under every scheduler, waves of
// both sizes with both lowerings.
func TestFigureJobsMeetTheirExpectations(t *testing.T) {
	var graphs, lanes [][]string
	for _, kind := range []string{"hardware", "firmware", "multipass", "persistent"} {
		for _, placement := range []string{"central", "engine"} {
			graphs = append(graphs, []string{"scheduler.kind=" + kind, "queue.placement=" + placement})
		}
	}
	for _, lowering := range []string{"dpp", "lds"} {
		lanes = append(lanes, []string{"timing.lowering=" + lowering})
	}
	for _, c := range []struct {
		job  string
		sets [][]string
	}{
		{"enqueue", graphs}, {"enqueue-coalesced", graphs}, {"enqueue-engines", graphs},
		{"crosslane", lanes}, {"lds-stride-access", [][]string{nil}},
	} {
		files, err := FigureFiles()
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range c.sets {
			t.Run(fmt.Sprint(c.job, set), func(t *testing.T) {
				skipUnderRace(t, c.job)
				job, err := config.LoadJob(files, path.Join("jobs", c.job+".yaml"))
				if err != nil {
					t.Fatal(err)
				}
				if len(job.Expect) == 0 {
					t.Error("the job expects nothing")
				}
				execute(t, job, "", set...)
			})
		}
	}
}

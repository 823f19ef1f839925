package launch

import (
	"encoding/json"
	"time"

	"spvsim/internal/files"
)

// Progress is the driver's report of a program's progress.
type Progress struct {
	Dispatches      uint64 `json:"dispatches"` // and transfers that have ended
	EndedWorkgroups uint64 `json:"ended"`      // workgroups of the dispatch that runs
	Total           uint64 `json:"total"`
	Instructions    uint64 `json:"instructions"` // so far
	Cycle           uint64 `json:"cycle"`
	Nanoseconds     uint64 `json:"nanoseconds"` // simulated
}

// progressInterval is the interval between readings of the driver's file.
const progressInterval = 100 * time.Millisecond

// watchProgress reads the driver's word now and then, until stop is called.
func (p *Program) watchProgress(path string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(progressInterval)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				var now Progress
				if text, err := files.Read(path, files.MaxList); err == nil && json.Unmarshal(text, &now) == nil {
					p.Progress(now)
				}
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

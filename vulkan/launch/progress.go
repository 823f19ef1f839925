package launch

import (
	"encoding/json"
	"time"

	"spvsim/internal/files"
)

// Progress is the driver's report of a program's progress.
type Progress struct {
	Dispatches   uint64 `json:"dispatches"` // and transfers that have ended
	Ended        uint64 `json:"ended"`      // workgroups of the dispatch that runs
	Total        uint64 `json:"total"`
	Instructions uint64 `json:"instructions"` // so far
	Cycle        uint64 `json:"cycle"`
	Nanoseconds  uint64 `json:"nanoseconds"` // simulated
}

// look is the interval between readings of the driver's file.
const look = 100 * time.Millisecond

// watch reads the driver's word now and then, until stop is called.
func (p *Program) watch(path string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(look)
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

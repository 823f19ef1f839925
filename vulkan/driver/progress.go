package driver

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"spvsim/gpu"
)

// A progress writes the progress of a program's work to the file SPVSIM_PROGRESS, for display while the program runs.
type progress struct {
	file *os.File
	next time.Time
	Progress
}

// Progress is the content of the file, as JSON on one line, padded with blanks.
type Progress struct {
	Dispatches      uint64 `json:"dispatches"` // and transfers that have ended
	EndedWorkgroups uint64 `json:"ended"`      // workgroups of the dispatch that runs
	Total           uint64 `json:"total"`
	Instructions    uint64 `json:"instructions"` // so far
	Cycle           uint64 `json:"cycle"`
	Nanoseconds     uint64 `json:"nanoseconds"` // simulated
}

// progressEvery is the interval between writes.
const progressEvery = 200 * time.Millisecond

func newProgress() *progress {
	path := os.Getenv("SPVSIM_PROGRESS")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		fmt.Fprintf(os.Stderr, "spvsim: SPVSIM_PROGRESS: %v: no progress is written\n", err)
		return nil
	}
	return &progress{file: f}
}

// callback returns a callback for the progress of a dispatch; nil if no file is attached.
func (p *progress) callback() func(gpu.Progress) {
	if p == nil {
		return nil
	}
	return func(g gpu.Progress) {
		p.EndedWorkgroups, p.Total, p.Instructions, p.Cycle, p.Nanoseconds = g.Ended, g.Total, g.Instructions, g.Cycle, g.Nanoseconds
		p.write()
	}
}

// dispatchEnded counts a dispatch or transfer.
func (p *progress) dispatchEnded() {
	if p == nil {
		return
	}
	p.Dispatches++
	p.EndedWorkgroups, p.Total = 0, 0
	p.write()
}

// write writes the file, if it is due. A single write call lets a reader see one state.
func (p *progress) write() {
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	text, err := json.Marshal(&p.Progress)
	if err == nil {
		_, err = p.file.WriteAt(fmt.Appendf(nil, "%-255s\n", text), 0)
	}
	if err != nil {
		p.next = now.Add(time.Hour) // progress is only informative: ignore the error, and retry much later
	}
}

package main

import (
	"fmt"
	"io"
	"time"

	"spvsim/gpu"
	"spvsim/probe"
)

// How long a run is silent, and how often its progress line changes.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// progressLine returns a function that keeps one line of a terminal up to date.
func progressLine(w io.Writer) func(gpu.Progress) {
	begin := time.Now()
	next := begin.Add(progressAfter)
	return func(p gpu.Progress) {
		now := time.Now()
		if now.Before(next) {
			return
		}
		next = now.Add(progressEvery)
		clearLine(w)
		fmt.Fprint(w, progressText(p, now.Sub(begin)))
	}
}

func progressText(p gpu.Progress, took time.Duration) string {
	text := fmt.Sprintf("%d of %d workgroups, %d cycles, %.0f s", p.Ended, p.Total, p.Cycle, took.Seconds())
	if p.Launches > 1 {
		text = fmt.Sprintf("launch %d of %d, %s", p.Launch, p.Launches, text)
	}
	if p.Rounds > 1 {
		text = fmt.Sprintf("round %d of %d, %s", p.Round, p.Rounds, text)
	}
	return text
}

// clearLine empties the terminal's line (ECMA-48: return, erase to the end).
func clearLine(w io.Writer) { fmt.Fprint(asIs(w), "\r\x1b[K") }

// printer shows what shaders print.
type printer struct{ w io.Writer }

// Printed writes the text with the place that it comes from.
func (p printer) Printed(x probe.Print) {
	fmt.Fprintf(p.w, "cycle %d, workgroup %d,%d,%d, wave %d, lane %d: %s\n", x.Cycle, x.Workgroup[0], x.Workgroup[1], x.Workgroup[2], x.Wave, x.Lane, x.Text)
}

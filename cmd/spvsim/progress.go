package main

import (
	"fmt"
	"io"
	"time"

	"spvsim/gpu"
	"spvsim/tracing/probe"
)

// How long a run is silent, and how often its progress line changes.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// progressLine returns a function that keeps one line of a terminal up to date, with the text of how far the work is.
func progressLine[P any](w io.Writer, text func(p P, took time.Duration) string) func(P) {
	begin := time.Now()
	next := begin.Add(progressAfter)
	return func(p P) {
		now := time.Now()
		if now.Before(next) {
			return
		}
		next = now.Add(progressEvery)
		clearLine(w)
		fmt.Fprint(w, text(p, now.Sub(begin)))
	}
}

func progressText(p gpu.Progress, took time.Duration) string {
	text := fmt.Sprintf("%d of %d workgroups, %s instructions, %d cycles, %.3f ms simulated, %.0f s",
		p.Ended, p.Total, shortNumber(p.Instructions), p.Cycle, float64(p.Nanoseconds)/1e6, took.Seconds())
	if p.Launches > 1 {
		text = fmt.Sprintf("launch %d of %d, %s", p.Launch, p.Launches, text)
	}
	if p.Rounds > 1 {
		text = fmt.Sprintf("round %d of %d, %s", p.Round, p.Rounds, text)
	}
	if share := shareDone(p); share > 0 {
		text += fmt.Sprintf("; %.0f%% done, about %s left", 100*share, remainingTime(took, share))
	}
	return text
}

// shareDone estimates the completed share of a run: launches count alike, and the current one by its workgroups. The
// number of a graph's workgroups is unknown before its end, so its share may fall.
func shareDone(p gpu.Progress) float64 {
	share := 0.0
	if p.Total > 0 {
		share = float64(p.Ended) / float64(p.Total)
	}
	launches, rounds := float64(max(p.Launches, 1)), float64(max(p.Rounds, 1))
	return (float64(max(p.Round, 1)-1) + (float64(max(p.Launch, 1)-1)+share)/launches) / rounds
}

// remainingTime estimates the remaining time of a run at its present rate.
func remainingTime(took time.Duration, share float64) string {
	seconds := took.Seconds() * (1 - share) / share
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// shortNumber writes a number in three to five digits, with k for thousands, M for millions, G for milliards.
func shortNumber(n uint64) string {
	for _, u := range []struct {
		size uint64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= 10*u.size {
			return fmt.Sprintf("%.1f%s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprint(n)
}

// clearLine empties the terminal's line (ECMA-48: return, erase to the end).
func clearLine(w io.Writer) { fmt.Fprint(asIs(w), "\r\x1b[K") }

// printer shows the output of shaders.
type printer struct{ w io.Writer }

// Printed writes the text with its origin.
func (p printer) Printed(x probe.Print) {
	fmt.Fprintln(p.w, x)
}

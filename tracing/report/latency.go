package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"

	"spvsim/tracing/profile"
)

// A latencyRow is the distribution of the times of a level's accesses, as text.
type latencyRow struct{ Class, Level, Accesses, Mean, P50, P95, Max string }

// latencyName names the level of a distribution.
func latencyName(l *profile.Latency) string { return cmp.Or(l.Level, "none") }

func latencyRows(of []profile.Latency) (list []latencyRow) {
	for i := range of {
		l := &of[i]
		list = append(list, latencyRow{latencyClass(i), latencyName(l), grouped(l.Accesses), shortNumber(l.Mean), grouped(l.P50), grouped(l.P95), grouped(l.Max)})
	}
	return list
}

// latencyClass is the colour of a distribution.
func latencyClass(i int) string { return className("r", i%10) }

// latencyFigure draws distributions of things on top of each other; nil: there are none.
func latencyFigure(title, text, things string, list []profile.Latency) *figure {
	if len(list) == 0 {
		return nil
	}
	var keys []key
	for i := range list {
		keys = append(keys, key{Class: latencyClass(i), Name: latencyName(&list[i])})
	}
	f := draw(title, text+" Bins are wider the longer the time, four for each power of two.", keys, func(width float64) template.HTML { return drawLatencies(width, things, list) })
	return &f
}

// accessLatencies is the figure of the times of accesses.
func accessLatencies(p *profile.Profile) *figure {
	return latencyFigure("Latency of accesses", "Cycles from the issue of an access until its result is there, or a store is acknowledged, by the farthest level that it reached.", "accesses", p.Latencies)
}

// workgroupLifetimes is the figure of the times for which workgroups were resident.
func workgroupLifetimes(p *profile.Profile) *figure {
	return latencyFigure("Lifetimes of workgroups", "Cycles from the placement of a workgroup until its last wave has ended, by program.", "workgroups", p.Lifetimes)
}

// latencyEdges are the bins from the shortest time to the longest, empty ones too.
func latencyEdges(list []profile.Latency) (edges []profile.LatencyBin) {
	first, last := uint64(math.MaxUint64), uint64(0)
	for i := range list {
		for _, b := range list[i].Bins {
			first, last = min(first, b.From), max(last, b.From)
		}
	}
	for at := first; at <= last; {
		from, to := profile.BinOfLatency(at)
		edges = append(edges, profile.LatencyBin{From: from, To: to})
		if at = to; to < from { // the last one of all
			break
		}
	}
	return edges
}

func drawLatencies(width float64, things string, list []profile.Latency) template.HTML {
	edges := latencyEdges(list)
	counts := make([][]uint64, len(list))
	most := uint64(0)
	for k, e := range edges {
		sum := uint64(0)
		for i := range list {
			counts[i] = append(counts[i], 0)
			for _, b := range list[i].Bins {
				if b.From == e.From {
					counts[i][k] = b.Accesses
				}
			}
			sum += counts[i][k]
		}
		most = max(most, sum)
	}
	pl := newPlot(width, 200, "times of "+things)
	marks := ticks(float64(most), 4)
	top := marks[len(marks)-1]
	for _, t := range marks {
		pl.line(pl.left, pl.y(t/top), pl.right, pl.y(t/top), "grid")
		pl.text(pl.left-6, pl.y(t/top)+4, end, "tick", shortNumber(t))
	}
	pl.text(pl.left, pl.top-2, start, "name", things)
	step := (pl.right - pl.left) / float64(max(len(edges), 1))
	every := int(60/step) + 1 // bins of a tick, so that numbers stay apart
	for k, e := range edges {
		x, y := pl.left+float64(k)*step, 0.0
		for i := range list {
			share := float64(counts[i][k]) / top
			if counts[i][k] > 0 {
				pl.rect(x, pl.y(y+share), step-min(step*0.1, 2), pl.y(y)-pl.y(y+share), latencyClass(i),
					fmt.Sprintf("%s: %s %s of %d to %d cycles", latencyName(&list[i]), grouped(counts[i][k]), things, e.From, e.To-1))
			}
			y += share
		}
		if k%every == 0 {
			pl.text(x, pl.bottom+16, start, "tick", shortNumber(float64(e.From)))
		}
	}
	if n := len(edges); n > 0 && float64((n-1)%every+1)*step >= 90 { // where the last bin ends, if the last tick leaves space
		pl.text(pl.right, pl.bottom+16, end, "tick", shortNumber(float64(edges[n-1].To)))
	}
	pl.line(pl.left, pl.bottom, pl.right, pl.bottom, "axis")
	pl.text(pl.right, pl.height-3, end, "name", "cycles")
	return pl.done()
}

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"spvsim/account"
	"spvsim/tracing/profile"
)

// A launchTable shows the concurrent launches: a picture by queue, and a row each.
type launchTable struct {
	Picture figure
	Levels  []string // memory levels with the launches' traffic
	Rows    []launchRow
	More    string // number of launches without a row; empty: none
}

// A launchRow is a launch as text.
type launchRow struct {
	Queue, Name, Workgroups, Packet, Ready, FirstPlaced, End, Waited, Busy string
	Traffic                                                                []string // read and written at each level, and the share of hits
	Waits                                                                  string   // most of its slot cycles by reason
}

// mostRows bounds the rows of the table.
const mostRows = 500

// launches returns the table of a profile; nil: no launches were concurrent.
func launches(p *profile.Profile) *launchTable {
	if len(p.Launches) == 0 || p.Cycles == 0 {
		return nil
	}
	t := &launchTable{Levels: trafficLevels(p)}
	for i := range p.Launches[:min(len(p.Launches), mostRows)] {
		l := &p.Launches[i]
		t.Rows = append(t.Rows, launchRow{l.Queue, l.Name, grouped(l.Workgroups), grouped(l.Packet), grouped(l.Ready), grouped(l.FirstPlaced), grouped(l.End),
			grouped(l.FirstPlaced - l.Packet), grouped(l.Busy), movedBytes(l, t.Levels), mostWaits(l.Waits)})
	}
	if more := len(p.Launches) - len(t.Rows) + p.LaunchesLeft; more > 0 {
		t.More = fmt.Sprintf("%s more launches are not listed.", grouped(uint64(more)))
	}
	lanes, left := lanesOf(p)
	text := "A line for each queue, and another where its launches overlap: thin from when a launch's packet was the first of its queue, thick from its first workgroup to its end."
	if left > 0 {
		text += fmt.Sprintf(" %s launches that overlap with more are left out.", grouped(uint64(left)))
	}
	t.Picture = draw("Launches of queues", text, nil, func(width float64) template.HTML { return timeline(width, p, lanes) })
	return t
}

// trafficLevels returns the memory levels with traffic by launch.
func trafficLevels(p *profile.Profile) (names []string) {
	for i := range p.Launches {
		for _, m := range p.Launches[i].Memory {
			if !slices.Contains(names, m.Level) {
				names = append(names, m.Level)
			}
		}
	}
	return names
}

// movedBytes returns the bytes that a launch read and wrote at each of some levels.
func movedBytes(l *profile.LaunchProfile, levels []string) (list []string) {
	for _, name := range levels {
		i := slices.IndexFunc(l.Memory, func(m account.LaunchTraffic) bool { return m.Level == name })
		if i < 0 {
			list = append(list, "")
			continue
		}
		m := &l.Memory[i]
		text := grouped(m.Read) + " / " + grouped(m.Written)
		if m.Hits > 0 {
			text += ", " + percent(float64(m.Hits), float64(m.Accesses))
		}
		list = append(list, text)
	}
	return list
}

// mostWaits names the reasons with most slot cycles.
func mostWaits(list []account.LaunchWait) string {
	sum := uint64(0)
	for _, w := range list {
		sum += w.SlotCycles
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b account.LaunchWait) int { return cmp.Compare(b.SlotCycles, a.SlotCycles) })
	var texts []string
	for _, w := range list[:min(len(list), 3)] {
		texts = append(texts, w.Reason+" "+percent(float64(w.SlotCycles), float64(sum)))
	}
	return strings.Join(texts, ", ")
}

// A lane is a list of launches of one queue that do not overlap.
type lane struct {
	queue string
	list  []*profile.LaunchProfile
}

// mostLanes bounds the lanes of a picture.
const mostLanes = 32

// lanesOf distributes launches over lanes, those of a queue next to each other; left counts the launches beyond the
// last lane.
func lanesOf(p *profile.Profile) (lanes []lane, left int) {
	var queues []string
	of := map[string][]*profile.LaunchProfile{}
	for i := range p.Launches {
		l := &p.Launches[i]
		if of[l.Queue] == nil {
			queues = append(queues, l.Queue)
		}
		of[l.Queue] = append(of[l.Queue], l)
	}
	for i, q := range queues {
		most := max((mostLanes-len(lanes))/(len(queues)-i), 1)
		own, more := lanesOfQueue(q, of[q], most)
		lanes, left = append(lanes, own...), left+more
	}
	return lanes, left
}

func lanesOfQueue(queue string, list []*profile.LaunchProfile, most int) (lanes []lane, left int) {
	slices.SortStableFunc(list, func(a, b *profile.LaunchProfile) int { return cmp.Compare(a.FirstPlaced, b.FirstPlaced) })
	for _, l := range list {
		i := slices.IndexFunc(lanes, func(x lane) bool { return x.list[len(x.list)-1].End <= l.FirstPlaced })
		switch {
		case i >= 0:
			lanes[i].list = append(lanes[i].list, l)
		case len(lanes) < most:
			lanes = append(lanes, lane{queue, []*profile.LaunchProfile{l}})
		default:
			left++
		}
	}
	return lanes, left
}

// timeline draws lanes over time.
func timeline(width float64, p *profile.Profile, lanes []lane) template.HTML {
	const height, gap = 14.0, 4.0
	pl := newPlot(width, float64(len(lanes))*(height+gap)+56, "launches of queues over time")
	pl.left = 90
	pl.xAxis(float64(p.Cycles), "cycle")
	colours := map[string]int{}
	for i, x := range lanes {
		y := pl.top + 6 + float64(i)*(height+gap)
		if i == 0 || lanes[i-1].queue != x.queue {
			pl.text(pl.left-6, y+11, end, "tick", shortened(x.queue, 12))
		}
		for _, l := range x.list {
			c, known := colours[l.Name]
			if !known {
				c = len(colours) % mostColours
				colours[l.Name] = c
			}
			at := func(cycle uint64) float64 { return pl.x(float64(cycle) / float64(p.Cycles)) }
			pl.line(at(l.Packet), y+height/2, at(l.FirstPlaced), y+height/2, "axis")
			pl.rect(at(l.FirstPlaced), y, max(at(l.End)-at(l.FirstPlaced), 1), height, className("l", c)+" cell",
				fmt.Sprintf("%s: %s cycles from its first workgroup, %s after its packet", l.Name, grouped(l.Busy), grouped(l.FirstPlaced-l.Packet)))
		}
	}
	return pl.done()
}

// mostColours is the number of colour classes of levels, which launches share by name.
const mostColours = 6

package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/internal/suite"
	"spvsim/tracing/profile"
)

// Concurrent launches have a row each on the page, and a bar each in lanes by queue; a page without them has no
// section.
func TestLaunchesOnThePage(t *testing.T) {
	p := profiled(t, "reduce", "rdna3-rx7900xtx")
	if strings.Contains(pageOf(t, p), "Launches beside each other") {
		t.Error("launches beside each other, of a job that has none")
	}
	for i := range 600 {
		begin := p.Cycles / 1000 * uint64(i)
		p.Launches = append(p.Launches, profile.LaunchProfile{Step: "queues", Queue: fmt.Sprint("q", i%2), Name: fmt.Sprint("step", i), Workgroups: 7,
			Packet: begin, Ready: begin, FirstPlaced: begin, End: begin + p.Cycles/300, Busy: p.Cycles / 300,
			Memory: []account.LaunchTraffic{{Level: "l2", Read: 1234567, Written: 640}}})
	}
	p.Launches[1].Memory = nil // a copy
	p.LaunchesLeft = 5
	text := pageOf(t, p)
	_, section, _ := strings.Cut(text, "Launches beside each other")
	section, _, _ = strings.Cut(section, "</section>")
	if n := strings.Count(section, "<tr>"); n != 1+500 {
		t.Errorf("%d rows, want the names of columns and 500", n)
	}
	if n := strings.Count(section, "<td>1\u202f234\u202f567 / 640</td>"); n != 499 || !strings.Contains(section, ">l2</th>") {
		t.Errorf("%d rows have what their launches moved, want 499", n)
	}
	suite.Contains(t, section, "105 more launches are not listed")
	wide, _, _ := strings.Cut(section, `class="narrow"`)
	bars := regexp.MustCompile(`<rect [^>]*y="([0-9.]+)"[^>]*><title>step`).FindAllStringSubmatch(wide, -1)
	lanes := map[string]bool{}
	for _, b := range bars {
		lanes[b[1]] = true
	}
	// A launch overlaps with the next three; two of those are of the other queue.
	if len(bars) != 600 || len(lanes) != 4 {
		t.Errorf("%d bars in %d lanes, want 600 in 4", len(bars), len(lanes))
	}
}

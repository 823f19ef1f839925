package report

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"spvsim/account"
	"spvsim/internal/suite"
	"spvsim/tracing/profile"
)

// A map's image has a pixel for each cell: transparent for none, opaque for the largest, in between in order.
func TestCellsOfMaps(t *testing.T) {
	h := heatMap{label: "a", rows: [][]float64{{0, 1, 2}, {4, 3, 0}}, top: 4, rowTicks: func(int) string { return "row" }, cycles: 300, columnName: "cycle"}
	text := string(h.draw(500))
	found := regexp.MustCompile(`base64,([^"]+)"`).FindStringSubmatch(text)
	if found == nil {
		t.Fatal(text)
	}
	data := suite.Must(base64.StdEncoding.DecodeString(found[1]))(t)
	m := suite.Must(png.Decode(bytes.NewReader(data)))(t)
	alpha := func(x, y int) uint32 { _, _, _, a := m.At(x, y).RGBA(); return a >> 8 }
	if m.Bounds().Dx() != 3 || m.Bounds().Dy() != 2 || alpha(0, 0) != 0 || alpha(2, 1) != 0 || alpha(0, 1) != 255 {
		t.Errorf("%v: %d %d %d", m.Bounds(), alpha(0, 0), alpha(2, 1), alpha(0, 1))
	}
	if !(alpha(1, 0) > 0 && alpha(1, 0) < alpha(2, 0) && alpha(2, 0) < alpha(1, 1) && alpha(1, 1) < alpha(0, 1)) {
		t.Errorf("%d, %d, %d, %d", alpha(1, 0), alpha(2, 0), alpha(1, 1), alpha(0, 1))
	}
}

// parts are parts with these bytes.
func parts(bytes ...uint64) (list []account.PartCounts) {
	for _, n := range bytes {
		list = append(list, account.PartCounts{Accesses: 1, Bytes: n})
	}
	return list
}

// Parts of one level that are uneven have a balance; older profiles, without counts of parts, have no maps.
func TestMapsOfProfiles(t *testing.T) {
	p := &profile.Profile{Cycles: 200, Units: 1, Engines: 1, Maps: &profile.Maps{BinCycles: 100,
		Units:    []profile.UnitCounts{{Waves: 1, Busy: []uint64{100, 50}, Issued: []uint64{10, 0}}},
		Levels:   []profile.LevelParts{{Name: "memory", Parts: parts(100, 300), Over: [][]uint64{{100, 0}, {0, 300}}}, {Name: "l2", Parts: parts(5), Over: [][]uint64{{5}}}},
		Programs: []profile.ProgramMap{{Name: "main", Joined: 1, Issues: [][]uint64{{3, 4}}}, {Name: "idle", Joined: 1, Issues: [][]uint64{{0, 0}}}},
	}}
	var titles []string
	for _, f := range mapFigures(p) {
		titles = append(titles, f.Title+": "+f.Text)
	}
	got := strings.Join(titles, "\n")
	for _, want := range []string{"Balance of memory: Bytes of each channel. The busiest moved 1.5 times the mean.", "Bytes of memory by channel and time: Bytes a cycle; the strongest cell has 3.", "Instructions of main over time", "the strongest cell has 1."} {
		suite.Contains(t, got, want)
	}
	if strings.Contains(got, "of l2") || strings.Contains(got, "of idle") {
		t.Errorf("maps of one part, or of nothing:\n%s", got)
	}
	if p.Maps = nil; mapFigures(p) != nil {
		t.Error("maps of a profile without counts of parts")
	}
}

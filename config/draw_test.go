package config

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
)

const drawJob = `
shader: s.spv
parameters: {n: 2}
buffers:
  - {unbound: true, name: color, image: {format: Rgba8, width: 8, height: 8, mips: auto}}
  - {unbound: true, name: plain, data: {zero: 4}}
draw:
  width: 4 * n
  front: clockwise
  depth: less
  positions: {type: f32, values: [0, 0, 0, 1, 8, 0, 0, 1, 0, 8, 0, 1]}
  indices: {values: [0, 2, 1]}
  attributes: [{location: 3, components: 1, integer: true, data: {values: [7, 8, 9]}}]
  copies: {x: n, dx: 1.5}
  color: [{location: 1, buffer: color, clear: [0.5, 1]}]
`

func parseDraw(text string) (*Job, error) {
	return ParseJob(fstest.MapFS{}, "job.yaml", []byte(text))
}

func TestDraw(t *testing.T) {
	j := suite.Must(parseDraw(drawJob))(t)
	launches := suite.Must(j.Launches())(t)
	want := &DrawCall{
		Width: 8, Positions: []float32{0, 0, 0, 1, 8, 0, 0, 1, 0, 8, 0, 1}, Indices: []uint32{0, 2, 1},
		Attributes: []DrawAttribute{{3, 1, true, []uint32{7, 8, 9}}}, CopiesX: 2, CopiesY: 1, DX: 1.5,
		ClockwiseFront: true, Depth: true, Color: []DrawColor{{1, 0, "color", []float64{0.5, 1}}},
	}
	if d := cmp.Diff(want, launches[0].Draw); d != "" {
		t.Error(d)
	}
	// 8 x 8, 4 x 4, 2 x 2 and 1 x 1 texels.
	if b, err := j.Buffers[0].Bytes(); len(b) != 4*(64+16+4+1) || err != nil {
		t.Errorf("%d bytes of an image with levels, %v", len(b), err)
	}
}

func TestDrawErrors(t *testing.T) {
	for _, c := range []struct {
		from, to, want string
		kind           error
	}{
		{"buffer: color", "buffer: plain", `draw.color[0].buffer: found "plain", which is not an image`, ErrReference},
		{"buffer: color", "buffer: colour", "nearest: color", ErrReference},
		{"0, 8, 0, 1]", "0, 8, 0]", "want four for each vertex", ErrExpr},
		{"[0, 2, 1]", "[0, 2, 3]", "indices: found 3: want less than 3", ErrExpr},
		{"[0, 2, 1]", "[0, 2]", "want a multiple of 3", ErrExpr},
		{"[7, 8, 9]", "[7, 8]", "2 numbers: want 3, 1 for each vertex", ErrExpr},
		{"depth: less", "depth: greater", "draw.depth", ErrRange},
		{"draw:", "dispatch: [1]\ndraw:", "want one of draw, dispatch and steps", ErrRange},
		{"x: n,", "x: 4000000, y: 4,", "more than 4194304 triangles", ErrExpr},
		{"mips: auto", "levels: 2", "found levels of an image without mips", ErrRange},
		{"positions:", "position:", "nearest", nil},
	} {
		_, err := parseDraw(strings.Replace(drawJob, c.from, c.to, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, c.want)
		}
	}
}

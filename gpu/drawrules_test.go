package gpu

import (
	"context"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

// A draw has what its shader writes and reads, and attachments that go together; what it is refused for is the one thing that is wrong.
func TestDrawsThatCanNotBe(t *testing.T) {
	buffers, color := images("Rgba32f", "Rgba32f")
	good := "shader: derive.spv\nbuffers:\n" + buffers + `draw:
  positions: {type: f32, values: [0.5, 0.5, 0, 1, 16.5, 0.5, 0, 1, 0.5, 16.5, 0, 1]}
  attributes: [{location: 0, components: 2, data: {type: f32, values: [1, 2, 5, 10, 3, -6]}}]
  width: 16
  height: 16
  color:
` + color
	run := func(text string) error {
		_, err := Run(context.Background(), drawSetup(t, text, "rdna3-rx7900xtx"))
		return err
	}
	suite.OK(t, run(good))
	const samples = "height: 16, samples: "
	for _, c := range []struct {
		from, to string
		times    int
		want     string
	}{
		{"location: 1", "location: 2", 1, "draw.color: missing: want an attachment at location 1, which the shader writes"},
		{"location: 0, components", "location: 5, components", 1, "want values for the shader's input at location 0"},
		{"components: 2, data: {type: f32", "components: 2, integer: true, data: {type: i32", 1, "location 0: found integer: true: want false"},
		{"height: 16}", samples + "4}", 1, "another attachment"},
		{"height: 16}", samples + "16}", 2, "found 16 samples: want 1, 2, 4 or 8"},
		{"height: 16}", samples + "4}", 2, ""},
		{"width: 16\n", "width: 17\n", 1, "found an image of 16 x 16 texels: want at least the viewport, 17 x 16"},
		{"height: 16\n", "height: 17\n", 1, "found an image of 16 x 16 texels: want at least the viewport, 16 x 17"},
		{"  width: 16\n  height: 16\n", "", 1, ""},
		{"location: 0, components: 2, data: {type: f32, values: [1, 2, 5, 10, 3, -6]", "location: 0, components: 1, data: {type: f32, values: [1, 2, 5]", 1, ""},
	} {
		text := strings.Replace(good, c.from, c.to, c.times)
		if err := run(text); (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, c.want)
		}
	}
	if err := run("shader: derive.spv\nbuffers:\n" + buffers + "dispatch: [1]\n"); err == nil || !strings.Contains(err.Error(), errNoDraw.Error()) {
		t.Errorf("a dispatch of a fragment shader: %v", err)
	}
}

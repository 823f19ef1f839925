package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spvsim/internal/suite"
	"spvsim/vulkan/device"
)

// onDevice skips where there is no software device.
func onDevice(t *testing.T) {
	t.Helper()
	i, err := device.Open()
	if err == nil {
		defer i.Close()
		_, err = i.Find("llvmpipe")
	}
	if err != nil {
		t.Skip("no software device (Debian packages libvulkan1, mesa-vulkan-drivers): ", err)
	}
}

func TestMeasure(t *testing.T) {
	onDevice(t)
	rows := filepath.Join(t.TempDir(), "rows.csv")
	var out, complaint bytes.Buffer
	if status := Main([]string{"measure", "reduce", "--device", "llvmpipe", "--repetitions", "3", "--values", "--rows", rows}, nil, &out, &complaint); status != exitDone {
		t.Fatalf("status %d: %s", status, &complaint)
	}
	for _, want := range []string{"no meaning for a GPU", "as the job expects", "median us"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %q", &out, want)
		}
	}
	lines := suite.Must(csv.NewReader(bytes.NewReader(suite.Must(os.ReadFile(rows))(t))).ReadAll())(t)
	if len(lines) != 3 || lines[0][0] != "job" || lines[1][0] != "reduce" {
		t.Errorf("%q: want a line of names, one of the step and one of all", lines)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"measure", "reduce", "--device", "no such"}, "no such Vulkan device"},
		{[]string{"measure", "koch"}, "graphs are not measured on devices"},
		{[]string{"measure", "compact", "--device", "llvmpipe"}, "VK_AMD_shader_ballot"},
		{[]string{"measure", "nosuchjob"}, "nosuchjob"},
	} {
		out.Reset()
		complaint.Reset()
		if status := Main(c.args, nil, &out, &complaint); status != exitBadInput || !strings.Contains(complaint.String(), c.want) {
			t.Errorf("%q: status %d, %s: want 2 and %q", c.args, status, &complaint, c.want)
		}
	}
	complaint.Reset()
	wrong := []string{"measure", "vectoradd", "--device", "llvmpipe", "--set", "expect=[{buffer: a, f32: [7]}]"}
	if status := Main(wrong, nil, &out, &complaint); status != exitFailed || !strings.Contains(complaint.String(), "want 7") {
		t.Errorf("status %d, %s: want 1 and what is wrong", status, &complaint)
	}
}

// A driver that ends its process is a message, and so is one that does not return.
func TestMeasureSurvivesTheDriver(t *testing.T) {
	onDevice(t)
	t.Setenv("VK_ICD_FILENAMES", filepath.Join(t.TempDir(), "none.json"))
	t.Setenv("VK_DRIVER_FILES", os.Getenv("VK_ICD_FILENAMES"))
	var out, complaint bytes.Buffer
	if status := Main([]string{"measure", "--list"}, nil, &out, &complaint); status != exitBadInput || !strings.Contains(complaint.String(), "finds no") {
		t.Errorf("status %d, %s: want 2 and that there is no driver", status, &complaint)
	}
}

func TestSweepMeasuresItsPoints(t *testing.T) {
	onDevice(t)
	dir := t.TempDir()
	var out, complaint bytes.Buffer
	args := []string{"sweep", "validate-device", "--small", "--measure", "--device", "llvmpipe", "--repetitions", "2", "-o", dir, "--quiet"}
	if status := Main(args, nil, &out, &complaint); status != exitDone {
		t.Fatalf("status %d: %s", status, &complaint)
	}
	out.Reset()
	if status := Main([]string{"compare", filepath.Join(dir, "validate-device-small.csv")}, nil, &out, &complaint); status != exitDone {
		t.Fatalf("status %d: %s", status, &complaint)
	}
	for _, want := range []string{"no meaning for a GPU", "load from the L2", "l2.latency_cycles", "reduction"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s\nlacks %q", &out, want)
		}
	}
	earlier := filepath.Join(dir, "validate-device-small.csv")
	again := []string{"sweep", "validate-device", "--small", "--machine", "cdna3-mi300a", "--measured", earlier, "-o", filepath.Join(dir, "again"), "--quiet"}
	if status := Main(again, nil, &out, &complaint); status != exitDone {
		t.Fatalf("status %d: %s", status, &complaint)
	}
	of := func(name string) (list []float64) {
		for _, k := range suite.Must(readComparison(name))(t).Kernels {
			list = append(list, k.MeasuredUS)
		}
		return list
	}
	if now, then := of(filepath.Join(dir, "again", "validate-device-small.csv")), of(earlier); len(now) == 0 || !slices.Equal(now, then) {
		t.Errorf("recorded times are %v: want %v", now, then)
	}
}

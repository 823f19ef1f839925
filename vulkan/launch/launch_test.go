package launch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/vulkan/launch"
)

// The manifest names the library that the variable names; one that is not there is an error.
func TestDriverByVariable(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	library := filepath.Join(folder, "driver.so")
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	if _, err := launch.Driver(context.Background(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "SPVSIM_VULKAN_DRIVER") {
		t.Errorf("a library that is not there: %v", err)
	}
	if err := os.WriteFile(library, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	manifest, err := launch.Driver(context.Background(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ICD struct {
			Library string `json:"library_path"`
			Version string `json:"api_version"`
		}
	}
	if err := json.Unmarshal(text, &got); err != nil || got.ICD.Library != library || got.ICD.Version != "1.3.0" {
		t.Errorf("%s: %v", text, err)
	}
}

// The loader's and the driver's variables are set for the program alone.
func TestProgramSeesItsVariables(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	var out bytes.Buffer
	p := launch.Program{
		Args: []string{"sh", "-c", "echo $VK_DRIVER_FILES $SPVSIM_MACHINE $SPVSIM_MODE; exit 7"}, Manifest: "/m.json",
		Machines: []string{"a", "b"}, Mode: "functional", Stdout: &out,
	}
	err := p.Run(context.Background())
	if ended, ok := err.(*exec.ExitError); !ok || ended.ExitCode() != 7 {
		t.Errorf("%v: want exit status 7", err)
	}
	if got := strings.TrimSpace(out.String()); got != "/m.json a,b functional" {
		t.Errorf("the program saw %q", got)
	}
	if os.Getenv("VK_DRIVER_FILES") == "/m.json" {
		t.Error("the variable is set here too")
	}
}

const rows = `kind,name,microseconds,instructions,host_seconds
dispatch,a,1.5,10,0.25
transfer,copy,4,0,0.25
dispatch,a,1.5,20,0.5
dispatch,b,7,5,0.5
dispatch,c,1`

// Rows add up by name; a last row that was cut off is left out.
func TestGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if list, err := launch.Groups(path); list != nil || err != nil {
		t.Errorf("no file: %v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := launch.Groups(path)
	want := []launch.Group{
		{Name: "b", Kind: "dispatch", Times: 1, Microseconds: 7, Instructions: 5, HostSeconds: 0.5},
		{Name: "copy", Kind: "transfer", Times: 1, Microseconds: 4, HostSeconds: 0.25},
		{Name: "a", Kind: "dispatch", Times: 2, Microseconds: 3, Instructions: 30, HostSeconds: 0.75},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	var b strings.Builder
	if err := launch.Summarize(&b, got); err != nil || !strings.Contains(b.String(), "14.000 us in 4 dispatches and transfers, 35 instructions") || !strings.Contains(b.String(), "50.0%") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

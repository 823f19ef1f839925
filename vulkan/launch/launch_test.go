package launch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spvsim/internal/suite"
	"spvsim/vulkan/launch"
)

// The manifest names the library of the variable; a missing library is an error.
func TestDriverByVariable(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	library := filepath.Join(folder, "driver.so")
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	if _, err := launch.Driver(context.Background(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "SPVSIM_VULKAN_DRIVER") {
		t.Errorf("a library that is not there: %v", err)
	}
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	manifest := suite.Must(launch.Driver(context.Background(), &bytes.Buffer{}))(t)
	text := suite.Must(os.ReadFile(manifest))(t)
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

// Each of two libraries has its own manifest, whichever was used last; a start changes no existing manifest.
func TestEachDriverHasItsManifest(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	var manifests []string
	for round := range 2 {
		for i, name := range []string{"a.so", "b.so"} {
			library := filepath.Join(folder, name)
			suite.OK(t, os.WriteFile(library, []byte(name), 0o666))
			t.Setenv("SPVSIM_VULKAN_DRIVER", library)
			manifest := suite.Must(launch.Driver(context.Background(), io.Discard))(t)
			if round == 0 {
				manifests = append(manifests, manifest)
			}
			if manifest != manifests[i] || manifests[0] == manifests[len(manifests)-1] && i == 1 {
				t.Errorf("round %d: the manifest of %s is %s; they were %v", round, name, manifest, manifests)
			}
		}
	}
	for i, name := range []string{"a.so", "b.so"} {
		if text, err := os.ReadFile(manifests[i]); err != nil || !bytes.Contains(text, []byte(filepath.Join(folder, name))) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// Each of many concurrent starts finds a complete manifest.
func TestManifestsOfManyStarts(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	library := filepath.Join(folder, "driver.so")
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				manifest, err := launch.Driver(context.Background(), io.Discard)
				if err != nil {
					t.Error(err)
					return
				}
				if text, err := os.ReadFile(manifest); err != nil || !json.Valid(text) {
					t.Errorf("%q, %v", text, err)
					return
				}
			}
		})
	}
	all.Wait()
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

// The program's progress is read from the driver's file.
func TestLaunchProgress(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	told := make(chan launch.Progress, 100)
	p := launch.Program{
		Args:     []string{"sh", "-c", `printf '{"dispatches": 3, "nanoseconds": 7}' > $SPVSIM_PROGRESS; read line`},
		Manifest: "/m.json", Progress: func(p launch.Progress) { told <- p },
	}
	in, out := io.Pipe()
	p.Stdin = in
	ended := make(chan error)
	go func() { ended <- p.Run(context.Background()) }()
	if got := <-told; got.Dispatches != 3 || got.Nanoseconds != 7 {
		t.Errorf("%+v", got)
	}
	out.Write([]byte("end\n"))
	out.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

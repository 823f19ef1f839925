package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/internal/suite"
	"spvsim/tracing"
)

func compactJSON(t *testing.T, text []byte) string {
	var b bytes.Buffer
	suite.OK(t, json.Compact(&b, text))
	return b.String()
}

// The jobs that the driver leaves run on the counterfactual machines: the table is that of run --what-if. Programs of a
// list leave them in folders. Here the program is a shell that leaves a job as the driver does.
func TestAppWhatIf(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	folder := t.TempDir()
	library := filepath.Join(folder, "driver.so")
	suite.OK(t, os.WriteFile(library, nil, 0o666))
	t.Setenv("SPVSIM_VULKAN_DRIVER", library)
	shader := suite.Must(filepath.Abs("../../docs/diagnosis/tile.spv"))(t)
	job := filepath.Join(folder, "job")
	text := strings.ReplaceAll(string(suite.Must(os.ReadFile("../../docs/diagnosis/tile.yaml"))(t)), "tile.spv", shader)
	suite.OK(t, os.WriteFile(job, []byte("# captured\n"+text), 0o666))
	script := "mkdir -p $SPVSIM_CAPTURE && cp " + job + " $SPVSIM_CAPTURE/0001.yaml"

	file := filepath.Join(folder, "tile.yaml")
	suite.OK(t, os.Rename(job, file))
	statistics := filepath.Join(folder, "statistics.json")
	_, want, _ := strings.Cut(spvsim("", "run", file, "--what-if", "conflicts,latency", "--stats", statistics).stdout, "\nwhat if")
	var ofRun struct {
		Cycles uint64
		WhatIf json.RawMessage `json:"what_if"`
	}
	suite.OK(t, json.Unmarshal(suite.Must(os.ReadFile(statistics))(t), &ofRun))
	suite.OK(t, os.Rename(file, job))
	want, _, _ = strings.Cut(want, "\n\nset by")
	list := filepath.Join(folder, "list")
	suite.OK(t, os.WriteFile(list, []byte(script+"\n"+script+"\n"), 0o666))
	written, page := filepath.Join(folder, "what-if.json"), filepath.Join(folder, "page.html")
	flags := []string{"app", "--what-if", "conflicts,latency", "--select", "*", "--what-if-json", written, "--report", page}
	schema := suite.Schema(t, tracing.DispatchesSchema)
	for count, args := range [][]string{1: {"--", "sh", "-c", script}, 2: {"--programs", list}} {
		if args == nil {
			continue
		}
		r := spvsim("", append(flags, args...)...)
		if r.status != exitDone || want == "" || strings.Count(r.stderr, want) != count {
			t.Errorf("exit %d: want %d times\n%s\nfound\n%s", r.status, count, want, r.stderr)
		}
		text := suite.Must(os.ReadFile(written))(t)
		suite.Obeys(t, "dispatches", schema, text)
		var got struct {
			Dispatches []struct {
				Name       string
				Statistics struct {
					Cycles uint64
					WhatIf json.RawMessage `json:"what_if"`
				}
			}
		}
		suite.OK(t, json.Unmarshal(text, &got))
		if len(got.Dispatches) != count {
			t.Fatalf("%d dispatches, want %d", len(got.Dispatches), count)
		}
		html := string(suite.Must(os.ReadFile(page))(t))
		for i, d := range got.Dispatches {
			if !strings.HasPrefix(d.Name, fmt.Sprintf("%d: ", i+1)) {
				t.Errorf("dispatch %d is named %s", i, d.Name)
			}
			if diff := cmp.Diff(compactJSON(t, ofRun.WhatIf), compactJSON(t, d.Statistics.WhatIf)); diff != "" {
				t.Errorf("%s: -run +app:\n%s", d.Name, diff)
			}
			suite.Contains(t, html, fmt.Sprintf("<h3>%s: %d cycles from cold caches</h3>", d.Name, ofRun.Cycles), "of 270336 passes over the LDS are for bank conflicts")
		}
	}
	suite.OK(t, os.Remove(written))
	if r := spvsim("", append(flags, "--quiet", "--", "sh", "-c", script)...); r.status != exitDone || strings.Contains(r.stderr, "what if") {
		t.Errorf("quiet: exit %d: %s", r.status, r.stderr)
	}
	if _, err := os.Stat(written); err != nil {
		t.Error(err)
	}
	if r := spvsim("", append(flags, "--", "true")...); r.status != exitFailed || !strings.Contains(r.stderr, "no dispatch was captured") {
		t.Errorf("exit %d: %s", r.status, r.stderr)
	}
}

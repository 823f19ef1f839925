package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"spvsim/internal/suite"
)

// Statistics without the host's part are the same in two runs, to the byte, and have all else.
func TestStatisticsWithoutTheHost(t *testing.T) {
	plain := func() string { return spvsim("", "run", "reduce", "--stats", "-", "--stats-host=false").stdout }
	a, b := plain(), plain()
	if a != b || bytes.Contains([]byte(a), []byte(`"host"`)) {
		t.Errorf("two runs differ, or have a part of the host:\n%s\n%s", a, b)
	}
	all := spvsim("", "run", "reduce", "--stats", "-").stdout
	if n := bytes.Index([]byte(all), []byte(",\n  \"host\"")); n < 0 || all[:n]+"\n}\n" != a {
		t.Errorf("without the host's part:\n%s\nwith it:\n%s", a, all)
	}
}

// A profile of the host is a file that pprof can read: compressed, with the profiled function.
func TestCPUProfile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cpu.prof")
	if r := spvsim("", "run", "reduce", "-q", "--cpuprofile", name); r.status != exitDone {
		t.Fatal(r.stderr)
	}
	file := suite.Must(os.Open(name))(t)
	defer file.Close()
	z := suite.Must(gzip.NewReader(file))(t)
	text, err := io.ReadAll(z)
	if err != nil || !bytes.Contains(text, []byte("nanoseconds")) {
		t.Errorf("the profile has no unit of time: %v", err)
	}
	if r := spvsim("", "run", "reduce", "-q", "--cpuprofile", t.TempDir()); r.status == exitDone {
		t.Error("a folder was taken for the profile's file")
	}
}

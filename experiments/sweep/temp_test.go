package sweep

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"spvsim/internal/suite"
)

// The next writer removes the temporary files of a dead one; those of a living one, or of another machine, stay.
func TestLeftoversOfDeadWritersGo(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	suite.OK(t, ended.Run())
	dead, host := ended.Process.Pid, hostName()
	dir := t.TempDir()
	left := map[string]bool{ // and whether it stays
		fmt.Sprintf("rows.csv.new-%d-%s-1", dead, host):        false,
		fmt.Sprintf("rows.csv.new-%d-%s-1", os.Getpid(), host): true,
		fmt.Sprintf("rows.csv.new-%d-elsewhere-1", dead):       true,
		"rows.csv.new-1-old-1":                                 false,
		fmt.Sprintf("other.csv.new-%d-%s-1", dead, host):       true, // of another file: its own writer removes it
	}
	for name := range left {
		suite.OK(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	old := time.Now().Add(-2 * staleAfter)
	suite.OK(t, os.Chtimes(filepath.Join(dir, "rows.csv.new-1-old-1"), old, old))
	suite.OK(t, Replace(filepath.Join(dir, "rows.csv"), []byte("a\n")))
	for name, stays := range left {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v, should stay: %v", name, err, stays)
		}
	}
}

// A failed write leaves no file behind: the name is a folder.
func TestReplaceThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rows.csv")
	suite.OK(t, os.MkdirAll(filepath.Join(file, "inside"), 0o777))
	if err := Replace(file, []byte("a\n")); err == nil {
		t.Fatal("a file took the place of a folder")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d entries in the folder (%v), want the one that was there", len(entries), err)
	}
}

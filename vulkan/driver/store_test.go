package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spvsim/internal/suite"
)

// A stored program is returned unchanged; a damaged, foreign or truncated file counts as a miss, and is removed.
func TestStore(t *testing.T) {
	s := &store{folder: filepath.Join(t.TempDir(), "a", "b")}
	key, want := programKey{1, 2, 3}, []byte("a program")
	if s.lookup(key) != nil {
		t.Error("an empty store has something")
	}
	s.save(key, want)
	if got := s.lookup(key); !bytes.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if s.lookup(programKey{1, 2}) != nil {
		t.Error("another key has something")
	}
	whole := suite.Must(os.ReadFile(s.path(key)))(t)
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 1
		for _, data := range [][]byte{bad, whole[:i]} {
			suite.OK(t, os.WriteFile(s.path(key), data, 0o666))
			if got := s.lookup(key); got != nil {
				t.Errorf("damaged at byte %d: %q", i, got)
			}
			if _, err := os.Stat(s.path(key)); err == nil {
				t.Errorf("damaged at byte %d: the file is still there", i)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.folder, "*", "new*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	var none *store
	none.save(key, want)
	if none.lookup(key) != nil {
		t.Error("no store has something")
	}
	s.save(key, want)
	unwritable := &store{folder: filepath.Join(s.path(key), "file")}
	unwritable.save(key, want)
	if unwritable.lookup(key) != nil {
		t.Error("a store that can't be written has something")
	}
}

// A full store evicts its least recently used files until a quarter is free.
func TestStoreIsBounded(t *testing.T) {
	s := &store{folder: t.TempDir(), trimmed: true}
	size := int64(0)
	for i := range byte(8) {
		s.save(programKey{i}, make([]byte, 1000))
		then := time.Now().Add(time.Duration(int(i)-100) * time.Hour)
		suite.OK(t, os.Chtimes(s.path(programKey{i}), then, then))
		info := suite.Must(os.Stat(s.path(programKey{i})))(t)
		size = info.Size()
	}
	if s.lookup(programKey{0}) == nil { // used now
		t.Fatal("the first is not there")
	}
	s.trim(8 * size)
	for i := range byte(8) {
		if _, err := os.Stat(s.path(programKey{i})); err != nil {
			t.Errorf("there was space, and %d went", i)
		}
	}
	s.trim(8*size - 1)
	for i := range byte(8) {
		_, err := os.Stat(s.path(programKey{i}))
		if gone := err != nil; gone != (i >= 1 && i <= 3) {
			t.Errorf("%d: gone is %t", i, gone)
		}
	}
}

// The build ID is that of the file that contains this code: the same on every call, and not empty.
func TestBuildID(t *testing.T) {
	if len(buildID()) < 20 {
		t.Errorf("the build is %q", buildID())
	}
	if got := loadedFrom(1); got != "" {
		t.Errorf("at address 1 is %s", got)
	}
}

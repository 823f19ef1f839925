package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"spvsim/internal/suite"
)

// A file may be as long as the limit, and no longer; the message names what was found and the limit.
func TestReadLimit(t *testing.T) {
	for limit, ok := range map[int64]bool{8: true, 9: true, 7: false} {
		data, err := ReadFrom(fstest.MapFS{"f": {Data: []byte("12345678")}}, "f", limit)
		if ok && (err != nil || string(data) != "12345678") || !ok && (!errors.Is(err, ErrLimit) || err.Error() != "files: f: found 8 bytes: want at most 7") {
			t.Errorf("at most %d bytes: %q, %v", limit, data, err)
		}
		data, err = Drain(strings.NewReader("12345678"), "standard input", limit)
		if ok && (err != nil || string(data) != "12345678") || !ok && !errors.Is(err, ErrLimit) {
			t.Errorf("a stream of at most %d bytes: %q, %v", limit, data, err)
		}
	}
}

// endless is a stream without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestDrainEndsAtItsLimit(t *testing.T) {
	before := Bytes()
	if _, err := Drain(endless{}, "standard input", 1<<16); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	if got := Bytes() - before; got < 1<<16 || got > 1<<18 {
		t.Errorf("%d bytes are counted", got)
	}
}

// Devices, pipes, folders, loops of links and links to any of those are refused by name, without waiting.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such files")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(at("regular"), []byte("12"), 0o600), syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700),
		os.Symlink("regular", at("link")), os.Symlink("pipe", at("link-pipe")), os.Symlink("/dev/zero", at("link-zero")),
		os.Symlink("loop-b", at("loop-a")), os.Symlink("loop-a", at("loop-b")))
	if err != nil {
		t.Fatal(err)
	}
	box := suite.Must(Sandbox(dir))(t)
	const device, folder, loop = "found a pipe, socket or device: want a regular file", "found a folder: want a file", "can't read: too many levels of symbolic links"
	for name, want := range map[string]string{
		"/dev/zero": device, at("pipe"): device, at("link-pipe"): device, at("link-zero"): device, at("folder"): folder, dir: folder,
		at("loop-a"): loop, at("missing"): "can't read: no such file or directory", at("regular"): "", at("link"): "",
	} {
		for which, fsys := range map[string]fs.FS{"system": OS(), "sandbox": box} {
			data, err := ReadFrom(fsys, name, 100)
			f, opened := fsys.Open(name)
			if opened == nil {
				opened = f.Close()
			}
			wanted := want
			if which == "sandbox" && (strings.HasPrefix(name, "/dev") || name == at("link-zero")) {
				wanted = "can't read: " // outside
			}
			if wanted == "" && (err != nil || opened != nil || !bytes.Equal(data, []byte("12"))) ||
				wanted != "" && (err == nil || opened == nil || !strings.HasPrefix(err.Error(), "files: "+name+": "+wanted)) {
				t.Errorf("%s of the %s: %q, %v, %v", name, which, data, err, opened)
			}
		}
	}
}

// A pipe that takes the place of a file between the look and the opening is refused too, and does not wait for a writer.
func TestPipeInTheLastMoment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such files")
	}
	name := filepath.Join(t.TempDir(), "f")
	suite.OK(t, os.WriteFile(name, nil, 0o600))
	swapped := system{os.Stat, func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		if err := errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)); err != nil {
			return nil, err
		}
		return os.OpenFile(name, flag, mode)
	}, true}
	if _, err := ReadFrom(swapped, name, 100); !errors.Is(err, ErrUnreadable) {
		t.Error(err)
	}
}

func TestSandboxKeepsToItsFolder(t *testing.T) {
	folder := t.TempDir()
	suite.OK(t, os.WriteFile(filepath.Join(folder, "in"), []byte("x"), 0o666))
	box := suite.Must(Sandbox(folder))(t)
	for name, want := range map[string]error{filepath.Join(folder, "in"): nil, filepath.Join(folder, "no"): fs.ErrNotExist, filepath.Dir(folder): ErrSandbox, filepath.Join(folder, "..", "x"): ErrSandbox} {
		if _, err := fs.Stat(box, name); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if f, err := box.Open(name); !errors.Is(err, want) || (f == nil) != (want != nil) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if _, err := ReadFrom(box, name, 1); !errors.Is(err, want) {
			t.Errorf("%s is read: %v, want %v", name, err, want)
		}
	}
}

package files

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Sandbox looks names up as OS does, but only in a folder and below it: absolute names, .. and links can't leave it.
func Sandbox(folder string) (fs.FS, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder) // it resolves links itself, step by step
	if err != nil {
		return nil, err
	}
	s := sandbox{root, folder}
	return system{s.stat, s.open, false}, nil
}

type sandbox struct {
	root   *os.Root
	folder string
}

// inside returns a name relative to the folder.
func (s sandbox) inside(op, name string) (string, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	inner, err := filepath.Rel(s.folder, full)
	if err != nil || !filepath.IsLocal(inner) {
		return "", &fs.PathError{Op: op, Path: name, Err: fmt.Errorf("%w: --sandbox reads nothing outside of %s", ErrSandbox, s.folder)}
	}
	return inner, nil
}

func (s sandbox) open(name string, flag int, mode fs.FileMode) (*os.File, error) {
	inner, err := s.inside("open", name)
	if err != nil {
		return nil, err
	}
	return s.root.OpenFile(inner, flag, mode)
}

func (s sandbox) stat(name string) (fs.FileInfo, error) {
	inner, err := s.inside("stat", name)
	if err != nil {
		return nil, err
	}
	return s.root.Stat(inner)
}

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrSandbox means that a file is outside of the folder that a sandbox is for.
var ErrSandbox = errors.New("outside of the sandbox")

// Sandbox looks names up as OS does, and only in a folder and below it: neither absolute names, nor .., nor links lead out of it.
func Sandbox(folder string) (fs.FS, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &sandbox{root, folder}, nil
}

type sandbox struct {
	root   *os.Root // which follows links itself, step by step
	folder string
}

// inside is the name from the folder on.
func (s *sandbox) inside(op, name string) (string, error) {
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

// Open fulfils fs.FS.
func (s *sandbox) Open(name string) (fs.File, error) {
	inner, err := s.inside("open", name)
	if err != nil {
		return nil, err
	}
	f, err := s.root.Open(inner)
	if err != nil {
		return nil, err // not the file: a nil *os.File would be no nil fs.File
	}
	return f, nil
}

// Stat fulfils fs.StatFS.
func (s *sandbox) Stat(name string) (fs.FileInfo, error) {
	inner, err := s.inside("stat", name)
	if err != nil {
		return nil, err
	}
	return s.root.Stat(inner)
}

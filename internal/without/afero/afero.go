// Package afero is what viper asks of a file system, on the system's own files:
// the whole package can also serve files over HTTP, and brings net/http with it.
package afero

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Fs is a file system.
type Fs interface {
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
	Stat(name string) (os.FileInfo, error)
}

type system struct{}

func (system) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (system) Stat(name string) (os.FileInfo, error) { return os.Stat(name) }

// NewOsFs is the system's own.
func NewOsFs() Fs { return system{} }

// ReadFile is os.ReadFile.
func ReadFile(_ Fs, name string) ([]byte, error) { return os.ReadFile(name) }

// Walk is filepath.Walk.
func Walk(_ Fs, root string, f filepath.WalkFunc) error { return filepath.Walk(root, f) }

// Exists says whether there is such a file.
func Exists(fsys Fs, name string) (bool, error) {
	_, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

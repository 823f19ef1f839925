// Package files opens the files that users name, on command lines and in other files. It opens only regular files, and reads at most the
// bytes that the caller allows. It does not know which kinds of files there are.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"spvsim/internal/fault"
)

// Kinds of errors. Every error of this package wraps one of them, and the system's error if there is one.
var (
	ErrUnreadable = errors.New("not readable")
	ErrLimit      = errors.New("too large")
	ErrSandbox    = errors.New("outside of the sandbox")
)

// Limits of kinds of files that no package has limits for.
const (
	MaxModule = 256 << 20 // a shader, or standard input
	MaxRows   = 1 << 30   // CSV or Parquet
	MaxJSON   = 1 << 30   // a profile, or the record of a point
	MaxList   = 4 << 20   // a list of names, a line each
)

// Error reports a file that can't be read.
type Error struct {
	fault.Fault
	cause error // of the system; nil: the file is refused
}

func (e *Error) Error() string { return e.Text("files") }

// Unwrap implements the interface of package errors.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}

func refused(name string, kind error, format string, args ...any) error {
	return &Error{fault.Fault{File: name, Msg: fmt.Sprintf(format, args...), Kind: kind}, nil}
}

// unreadable returns an Error that names the file once: the operating system's error has its name too.
func unreadable(name string, err error) error {
	if known := (*Error)(nil); errors.As(err, &known) {
		return err
	}
	kind, cause := ErrUnreadable, err
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		cause = of.Err
	}
	if errors.Is(err, ErrSandbox) {
		kind = ErrSandbox
	}
	return &Error{fault.Fault{File: name, Msg: fmt.Sprintf("can't read: %v", cause), Kind: kind}, err}
}

// check refuses folders, pipes, sockets and devices, whose length is not known before they are read.
func check(name string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return refused(name, ErrUnreadable, "found a folder: want a file")
	case !mode.IsRegular():
		return refused(name, ErrUnreadable, "found a pipe, socket or device: want a regular file")
	}
	return nil
}

// readOnly opens without blocking: a pipe that replaces a file between Stat and Open may have no writer.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// system looks names up through functions of package os.
type system struct {
	stat func(name string) (fs.FileInfo, error)
	open func(name string, flag int, mode fs.FileMode) (*os.File, error)
	// unrestricted: names are those of the operating system, for other programs too.
	unrestricted bool
}

// OS looks names up as the operating system does: absolute, or relative to the working directory, with ".." and links. It opens only
// regular files.
func OS() fs.FS { return system{os.Stat, os.OpenFile, true} }

// Unrestricted reports whether a file system is that of OS, or wraps it: other programs find the same files.
func Unrestricted(fsys fs.FS) bool {
	if over, ok := fsys.(interface{ Base() fs.FS }); ok {
		return Unrestricted(over.Base())
	}
	s, ok := fsys.(system)
	return ok && s.unrestricted
}

func (s system) Open(name string) (fs.File, error) {
	info, err := s.Stat(name)
	if err == nil {
		err = check(name, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := s.open(name, readOnly, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(name, info) // of the file that was opened: it may have been replaced since Stat
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return counted{f}, nil
}

// Stat implements fs.StatFS.
func (s system) Stat(name string) (fs.FileInfo, error) { return s.stat(name) }

var total atomic.Int64

// Bytes returns the bytes that this process has read from users' files, and from streams by Drain.
func Bytes() int64 { return total.Load() }

// counted is a file whose bytes are counted.
type counted struct{ fs.File }

// Read implements fs.File.
func (c counted) Read(p []byte) (int, error) { return counter{c.File}.Read(p) }

// counter is a stream whose bytes are counted.
type counter struct{ io.Reader }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	total.Add(int64(n))
	return n, err
}

// Read reads a file of at most limit bytes.
func Read(name string, limit int64) ([]byte, error) { return ReadFrom(OS(), name, limit) }

// ReadFrom reads a file of at most limit bytes from a file system. A longer file is refused before any of it is read.
func ReadFrom(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err == nil {
		err = check(name, info)
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	if info.Size() > limit {
		return nil, refused(name, ErrLimit, "found %d bytes: want at most %d", info.Size(), limit)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer f.Close()
	return all(f, name, limit)
}

// Drain reads a stream, such as standard input, of at most limit bytes. The stream may have no end.
func Drain(r io.Reader, name string, limit int64) ([]byte, error) {
	return all(counter{r}, name, limit)
}

func all(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1)) // a file may have grown
	if err != nil {
		return nil, unreadable(name, err)
	}
	if int64(len(data)) > limit {
		return nil, refused(name, ErrLimit, "found more than %d bytes: want at most that many", limit)
	}
	return data, nil
}

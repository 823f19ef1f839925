package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"spvsim/internal/files"
)

// Status is the outcome of a point.
type Status string

const (
	Done    Status = "done"
	Failed  Status = "failed"  // the simulation failed, and would again
	Crashed Status = "crashed" // the worker ended without a result; tried again by the next sweep
)

// A Record is the result of a point.
type Record struct {
	Inputs      string          `json:"inputs"`
	Version     string          `json:"version"`
	Build       string          `json:"build"`
	Job         string          `json:"job"`
	Cells       []Cell          `json:"cells"`
	Workgroups  uint64          `json:"work"`
	Status      Status          `json:"status"`
	Error       string          `json:"error,omitempty"`
	HostSeconds float64         `json:"host_seconds"`
	Values      []string        `json:"values,omitempty"` // of the spec's elements, in its order
	Stats       json.RawMessage `json:"stats,omitempty"`
	Warnings    []string        `json:"warnings,omitempty"`
	Stopped     *Limits         `json:"stopped,omitempty"` // the limits of a point that reached one of them
}

// A Store is a folder of records, a file each. Several processes may write to it at once.
type Store struct{ dir string }

const recordSuffix = ".json"

// OpenStore creates the folder if it is missing, and removes the temporary files of killed writers.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	clearTemps(dir + string(filepath.Separator))
	return &Store{dir}, nil
}

func (s *Store) path(key string) string { return filepath.Join(s.dir, key+recordSuffix) }

// Save writes a record atomically and durably: complete or not at all, and safe from a loss of power.
func (s *Store) Save(key string, r *Record) error {
	if err := s.place(key, r, (*os.File).Sync); err != nil {
		return err
	}
	return syncDir(s.dir)
}

// write is Save for a record that is durable elsewhere.
func (s *Store) write(key string, r *Record) error {
	return s.place(key, r, func(*os.File) error { return nil })
}

func (s *Store) place(key string, r *Record, sync func(*os.File) error) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, tempName()+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(recordMode), sync(f), f.Close())
	if err == nil {
		err = s.clearFolder(key)
	}
	if err == nil {
		err = os.Rename(f.Name(), s.path(key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// clearFolder renames a folder that has the name of a record, which can't replace it. What it has is kept.
func (s *Store) clearFolder(key string) error {
	if info, err := os.Lstat(s.path(key)); err != nil || !info.IsDir() {
		return nil
	}
	to, err := os.MkdirTemp(s.dir, "folder-"+key+"-*")
	if err != nil {
		return err
	}
	return os.Rename(s.path(key), filepath.Join(to, key+recordSuffix))
}

// recordMode lets others read a shared cache; CreateTemp's mode does not.
const recordMode = 0o644

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sumPrefix begins the second line of a record's file, which has the SHA-256 of the first.
const sumPrefix = "sha256 "

// encode returns the bytes of a record's file: the record as a line of JSON, and a line with its checksum.
func (r *Record) encode() ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(append(data, '\n'), "%s%x\n", sumPrefix, sha256.Sum256(data)), nil
}

// decode reads the bytes of a record's file; nil if they are not the complete output of encode.
func decode(file []byte) *Record {
	data, rest, _ := bytes.Cut(file, []byte("\n"))
	if string(rest) != fmt.Sprintf("%s%x\n", sumPrefix, sha256.Sum256(data)) {
		return nil
	}
	r := &Record{}
	if json.Unmarshal(data, r) != nil || !r.isComplete() {
		return nil
	}
	return r
}

// isComplete reports whether a record has all parts that its status requires.
func (r *Record) isComplete() bool {
	switch r.Status {
	case Done:
		return json.Valid(r.Stats)
	case Failed, Crashed:
		return true
	}
	return false
}

// Load reads a record; nil if there is none. A record is ignored, so that the point runs again, if it is damaged,
// incomplete, no regular file, of another format, of other inputs or elements, or of a point that reached other limits
// than it has now.
func (s *Store) Load(spec *Spec) (*Record, error) {
	data, err := files.Read(s.path(spec.Key), files.MaxJSON)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) || errors.Is(err, files.ErrLimit) || isOdd(s.path(spec.Key)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if r := decode(data); r != nil && spec.accepts(r) {
		return r, nil
	}
	return nil, nil
}

// accepts reports whether a record is one of the point as it is now.
func (s *Spec) accepts(r *Record) bool {
	return r.isComplete() && r.Inputs == s.Inputs && (r.Status != Done || len(r.Values) == len(s.Values)) && (r.Stopped == nil || *r.Stopped == s.Limits)
}

// isOdd reports whether a name is of a folder, pipe, socket or device, or a link to one.
func isOdd(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

// Remove forgets a point.
func (s *Store) Remove(key string) error {
	if err := s.clearFolder(key); err != nil {
		return err
	}
	if err := os.Remove(s.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxSamples bounds the records that an estimate reads.
const maxSamples = 10_000

// All lists the readable records, in the order of their keys.
func (s *Store) All() (list []Record) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), recordSuffix) || len(list) == maxSamples {
			continue
		}
		data, err := files.Read(filepath.Join(s.dir, e.Name()), files.MaxJSON)
		if r := decode(data); err == nil && r != nil {
			list = append(list, *r)
		}
	}
	return list
}

// Missing lists the points, by index, that have no result yet.
func (p *Plan) Missing(s *Store) ([]int, error) {
	var list []int
	for i := range p.Specs {
		r, err := s.Load(&p.Specs[i])
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", i, err)
		}
		if r == nil || r.Status == Crashed {
			list = append(list, i)
		}
	}
	return list, nil
}

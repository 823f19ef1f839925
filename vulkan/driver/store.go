package driver

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"spvsim/internal/files"
)

// A programKey is the digest of all inputs of lowering: the module, entry point, constants, wave size, the machine's
// parameters that lowering depends on, and the build of the driver.
type programKey [sha256.Size]byte

// A store caches lowered programs in a folder between runs, one file each. A damaged file, or one of another version,
// counts as a miss, and an unwritable folder stores nothing: no program fails because of the store.
type store struct {
	folder  string
	trimmed bool
}

// newStore is the store in the folder that SPVSIM_CACHE names, else in the user's folder for caches; nil for "off", or where the build is not known.
func newStore() *store {
	folder := os.Getenv("SPVSIM_CACHE")
	if folder == "off" || os.Getenv("SPVSIM_CHECK") != "" || buildID() == "" {
		return nil
	}
	if folder == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil
		}
		folder = filepath.Join(base, "spvsim", "pipelines")
	}
	return &store{folder: folder}
}

// storeHead begins each file; the digest of the rest follows.
var storeHead = []byte("spvsim program 1\n")

func (s *store) path(k programKey) string {
	return filepath.Join(s.folder, hexText(k[:1]), hexText(k[1:]))
}

func hexText(b []byte) string {
	const digits = "0123456789abcdef"
	var out []byte
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

// lookup returns a stored program, or nil, and marks it as recently used.
func (s *store) lookup(k programKey) []byte {
	if s == nil {
		return nil
	}
	path := s.path(k)
	data, err := files.Read(path, storeBytes)
	if err != nil {
		return nil
	}
	rest, ok := bytes.CutPrefix(data, storeHead)
	if !ok || len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {
		os.Remove(path)
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // only the order of going depends on it
	return rest[sha256.Size:]
}

// save stores a program atomically.
func (s *store) save(k programKey, data []byte) {
	if s == nil {
		return
	}
	path := s.path(k)
	if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new")
	if err != nil {
		return
	}
	sum := sha256.Sum256(data)
	_, err = f.Write(slices.Concat(storeHead, sum[:], data))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	if !s.trimmed {
		s.trimmed = true
		s.trim(storeBytes)
	}
}

// storeBytes bounds the total size of a store; the first program that a process stores trims it. A program takes some
// kilobytes.
const storeBytes = 256 << 20

// trim removes the least recently used files until a quarter of the space is free, if the store exceeds its size.
func (s *store) trim(most int64) {
	type file struct {
		path string
		size int64
		used time.Time
	}
	var list []file
	var sum int64
	_ = filepath.WalkDir(s.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			list = append(list, file{path, info.Size(), info.ModTime()})
			sum += info.Size()
		}
		return nil
	})
	if sum <= most {
		return
	}
	slices.SortFunc(list, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range list {
		if sum <= most/4*3 {
			return
		}
		if os.Remove(f.path) == nil {
			sum -= f.size
		}
	}
}

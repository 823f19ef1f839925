package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"spvsim/internal/files"
)

// A taskHeader begins a task's file of rows.
type taskHeader struct {
	Bundle   string   `json:"bundle"` // ID
	Task     int      `json:"task"`
	Identity Identity `json:"identity"`
}

// A taskRow is the record of one point.
type taskRow struct {
	Key    string  `json:"key"`
	Record *Record `json:"record"`
}

// summed returns a value as a line: the SHA-256 of its JSON, and the JSON.
func summed(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s %s\n", digestOf(text), text), nil
}

// unsum reads a line of summed.
func unsum(line []byte, v any) error {
	sum, text, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if string(sum) != digestOf(text) {
		return errors.New("found a line that is not as its SHA-256 says")
	}
	return json.Unmarshal(text, v)
}

// A rowsReader reads a file of rows that may still grow.
type rowsReader struct {
	name   string
	header *taskHeader // nil: not read yet
	offset int64       // of what was not read yet
	line   int
}

// read calls each for every whole row from the offset on, and damaged with the number of every line that is none: the
// last one of a task that was killed, most likely.
func (r *rowsReader) read(each func(*taskRow) error, damaged func(line int)) error {
	f, err := files.OS().Open(r.name)
	if err != nil {
		return fmt.Errorf("%w %s: %w", ErrBundle, r.name, err)
	}
	defer f.Close()
	if at, ok := f.(io.Seeker); r.offset > 0 && ok {
		if _, err := at.Seek(r.offset, io.SeekStart); err != nil {
			return err
		}
	}
	for lines := bufio.NewReaderSize(f, 1<<16); ; {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // the rest of a line may follow
		}
		if err != nil {
			return fmt.Errorf("%w %s: %w", ErrBundle, r.name, err)
		}
		r.offset += int64(len(text))
		r.line++
		if r.header == nil {
			h := &taskHeader{}
			if err := unsum(text, h); err != nil || h.Bundle == "" {
				return fmt.Errorf("%w %s:1: found no header of a task's rows: want a file that a task of a bundle wrote", ErrBundle, r.name)
			}
			r.header = h
			continue
		}
		row := &taskRow{}
		if err := unsum(text, row); err != nil || row.Record == nil {
			damaged(r.line)
			continue
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// belongs refuses rows of another bundle.
func (h *taskHeader) belongs(name string, b *Bundle) error {
	switch {
	case h.Identity != b.Identity:
		return fmt.Errorf("%w %s: found rows of another version of spvsim, %s: want %s, as %s has", ErrBundle, name, h.Identity, b.Identity, b.file)
	case h.Bundle != b.ID:
		return fmt.Errorf("%w %s: found rows of the bundle %.16s: want those of %.16s, which is %s", ErrBundle, name, h.Bundle, b.ID, b.file)
	}
	return nil
}

// A rowsWriter appends rows to a file.
type rowsWriter struct {
	mu     sync.Mutex
	file   *os.File
	synced time.Time
}

// syncEvery is the time after which a loss of power costs no row any more.
const syncEvery = 5 * time.Second

// openRows opens a file of rows, new or of the same task, and returns the keys of the points that it has results of.
func openRows(name string, h taskHeader, b *Bundle) (*rowsWriter, map[string]bool, error) {
	have := map[string]bool{}
	r := &rowsReader{name: name}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, nil, err
	default:
		if err := r.read(func(row *taskRow) error {
			if row.Record.Status != Crashed {
				have[row.Key] = true
			}
			return nil
		}, func(int) {}); err != nil {
			return nil, nil, err
		}
	}
	if r.header != nil {
		if err := r.header.belongs(name, b); err != nil {
			return nil, nil, err
		}
		if r.header.Task != h.Task {
			return nil, nil, fmt.Errorf("%w %s: found rows of task %d: want those of task %d, or no file", ErrBundle, name, r.header.Task, h.Task)
		}
	}
	flags := os.O_APPEND | os.O_CREATE | os.O_WRONLY
	if r.header == nil {
		flags |= os.O_TRUNC // killed in its first line
	}
	f, err := os.OpenFile(name, flags, recordMode)
	if err != nil {
		return nil, nil, err
	}
	w := &rowsWriter{file: f}
	switch {
	case r.header == nil:
		err = w.add(h)
	case info.Size() > r.offset:
		_, err = f.WriteString("\n") // ends the line of a killed task, which is none
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return w, have, nil
}

// add appends a line in one call: no other line can be within it.
func (w *rowsWriter) add(v any) error {
	line, err := summed(v)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.file.Write(line); err != nil {
		return err
	}
	if time.Since(w.synced) < syncEvery {
		return nil
	}
	w.synced = time.Now()
	return w.file.Sync()
}

// Save implements saver.
func (w *rowsWriter) Save(key string, r *Record) error { return w.add(taskRow{key, r}) }

func (w *rowsWriter) close() error { return errors.Join(w.file.Sync(), w.file.Close()) }

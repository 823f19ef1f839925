package sweep

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"spvsim/config"
	"spvsim/internal/files"
	"spvsim/internal/lists"
)

// Files of a bundle's folder. A task needs all three, and nothing else.
const (
	BundleFile  = "bundle.zip"
	programFile = "spvsim"
	taskFile    = "task.sh"
)

// Members of a bundle's archive; further ones are input files, named by their digest.
const (
	manifestMember = "bundle.json"
	pointsMember   = "points.jsonl"
)

const bundleFormat = "spvsim bundle 1"

// ErrBundle means that a bundle, or a file of rows, is damaged or foreign.
var ErrBundle = errors.New("bundle")

// A manifest describes a bundle.
type manifest struct {
	Format   string       `json:"format"`
	Identity Identity     `json:"identity"`
	Platform string       `json:"platform"`          // of the program: linux/amd64
	Program  string       `json:"program,omitempty"` // SHA-256 of the program; empty: the nodes have it
	Choice   Choice       `json:"choice"`            // of the experiment, to make its rows
	Location FileLocation `json:"location"`          // of the points' files
	Small    bool         `json:"small,omitempty"`   // the experiment's variant
	Points   string       `json:"points"`            // SHA-256 of the points
	Run      []int        `json:"run"`               // points to run, in the order of tasks
	Tasks    []int        `json:"tasks"`             // first of Run of each task, and the length of Run
	Files    []bundleFile `json:"files"`
}

// A bundleFile is an input: the name that it was opened under, and its digest.
type bundleFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// A Bundle is points with all the files that they need, in an archive that does not depend on the place of anything.
type Bundle struct {
	manifest
	ID string // SHA-256 of the manifest

	file     string
	archive  *zip.Reader
	mu       sync.Mutex
	verified map[string][]byte // contents of input files
}

func memberName(sum string) string { return "inputs/" + sum }

// bundleWriter writes an archive.
type bundleWriter struct {
	manifest manifest
	specs    []Spec // all points
	run      []Spec // points to run, among them
	costs    []float64
	inputs   *Inputs // files that the points read
}

// write writes the archive. tasks is the number of tasks, of which each has a point at least.
func (w *bundleWriter) write(file string, tasks int) error {
	index := map[string]int{}
	for i := len(w.specs) - 1; i >= 0; i-- {
		index[w.specs[i].Key] = i // the first, among equal ones
	}
	m := &w.manifest
	m.Format, m.Platform = bundleFormat, runtime.GOOS+"/"+runtime.GOARCH
	m.Tasks = share(w.costs, tasks)
	m.Run = append(m.Run, lists.MapRefs(w.run, func(s *Spec) int { return index[s.Key] })...)
	temporary, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+tempName()+"*")
	if err != nil {
		return err
	}
	z := zip.NewWriter(temporary)
	err = errors.Join(w.members(z), z.Close(), temporary.Chmod(recordMode), temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

func (w *bundleWriter) members(z *zip.Writer) error {
	written := map[string]bool{}
	for _, name := range w.inputs.names() {
		data, err := files.ReadFrom(w.inputs.base, name, files.MaxRows)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".cl") {
			return fmt.Errorf("%w: %s: found OpenCL C, which a node has no compiler for: want a compiled module (.spv)", ErrBundle, name)
		}
		sum := digestOf(data)
		w.manifest.Files = append(w.manifest.Files, bundleFile{name, sum})
		if !written[sum] {
			err = addMember(z, memberName(sum), data)
		}
		if written[sum] = true; err != nil {
			return err
		}
	}
	var points bytes.Buffer
	for i := range w.specs {
		text, err := json.Marshal(&w.specs[i])
		if err != nil {
			return err
		}
		points.Write(append(text, '\n'))
	}
	w.manifest.Points = digestOf(points.Bytes())
	text, err := json.Marshal(&w.manifest)
	if err != nil {
		return err
	}
	return errors.Join(addMember(z, pointsMember, points.Bytes()), addMember(z, manifestMember, text))
}

func addMember(z *zip.Writer, name string, data []byte) error {
	to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}) // without a time: equal contents are equal archives
	if err != nil {
		return err
	}
	_, err = to.Write(data)
	return err
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// OpenBundle reads an archive's manifest.
func OpenBundle(file string) (*Bundle, error) {
	data, err := files.Read(file, files.MaxRows)
	if err != nil {
		return nil, err
	}
	b := &Bundle{file: file, verified: map[string][]byte{}}
	if b.archive, err = zip.NewReader(bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, b.damaged("%v", err)
	}
	text, err := b.member(manifestMember, "")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &b.manifest); err != nil {
		return nil, b.damaged("%s: %v", manifestMember, err)
	}
	if b.Format != bundleFormat {
		return nil, b.damaged("found the format %q: want %q", b.Format, bundleFormat)
	}
	b.ID = digestOf(text)
	return b, nil
}

func (b *Bundle) damaged(format string, args ...any) error {
	return fmt.Errorf("%w %s: %s", ErrBundle, b.file, fmt.Sprintf(format, args...))
}

// member reads a member of the archive and checks its digest, if it has one.
func (b *Bundle) member(name, sum string) ([]byte, error) {
	f, err := b.archive.Open(name)
	if err != nil {
		return nil, b.damaged("%s: %v", name, err)
	}
	data, err := files.Drain(f, name, files.MaxRows)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, b.damaged("damaged: %v", err)
	}
	if found := digestOf(data); sum != "" && found != sum {
		return nil, b.damaged("damaged: %s: found the digest %.16s: want %.16s", name, found, sum)
	}
	return data, nil
}

// CheckIdentity refuses a bundle of another simulator.
func (b *Bundle) CheckIdentity(id Identity) error {
	if b.Identity != id {
		return b.damaged("found points of another version of spvsim, %s: want %s, which this program is", b.Identity, id)
	}
	return nil
}

// String names a version for people.
func (i Identity) String() string {
	if rest, ok := strings.CutPrefix(i.Build, i.Version+" "); ok {
		return fmt.Sprintf("%s (program %.16s)", i.Version, rest)
	}
	return i.Version
}

// specsOf reads points by number; nil: all.
func (b *Bundle) specsOf(numbers []int) ([]Spec, error) {
	text, err := b.member(pointsMember, b.Points)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if numbers == nil {
		for i := range lines {
			numbers = append(numbers, i)
		}
	}
	specs := make([]Spec, len(numbers))
	for i, n := range numbers {
		if n < 0 || n >= len(lines) {
			return nil, b.damaged("found point %d: want one of %d", n, len(lines))
		}
		if err := json.Unmarshal(lines[n], &specs[i]); err != nil {
			return nil, b.damaged("%s:%d: %v", pointsMember, n+1, err)
		}
	}
	return specs, nil
}

// task returns the numbers of a task's points.
func (b *Bundle) task(i int) ([]int, error) {
	if i < 0 || i >= len(b.Tasks)-1 {
		return nil, b.damaged("found task %d: want one of the %d, from 0 on", i, max(len(b.Tasks)-1, 0))
	}
	first, last := b.Tasks[i], b.Tasks[i+1]
	if first < 0 || first > last || last > len(b.Run) {
		return nil, b.damaged("%s: found task %d from %d to %d: want a range of %d points", manifestMember, i, first, last, len(b.Run))
	}
	return b.Run[first:last], nil
}

// Plan returns the plan that the bundle was made of.
func (b *Bundle) Plan(ctx context.Context) (*Plan, error) {
	choice := b.Choice
	choice.system = b
	e, _, err := choice.Load()
	if err != nil {
		return nil, b.damaged("%v", err)
	}
	specs, err := b.specsOf(nil)
	if err != nil {
		return nil, err
	}
	points, err := e.Points(b.Small)
	if err != nil {
		return nil, err
	}
	if len(points) != len(specs) {
		return nil, b.damaged("found %d points: want %d, as the experiment has", len(specs), len(points))
	}
	for i := range specs {
		specs[i].Cells = cellsOf(&points[i]) // with the types of numbers, which JSON lacks
	}
	return &Plan{Experiment: e, Small: b.Small, Identity: b.Identity, Specs: specs, Points: len(specs)}, ctx.Err()
}

func cellsOf(p *config.Point) (cells []Cell) {
	return lists.Map(p.Cells, func(c config.Cell) Cell { return Cell(c) })
}

// taskScript starts a task where a bundle's three files are. A program that is damaged may not start, so its checksum is
// checked by another one.
const taskScript = `#!/bin/sh
# Runs one task of a sweep: sh %[1]s NUMBER [ROWS]
# NUMBER is from 0 to %[2]d, ROWS the file for the results (rows-NUMBER.jsonl). A task that
# was stopped continues after the rows that its file has.
set -eu
if [ $# -lt 1 ]; then
  echo "%[1]s: found no number: want a task from 0 to %[2]d" >&2
  exit 2
fi
folder=$(dirname "$0")
check() { # file, and what cksum prints for it
  found=$(cksum <"$folder/$1")
  if [ "$found" != "$2" ]; then
    echo "%[1]s: $folder/$1 is damaged, or of another bundle: found the checksum $found: want $2" >&2
    exit 2
  fi
}
check %[3]s "%[4]s"
check %[5]s "%[6]s"
[ -x "$folder/%[3]s" ] || chmod +x "$folder/%[3]s"
exec "$folder/%[3]s" sweep-point --bundle "$folder/%[5]s" --task "$1" --rows "${2:-rows-$1.jsonl}" --workers "${SPVSIM_WORKERS:-1}"
`

// posixChecksum returns what the program cksum prints for a file on its standard input (POSIX.1-2017, cksum).
func posixChecksum(data []byte) string {
	reversed := make([]byte, len(data), len(data)+8)
	for i, b := range data {
		reversed[i] = bits.Reverse8(b) // package crc32 begins with the lowest bit of a byte
	}
	for n := len(data); n > 0; n >>= 8 {
		reversed = append(reversed, bits.Reverse8(byte(n)))
	}
	return fmt.Sprintf("%d %d", bits.Reverse32(crc32.Update(math.MaxUint32, crc32.IEEETable, reversed)), len(data))
}

// WriteBundle writes the plan's points without a result as tasks that need nothing but the folder's three files: the
// program, its inputs, and a script that starts one task.
func (p *Plan) WriteBundle(dir, program string, store *Store, tasks int) (text string, err error) {
	missing, err := p.Missing(store)
	if err != nil {
		return "", err
	}
	run, _ := p.distinct(missing)
	if len(run) == 0 {
		return "", fmt.Errorf("%w %s: found no point without a result: want one to run", ErrBundle, dir)
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", fmt.Errorf("%w %s: found a folder with files: want an empty or a new one", ErrBundle, dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	code, err := files.Read(program, files.MaxRows)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, programFile)
	if err := errors.Join(Replace(copied, code), os.Chmod(copied, 0o755)); err != nil {
		return "", err
	}
	w := p.bundle(run, costs(store.All(), run))
	w.manifest.Program = digestOf(code)
	if tasks == 0 {
		tasks = tasksOf(w.costs)
	}
	file := filepath.Join(dir, BundleFile)
	if err := w.write(file, tasks); err != nil {
		return "", err
	}
	data, err := files.Read(file, files.MaxRows)
	if err != nil {
		return "", err
	}
	count := len(w.manifest.Tasks) - 1
	script := fmt.Sprintf(taskScript, taskFile, count-1, programFile, posixChecksum(code), BundleFile, posixChecksum(data))
	if err := Replace(filepath.Join(dir, taskFile), []byte(script)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %s in %d tasks, 0 to %d: sh %s NUMBER%s", len(run), pointWord(len(run)), count, count-1, filepath.Join(dir, taskFile), libraryNote(code)), nil
}

// bundle prepares an archive of some points of the plan.
func (p *Plan) bundle(run []Spec, costs []float64) *bundleWriter {
	return &bundleWriter{manifest{Identity: p.Identity, Choice: p.choice, Location: p.location, Small: p.Small}, p.Specs, run, costs, p.location.inputs()}
}

// taskSeconds is the time of a task by default: much longer than a start, and short enough to lose.
const taskSeconds = 1800.0

func tasksOf(costs []float64) int {
	sum := lists.Sum(costs, func(c float64) float64 { return c })
	return int(sum/taskSeconds) + 1
}

// libraryNote names the version of the C library that a program needs on nodes; "" if none.
func libraryNote(program []byte) string {
	e, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return "" // of another system
	}
	symbols, err := e.ImportedSymbols()
	if err != nil {
		return ""
	}
	newest := [3]int{}
	for _, s := range symbols {
		number, ok := strings.CutPrefix(s.Version, "GLIBC_")
		var v [3]int
		if ok {
			_, _ = fmt.Sscanf(number, "%d.%d.%d", &v[0], &v[1], &v[2]) // absent parts are 0
		}
		if slices.Compare(v[:], newest[:]) > 0 {
			newest = v
		}
	}
	if newest == [3]int{} {
		return ""
	}
	return fmt.Sprintf("\nnodes need glibc %d.%d or newer; a program that CGO_ENABLED=0 go build -tags static makes needs none", newest[0], newest[1])
}

// Package launch finds or builds the Vulkan driver and starts programs with it: it sets the loader's variables for the
// program alone, and reads the driver's records.
//
// The package knows neither a program's work nor how rows are shown.
package launch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// libraryName is the driver's file.
const libraryName = "libspvsim_vulkan.so"

// ErrNoDriver means that neither a driver nor its source was found.
var ErrNoDriver = errors.New("no Vulkan driver")

// Driver returns the manifest of the driver's library: the one that the variable SPVSIM_VULKAN_DRIVER names, else one
// next to this program, else one built from the source tree of the working directory. Messages of the build go to log.
func Driver(ctx context.Context, log io.Writer) (manifest string, err error) {
	folder, err := cacheFolder()
	if err != nil {
		return "", err
	}
	library, err := findLibrary()
	if err != nil {
		return "", err
	}
	if library == "" {
		if library, err = build(ctx, folder, log); err != nil {
			return "", err
		}
	}
	return writeManifest(folder, library)
}

// unusedTime is the time after which an unused library or manifest is removed.
const unusedTime = 7 * 24 * time.Hour

func cacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	folder := filepath.Join(base, "spvsim", "vulkan")
	return folder, os.MkdirAll(folder, 0o777)
}

// findLibrary returns the path of an existing library; "" without an error if there is none.
func findLibrary() (string, error) {
	if named := os.Getenv("SPVSIM_VULKAN_DRIVER"); named != "" {
		path, err := filepath.Abs(named)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return "", fmt.Errorf("SPVSIM_VULKAN_DRIVER: %w", err)
		}
		return path, nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", nil // there is no library next to it then
	}
	beside := filepath.Join(filepath.Dir(program), libraryName)
	if _, err := os.Stat(beside); err == nil {
		return beside, nil
	}
	return "", nil
}

// build builds the library from source. Go's own cache avoids repeated compilation. Each source tree is built in a
// folder of its own, by one start at a time; the result is stored under the digest of its bytes, so that no start
// changes the library of another.
func build(ctx context.Context, folder string, log io.Writer) (string, error) {
	root, err := source(ctx)
	if err != nil {
		return "", err
	}
	own := filepath.Join(folder, "build-"+digest([]byte(root)))
	if err := os.MkdirAll(own, 0o777); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, filepath.Join(own, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	library := filepath.Join(own, libraryName)
	if _, err := os.Stat(library); err != nil {
		fmt.Fprintln(log, "spvsim: building the Vulkan driver; the first time takes some minutes")
	}
	c := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-o", library, "./vulkan")
	c.Dir, c.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	c.Stdout, c.Stderr = log, log
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%w: building it: %w", ErrNoDriver, err)
	}
	data, err := os.ReadFile(library)
	if err != nil {
		return "", err
	}
	return storeFile(folder, "libspvsim_vulkan-", ".so", data)
}

// source is the folder of this module, which the working directory must be in.
func source(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || path != "spvsim" {
		return "", fmt.Errorf("%w: run this in the folder of the source, or build it there with go build -buildmode=c-shared -o %s ./vulkan and put it beside spvsim or name it in SPVSIM_VULKAN_DRIVER",
			ErrNoDriver, libraryName)
	}
	return dir, nil
}

// A manifest names a driver's library to the loader.
type manifest struct {
	ICD struct {
		API     string `json:"api_version"`
		Library string `json:"library_path"`
	}
	Version string `json:"file_format_version"`
}

// writeManifest writes the loader's manifest.
func writeManifest(folder, library string) (string, error) {
	m := manifest{Version: "1.0.0"}
	m.ICD.API, m.ICD.Library = "1.3.0", library
	text, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	return storeFile(folder, "spvsim_icd-", ".json", append(text, '\n'))
}

// storeFile writes data to a file named by its digest: the content of a name never changes. The file appears complete or not
// at all.
func storeFile(folder, before, after string, data []byte) (string, error) {
	path := filepath.Join(folder, before+digest(data)+after)
	now := time.Now()
	if os.Chtimes(path, now, now) == nil {
		return path, nil
	}
	f, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	removeUnused(folder, now.Add(-unusedTime))
	return path, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// removeUnused removes files unused since a time. A program that runs with one is not affected.
func removeUnused(folder string, since time.Time) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return // there is nothing to remove
	}
	for _, e := range list {
		if i, err := e.Info(); err == nil && i.Mode().IsRegular() && i.ModTime().Before(since) {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// A Program is a command line with its driver and settings.
type Program struct {
	Args             []string // its name or file, and its arguments
	Manifest         string
	Machines         []string       // presets or files; empty: the default machine
	Set              []string       // changes of the machines, path=value
	Mode             string         // how dispatches run
	Time             string         // which dispatches are timed; empty: by the mode
	Record           string         // file for the rows
	Profile          string         // folder for profiles; empty: no profiles
	Waves            Waves          // whose waves are traced
	NoCache          bool           // lower every pipeline, whatever the store has
	Progress         func(Progress) // nil, or called now and then while the program runs
	Capture          string         // folder for jobs; empty: nothing is captured
	Select           string         // which dispatches are captured
	WholeSubmissions bool           // and the whole submissions that they are in
	// Limits of each dispatch, after which the device is lost; 0: unlimited.
	MaxInstructions uint64
	MaxSeconds      float64
	// The clock that advances while nothing runs, simulated or host, and the clock of timeouts, host or simulated;
	// empty: the first.
	Clock, Timeouts string
	Overlap         string // of launches: submitted or none; empty: the first
	// The set of answers, the source of the identity, and the conformance version that devices report; empty: the true
	// ones.
	Answers, Identity, Conformance string
	Root                           string  // folder with the system that the program sees; empty: this one
	OpenCL                         *OpenCL // nil: no OpenCL program
	Refused                        string  // file for the calls that the driver refuses; empty: none
	Check                          string  // folder for what the check of dispatches finds; empty: they are not checked
	Lenient                        bool    // tolerate violations of the API that other drivers tolerate
	Stdin                          io.Reader
	Stdout                         io.Writer
	Stderr                         io.Writer
}

// Run runs a program to its end. Its exit status is in the error, an *exec.ExitError.
func (p *Program) Run(ctx context.Context) error {
	told := ""
	if p.Progress != nil {
		f, err := os.CreateTemp("", "spvsim-progress")
		if err != nil {
			return err
		}
		f.Close()
		told = f.Name()
		defer os.Remove(told)
	}
	args := p.Args
	if p.Root != "" {
		var err error
		var done func()
		if args, done, err = p.insideRoot(told); err != nil {
			return err
		}
		defer done()
	}
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Env = append(os.Environ(), p.variables(told)...)
	c.Stdin, c.Stdout, c.Stderr = p.Stdin, p.Stdout, p.Stderr
	// The kernel ends the program with the thread that started it, where it can: that thread is to be this one until then.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ends := endTogether(c, onTerminal(p.Stdin))
	c.Cancel, c.WaitDelay = func() error { return ends(syscall.SIGTERM) }, endTimeout
	if err := c.Start(); err != nil {
		return err
	}
	if p.Progress != nil {
		defer p.watchProgress(told)()
	}
	err := c.Wait()
	if ctx.Err() != nil {
		_ = ends(syscall.SIGKILL) // remaining child processes; there may be none
	}
	return err
}

// endTimeout is the time that a program has to end by itself after a signal.
const endTimeout = 5 * time.Second

// onTerminal reports whether the program's input is a terminal. Then the program stays in the terminal's process group,
// which receives its keys.
func onTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	i, err := f.Stat()
	return err == nil && i.Mode()&os.ModeCharDevice != 0 && i.Name() != filepath.Base(os.DevNull)
}

// Waves select the waves to trace.
type Waves struct {
	Folder string // for a trace of each device; empty: no traces
	Select string // patterns of dispatches' names
	Units  string // compute units; empty: all
	Limit  int64  // bytes of a trace
}

// variables returns the environment for the loader and the driver.
func (p *Program) variables(progress string) []string {
	cache := os.Getenv("SPVSIM_CACHE")
	if p.NoCache {
		cache = "off"
	}
	whole, lenient := "", ""
	if p.WholeSubmissions {
		whole = "1"
	}
	if p.Lenient {
		lenient = "1"
	}
	var opencl []string
	if p.OpenCL != nil {
		opencl = p.OpenCL.variables(max(len(p.Machines), 1))
		if p.Root == "" {
			opencl = append(opencl, "LD_PRELOAD="+strings.TrimSpace(os.Getenv("LD_PRELOAD")+" "+p.OpenCL.preload))
		} else {
			opencl = append(opencl, "SPVSIM_PRELOAD="+p.OpenCL.preload)
		}
	}
	return append(opencl, []string{"VK_DRIVER_FILES=" + p.Manifest, "VK_ICD_FILENAMES=" + p.Manifest, "SPVSIM_RECORD=" + p.Record,
		"SPVSIM_MODE=" + p.Mode, "SPVSIM_TIME=" + p.Time, "SPVSIM_PROFILE=" + p.Profile, "SPVSIM_TRACE=" + p.Waves.Folder, "SPVSIM_WAVES=" + p.Waves.Select,
		"SPVSIM_WAVES_CUS=" + p.Waves.Units, "SPVSIM_WAVES_LIMIT=" + strconv.FormatInt(p.Waves.Limit, 10), "SPVSIM_PROGRESS=" + progress, "SPVSIM_CACHE=" + cache,
		"SPVSIM_CAPTURE=" + p.Capture, "SPVSIM_SELECT=" + p.Select, "SPVSIM_WHOLE=" + whole, "SPVSIM_MACHINE=" + strings.Join(p.Machines, ","), "SPVSIM_SET=" + strings.Join(p.Set, "\n"),
		"SPVSIM_MAX_INSTRUCTIONS=" + strconv.FormatUint(p.MaxInstructions, 10), "SPVSIM_MAX_SECONDS=" + strconv.FormatFloat(p.MaxSeconds, 'f', -1, 64),
		"SPVSIM_CLOCK=" + p.Clock, "SPVSIM_TIMEOUTS=" + p.Timeouts, "SPVSIM_OVERLAP=" + p.Overlap,
		"SPVSIM_ANSWERS=" + p.Answers, "SPVSIM_IDENTITY=" + p.Identity, "SPVSIM_CONFORMANCE=" + p.Conformance, "SPVSIM_LENIENT=" + lenient, "SPVSIM_REFUSED=" + p.Refused, "SPVSIM_CHECK=" + p.Check}...)
}

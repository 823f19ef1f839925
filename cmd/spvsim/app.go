package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spvsim/config"
	"spvsim/gpu"
	"spvsim/internal/expression"
	"spvsim/internal/files"
	"spvsim/internal/lists"
	"spvsim/tracing"
	"spvsim/tracing/profile"
	"spvsim/tracing/report"
	"spvsim/vulkan/launch"
	"spvsim/vulkan/rows"
)

// appFlags are the flags of an application's run, without its own arguments.
type appFlags struct {
	machines         []string
	set              []string
	mode             string
	time             string
	rows             []string
	report           string
	trace            string
	waves            wavesFlags
	programs         manyFlags
	lenient          bool
	opencl           bool
	root             string
	capture          string
	choice           string
	answers          string
	identity         string
	conforms         string
	startTime        time.Time // of the program
	clock            string
	timeouts         string
	overlap          string
	maxInstructions  uint64
	seconds          float64
	checks           bool
	checkJSON        string
	whatIf           whatIfFlag
	whatIfJSON       string
	noCache          bool
	wholeSubmissions bool
	quiet            bool
}

func appCommand() *cobra.Command {
	var f appFlags
	c := &cobra.Command{
		Use:   "app [flags] -- PROGRAM ARGUMENTS...",
		Short: "Run a Vulkan or OpenCL program, unchanged, on the simulated GPU",
		Long: `Run a Vulkan program, or with --opencl an OpenCL program, unchanged, on the simulated GPU. Its compute work is executed and timed, and the cost of each dispatch is
recorded. The Vulkan driver is the library that SPVSIM_VULKAN_DRIVER names, or one next to spvsim, or it is built from the source, which
needs a C compiler. The exit status is 0 if that of the program is 0, and otherwise 1. If the program crashes, its records so far are kept.

PATTERNS are names of dispatches, separated by commas. * is any text. A number after a colon limits the dispatches of each name:
mul_mat*:3 is the first three of each name that begins with mul_mat.`,
		Example: `  spvsim app -- vulkaninfo --summary
  spvsim app --report report.html --rows rows.csv --rows rows.parquet -- ./program its arguments
  spvsim app --time 'mul_mat*:3' --trace program.pftrace -- ./program
  spvsim app --trace program.pftrace --trace-waves 'main:1' -- ./program     with all waves of the first dispatch of main
  spvsim app --jobs 2 --programs programs.txt                               run the program in each line of the file, two at a time
  spvsim app --capture jobs --select 'main*:3' -- ./program
  spvsim app --what-if all --select 'main:1' -- ./program                   what each limit costs the first dispatch of main`,
		Args: func(c *cobra.Command, args []string) error {
			return f.programs.check(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return unbounded(c, func() error { return f.run(c, args) })
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.machines, "machine", nil, "`name` or file of the machine; with several, separated by commas, the program sees a device for each")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the machine: `path=value` (lds.banks=64); may be repeated")
	flags.StringVar(&f.mode, "mode", "timed", "run dispatches in this `mode`: timed; functional (the same values, no timing, faster); sampled (some are timed, the others estimated)")
	flags.StringVar(&f.time, "time", "", "time only the dispatches that match these `patterns`, and run the others functionally")
	flags.StringArrayVar(&f.rows, "rows", nil, "write a row for each dispatch and transfer to this `file`, as CSV, or as Parquet if its name ends in .parquet; may be repeated")
	flags.StringVar(&f.report, "report", "", "write an HTML page to this `file`: the work by pipeline, and where the time of each dispatch went")
	flags.StringVar(&f.trace, "trace", "", "write a Perfetto trace of the whole program to this `file`, with a track for each queue (open it at ui.perfetto.dev)")
	f.waves.add(c)
	f.programs.add(c)
	flags.StringVar(&f.capture, "capture", "", "write dispatches to this `folder` as jobs; spvsim run repeats each with the same bytes and cycles. Captured dispatches start with cold caches")
	flags.StringVar(&f.choice, "select", "*", "capture, or compare with --what-if, the dispatches that match these `patterns`")
	flags.BoolVar(&f.wholeSubmissions, "whole", false, "capture the whole submission of each selected dispatch as one job, instead of the dispatch")
	flags.StringVar(&f.answers, "profile", "", "report features that the device lacks, by `name`, for programs that require but do not use them: attachments (formats that can be drawn to), webgpu (all that wgpu and Dawn require), opencl (what Mesa's rusticl and zink require). A call that draws fails by name")
	flags.StringVar(&f.identity, "identity", "spvsim", "`identity` that the device reports: spvsim, or device (the ids and names of the product that the machine represents, and of its driver)")
	flags.StringVar(&f.conforms, "conformance", "", "report that the device passed this `version` of Vulkan's conformance tests (1.3.0.0), for programs that require it; it has not passed them")
	flags.BoolVar(&f.opencl, "opencl", false, "run an OpenCL program, on Mesa's rusticl and zink (Debian's mesa-opencl-icd): implies --profile opencl. If the driver refuses a kernel or loses the device, the exit status is 1, whatever the program's is")
	flags.StringVar(&f.root, "root", "", "run the program in this `folder`, which has a system of its own: its libraries and packages. Needs root's rights")
	flags.BoolVar(&f.lenient, "lenient", false, "accept, with a message, misuses of the API that other drivers accept: null immutable samplers, more descriptors than a set has")
	addInteger(flags, &f.maxInstructions, "max-instructions", 0, 0, math.MaxInt64, "most wave instructions of a dispatch (`number`); after them the device is lost, and a message says where the shader is; 0: no limit")
	flags.Float64Var(&f.seconds, "max-seconds", 0, "limit of a dispatch on this computer, in `seconds`; beyond it the device is lost, and a message names the loop of the shader; 0: no limit")
	flags.StringVar(&f.clock, "clock", "simulated", "the device's `clock` while nothing runs: simulated (stops), or host (advances with this computer's clock, for programs that compare both clocks)")
	flags.StringVar(&f.timeouts, "timeouts", "host", "`clock` of the timeouts of fences and semaphores while work runs: host or simulated")
	flags.StringVar(&f.overlap, "overlap", "submitted", "`which` launches overlap: submitted (all that barriers, events and semaphores allow), or none")
	flags.BoolVar(&f.checks, "check", false, "look for accesses that no shader may make, and fail if there are any: see spvsim run --check")
	flags.StringVar(&f.checkJSON, "check-json", "", "check, and write what was found as JSON to this `file`")
	whatIfFlagOf(c, &f.whatIf.texts, "run the dispatches that --select chooses also on counterfactual machines, each without one limit, and show what each saves: `names` as for spvsim run --what-if; may be repeated. These dispatches start with cold caches")
	flags.StringVar(&f.whatIfJSON, "what-if-json", "", "write the dispatches that --what-if compares, with their statistics and what each machine saves, as JSON to this `file`")
	flags.BoolVar(&f.noCache, "no-cache", false, "lower each pipeline again, and keep no lowered program for later runs")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print no summary and no progress line")
	completeFlag(c, "machine", machineNames)
	completeFlag(c, "set", machinePaths)
	completeFlag(c, "mode", modeNames)
	return c
}

// check refuses values that the driver would otherwise refuse in the middle of the program.
func (f *appFlags) check(c *cobra.Command) error {
	if !slices.Contains(config.Modes, f.mode) {
		return fmt.Errorf("--mode %s: want one of %s", f.mode, strings.Join(config.Modes, ", "))
	}
	for _, flag := range []struct {
		name, value string
		of          []string
	}{{"profile", f.answers, []string{"", "attachments", "webgpu", "opencl"}}, {"identity", f.identity, []string{"spvsim", "device"}},
		{"clock", f.clock, []string{"simulated", "host"}}, {"timeouts", f.timeouts, []string{"host", "simulated"}}, {"overlap", f.overlap, []string{"submitted", "none"}}} {
		if !slices.Contains(flag.of, flag.value) {
			return fmt.Errorf("--%s %s: want %s", flag.name, flag.value, strings.TrimPrefix(strings.Join(flag.of, " or "), " or "))
		}
	}
	if f.opencl && f.answers != "" && f.answers != "opencl" {
		return fmt.Errorf("--profile %s: found --opencl too, which implies --profile opencl: want one of them", f.answers)
	}
	f.checks = f.checks || f.checkJSON != ""
	if f.checks && f.mode == config.ModeSampled {
		return fmt.Errorf("--check: found --mode %s: want %s or %s", f.mode, config.ModeTimed, config.ModeFunctional)
	}
	if f.root != "" {
		if i, err := os.Stat(f.root); err != nil {
			return fmt.Errorf("--root: %w", err)
		} else if !i.IsDir() {
			return fmt.Errorf("--root %s: want a folder", f.root)
		}
	}
	if !(f.seconds >= 0 && f.seconds < 1e9) {
		return fmt.Errorf("--max-seconds %g: want 0 to 1e9 seconds", f.seconds)
	}
	if f.maxInstructions > 1<<53 {
		return fmt.Errorf("--max-instructions %d: want 0 to 2^53", f.maxInstructions)
	}
	if f.time != "" && f.mode != config.Modes[0] {
		return fmt.Errorf("--time: found --mode %s too: want one of them", f.mode)
	}
	if err := f.waves.check(c, f.trace, f.mode); err != nil {
		return err
	}
	if err := f.checkWhatIf(c); err != nil {
		return err
	}
	for _, flag := range [][2]string{{"time", f.time}, {"select", f.choice}, {"trace-waves", f.waves.dispatches}} {
		if err := checkPatterns(flag[1]); err != nil {
			return fmt.Errorf("--%s: %w", flag[0], err)
		}
	}
	for _, name := range f.machines {
		m, err := config.LoadMachine(config.Request{Machine: name, Set: f.set})
		if err != nil {
			return err
		}
		if m.Energy.Cap == "on" {
			return fmt.Errorf("--machine %s: found energy.cap: on, and a program's work can't be run again at lower clocks: want off", name)
		}
	}
	return nil
}

// outputs opens each file that is written after the program has ended, so that an unwritable one is reported before.
func (f *appFlags) outputs() error {
	texts := lists.Count(f.rows, func(to string) bool { return !strings.HasSuffix(to, ".parquet") })
	if texts > 1 {
		return fmt.Errorf("--rows: found %d files of CSV: want at most one (any number of files that end in .parquet)", texts)
	}
	for _, to := range append(slices.Clone(f.rows), f.report, f.trace, f.checkJSON, f.whatIfJSON) {
		if to == "" || to == "-" {
			continue
		}
		file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		file.Close()
	}
	return nil
}

// checkPatterns checks comma-separated patterns of names, each with an optional count after a colon.
func checkPatterns(text string) error {
	for _, item := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		pattern, count, counted := strings.Cut(item, ":")
		if _, err := expression.ParseWithin(count, 1, math.MaxInt32); counted && err != nil {
			return fmt.Errorf("%s: after the colon: %w", item, err)
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("found %q: want a pattern: %w", item, err)
		}
	}
	return nil
}

func (f *appFlags) run(c *cobra.Command, args []string) error {
	if err := f.check(c); err != nil {
		return err
	}
	var lines []string
	if f.programs.list != "" {
		var err error
		if lines, err = f.programs.lines(c.InOrStdin()); err != nil {
			return err
		}
		args = []string{f.programs.list}
	}
	manifest, err := launch.Driver(c.Context(), c.ErrOrStderr())
	if err == nil {
		err = f.outputs()
	}
	if err != nil {
		return err
	}
	noteFormats(c, outputFile{"report", f.report}, outputFile{"trace", f.trace})
	folder, err := os.MkdirTemp("", "spvsim-app")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	record, err := f.record(folder)
	if err != nil {
		return err
	}
	if f.whatIf.texts != nil {
		f.capture = filepath.Join(folder, "captures")
	} else if f.capture != "" {
		if f.capture, err = filepath.Abs(f.capture); err != nil {
			return err
		}
	}
	p := f.program(c, args, manifest, record, folder)
	if f.root != "" {
		if p.Root, err = filepath.Abs(f.root); err != nil {
			return err
		}
	}
	if f.opencl {
		if p.OpenCL, err = launch.FindOpenCL(c.Context(), p.Root); err != nil {
			return err
		}
		p.Answers, p.Refused = "opencl", filepath.Join(folder, "refused")
	}
	if f.checks {
		if p.Check = filepath.Join(folder, "check"); os.Mkdir(p.Check, 0o777) != nil {
			return fmt.Errorf("--check: no folder %s can be made", p.Check)
		}
	}
	if !f.quiet && onTerminal(c.ErrOrStderr()) {
		p.Progress = progressLine(c.ErrOrStderr(), appProgressText)
	}
	f.startTime = time.Now()
	if lines != nil {
		err = f.programs.run(c.Context(), &p, folder, lines)
	} else if err = p.Run(c.Context()); err != nil {
		if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
			err = &failure{fmt.Errorf("%s: %w", args[0], err)}
		}
	}
	if p.Progress != nil {
		clearLine(c.ErrOrStderr())
	}
	return errors.Join(err, f.writeOutputs(c, record, args[0], folder), f.refused(c, p.Refused), f.found(c, p.Check))
}

// found shows what the check of the dispatches found, and is an error if that is something.
func (f *appFlags) found(c *cobra.Command, folder string) error {
	if !f.checks {
		return nil
	}
	r, err := readFindings(folder)
	if err != nil {
		return err
	}
	if !f.quiet {
		writeFindings(c.ErrOrStderr(), &r)
	}
	if f.checkJSON != "" {
		err = writeTo(c, f.checkJSON, r.Write)
	}
	if n := len(r.Findings); n+int(r.OutOfBounds) > 0 {
		err = errors.Join(err, &failure{fmt.Errorf("%w: %d findings, %d accesses out of bounds", gpu.ErrCheck, n, r.OutOfBounds)})
	}
	return err
}

// mostRefused are the refused calls that the summary lists.
const mostRefused = 10

// refused lists the calls that the driver refused, and is an error if there are some: an OpenCL program may see none.
func (f *appFlags) refused(c *cobra.Command, path string) error {
	if path == "" {
		return nil
	}
	data, err := files.Read(path, files.MaxJSON)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if !f.quiet {
		for i, line := range lines {
			if i == mostRefused {
				fmt.Fprintf(c.ErrOrStderr(), "refused       %d more\n", len(lines)-i)
				break
			}
			fmt.Fprintf(c.ErrOrStderr(), "refused       %s\n", line)
		}
	}
	return &failure{fmt.Errorf("the driver refused calls (%d): results of the program are incomplete, whatever it says", len(lines))}
}

// program returns the program, or the template of several programs, that the flags describe.
func (f *appFlags) program(c *cobra.Command, args []string, manifest, record, folder string) launch.Program {
	p := launch.Program{
		Capture: f.capture, Select: f.choice, WholeSubmissions: f.wholeSubmissions, NoCache: f.noCache,
		MaxInstructions: f.maxInstructions, MaxSeconds: f.seconds,
		Clock: f.clock, Timeouts: f.timeouts, Overlap: f.overlap,
		Lenient: f.lenient,
		Answers: f.answers, Identity: f.identity, Conformance: f.conforms,
		Args: args, Manifest: manifest, Machines: f.machines, Set: f.set, Mode: f.mode, Time: f.time, Record: record,
		Stdin: c.InOrStdin(), Stdout: c.OutOrStdout(), Stderr: c.ErrOrStderr(),
	}
	if f.report != "" {
		p.Profile = folder
	}
	p.Waves = f.waves.chosenFor(folder)
	return p
}

// writeOutputs writes all requested outputs from the recorded rows.
func (f *appFlags) writeOutputs(c *cobra.Command, record, name, profiles string) error {
	file, err := rows.Read(record)
	if err != nil {
		return err
	}
	name = filepath.Base(name)
	var errs []error
	for _, to := range f.rows {
		if strings.HasSuffix(to, ".parquet") {
			errs = append(errs, writeTo(c, to, file.WriteParquet))
		}
	}
	if f.trace != "" {
		errs = append(errs, writeTo(c, f.trace, func(w io.Writer) error {
			return errors.Join(file.WriteTrace(w, name), f.waves.join(c, w, profiles))
		}))
	}
	switch {
	case !file.HasDevice():
		fmt.Fprintln(c.ErrOrStderr(), "spvsim: the program asked for no device of this driver: nothing is recorded")
	case !file.Dispatched():
		fmt.Fprintln(c.ErrOrStderr(), "spvsim: nothing was dispatched: the program opened this driver, and no dispatch reached a device of it. If it should have computed, its work went to another device, or to none")
	}
	if !f.quiet {
		errs = append(errs, rows.Summarize(c.ErrOrStderr(), file.Groups()))
		fmt.Fprintf(c.ErrOrStderr(), "clocks        %.3f us simulated, %.2f s on the host\n", file.Clock(), time.Since(f.startTime).Seconds())
	}
	compared, err := f.counterfactuals(c)
	return errors.Join(append(errs, err, f.writeReport(c, file, name, profiles, compared))...)
}

// writeReport writes the program's page, with the dispatches that counterfactual machines were compared on.
func (f *appFlags) writeReport(c *cobra.Command, file *rows.File, name, profiles string, compared []tracing.ComparedDispatch) error {
	if f.report == "" {
		return nil
	}
	list, err := readProfiles(profiles)
	lacks := f.lacks(file, profiles)
	for _, text := range lacks {
		fmt.Fprintf(c.ErrOrStderr(), "spvsim: %s: not on the page: %s\n", f.report, text)
	}
	page := file.Page(name, lacks...)
	page.Compared = compared
	return errors.Join(err, writeTo(c, f.report, func(w io.Writer) error { return report.WritePrograms(w, []*report.Program{page}, list) }))
}

// lacks lists the parts that the program's page lacks, with the reasons.
func (f *appFlags) lacks(file *rows.File, profiles string) (list []string) {
	const part = "the machine over time, its compute units, the roofline and what instructions cost"
	if f.mode != config.Modes[0] {
		return []string{fmt.Sprintf("%s: with --mode %s there is no whole profile", part, f.mode)}
	}
	for _, s := range file.Timed() {
		name := filepath.Join(profiles, profileName(s))
		if _, err := os.Stat(name); err != nil {
			list = append(list, fmt.Sprintf("%s, of device %d of process %d: the driver left no %s; a program that sees another root of files, or may not write there, must see that folder (SPVSIM_PROFILE)",
				part, s.Device, s.Process, name))
		}
	}
	return list
}

// profileName returns the name of the driver's profile of a device.
func profileName(s rows.Source) string { return fmt.Sprintf("%d-%d.json", s.Process, s.Device) }

// readProfiles reads the driver's profile of each device.
func readProfiles(folder string) (list []*profile.Profile, err error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, name := range names {
		data, err := files.Read(name, files.MaxJSON)
		if err != nil {
			return nil, err
		}
		p, err := profile.Read(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		p.Version = versionText()
		list = append(list, p)
	}
	return list, err
}

// record creates the file for the driver's rows, empty: the requested CSV file, or one in a temporary folder.
func (f *appFlags) record(folder string) (string, error) {
	for _, to := range f.rows {
		if !strings.HasSuffix(to, ".parquet") {
			path, err := filepath.Abs(to)
			return path, errors.Join(err, os.WriteFile(path, nil, 0o666))
		}
	}
	return filepath.Join(folder, "rows.csv"), nil
}

func appProgressText(p launch.Progress, took time.Duration) string {
	text := fmt.Sprintf("%d dispatches and transfers, %s instructions, %d cycles, %.3f ms simulated, %.0f s",
		p.Dispatches, shortNumber(p.Instructions), p.Cycle, float64(p.Nanoseconds)/1e6, took.Seconds())
	if p.Total > 0 {
		text += fmt.Sprintf("; %d of %d workgroups of the next", p.EndedWorkgroups, p.Total)
	}
	return text
}

func driverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "driver",
		Short: "Print the path of the manifest of the Vulkan driver, which is built if there is none",
		Long: `Print the path of the manifest of the Vulkan driver, for the loader's variable VK_DRIVER_FILES (older loaders:
VK_ICD_FILENAMES). The driver is built first if there is none. It reads variables of the environment:
  - SPVSIM_MACHINE: machines, separated by commas
  - SPVSIM_SET: path=value, separated by spaces
  - SPVSIM_RECORD: a file, to which it appends a row for each dispatch`,
		Example: `  VK_DRIVER_FILES=$(spvsim driver) SPVSIM_MACHINE=cdna3-mi300a ./program`,
		Args:    exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			manifest, err := launch.Driver(c.Context(), c.ErrOrStderr())
			if err == nil {
				fmt.Fprintln(c.OutOrStdout(), manifest)
			}
			return err
		},
	}
}

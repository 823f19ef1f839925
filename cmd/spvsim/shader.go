package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"spvsim/gpu"
	"spvsim/internal/files"
	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// readInput reads a file, or standard input when the name is -.
func readInput(c *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return files.Drain(c.InOrStdin(), displayName(name), files.MaxModule)
	}
	return files.Read(name, files.MaxModule)
}

// checkedShader reads a shader, a module or its text, and tests the rules.
func checkedShader(c *cobra.Command, name string) (*validate.Module, error) {
	data, err := readInput(c, name)
	if err != nil {
		return nil, err
	}
	return gpu.LoadModule(data, displayName(name))
}

// namesJob reports whether an argument is a job, by file or by name, rather than a shader.
func namesJob(name string) bool {
	if isYAML(name) {
		return true
	}
	_, err := os.Stat(name)
	return name != "-" && !isFile(name) && err != nil
}

// wantsJob returns the error of reading a job or an experiment; for a shader in its place, one that suggests the right
// command.
func wantsJob(name string, err error) error {
	if err == nil || !isFile(name) || isYAML(name) {
		return err
	}
	data, unread := files.Read(name, files.MaxModule)
	if unread != nil {
		return err
	}
	return cmp.Or(gpu.RefuseShader(data, name), err)
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// A namedModule is the bytes of a shader with the name for messages.
type namedModule struct {
	name string
	data []byte
}

// modulesOf reads a shader's file, or the shaders of a job: a file (.yaml) or a ready job by name.
func modulesOf(c *cobra.Command, name string) ([]namedModule, error) {
	if !namesJob(name) {
		data, err := readInput(c, name)
		return []namedModule{{displayName(name), data}}, err
	}
	job, err := loadJob(c, name)
	if err != nil {
		return nil, err
	}
	var list []namedModule
	for _, shader := range job.Shaders() {
		data, err := job.ReadFile(shader, files.MaxModule)
		if err != nil {
			return nil, err
		}
		list = append(list, namedModule{shader, data})
	}
	return list, nil
}

// eachModule validates each module that an argument names, and passes it to a function.
func eachModule(c *cobra.Command, name string, fault func(name string, err error) error, do func(name string, m *validate.Module) error) error {
	list, err := modulesOf(c, name)
	if err != nil {
		return err
	}
	var errs []error
	for _, shader := range list {
		m, err := gpu.LoadModule(shader.data, shader.name)
		if err != nil {
			errs = append(errs, fault(shader.name, err))
			continue
		}
		if err := do(shader.name, m); err != nil {
			errs = append(errs, gpu.Named(shader.name, err))
		}
	}
	return errors.Join(errs...)
}

// firstFault cuts the faults of a shader down to the first, for commands whose matter is not to list them.
func firstFault(err error) error {
	var faults validate.Faults
	if !errors.As(err, &faults) || len(faults) < 2 {
		return err
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s (and %d more: spvsim validate lists them)", first, len(faults)-1)
}

// eachNamed prefixes each line of an error with the shader's name, unless it has that prefix.
func eachNamed(name string, err error) error {
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, name+":") {
			lines[i] = name + ": " + line
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// displayName is the name of a file in messages.
func displayName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func validateCommand() *cobra.Command {
	strict := false
	c := &cobra.Command{
		Use:   "validate SHADER|JOB",
		Short: "Check a shader against the rules of SPIR-V, with a line for each fault",
		Long: `Check a shader, or the shaders of a job, against the rules of SPIR-V and of the extensions. Each fault is one line. Code that breaks
the letter of a specification, but that compilers are known to write, gets a warning. It is still valid, unless --strict makes errors of warnings.`,
		Example: "  spvsim validate shader.spv\n  spvsim validate reduce      the shaders of a ready job",
		Args:    exactly(1, "a shader (.spv or .spvasm; - is standard input), a job file or the name of a ready job"),
		RunE: func(c *cobra.Command, args []string) error {
			return eachModule(c, args[0], eachNamed, func(name string, m *validate.Module) error {
				if strict && len(m.Warnings) > 0 {
					return eachNamed(name, validate.Faults(m.Warnings))
				}
				for _, w := range m.Warnings {
					fmt.Fprintf(c.ErrOrStderr(), "warning: %s\n", eachNamed(name, w))
				}
				_, err := fmt.Fprintf(c.OutOrStdout(), "%s: valid\n", name)
				return err
			})
		},
	}
	c.Flags().BoolVar(&strict, "strict", false, "make warnings errors")
	return completeWord(c, false, jobNames)
}

func asmCommand() *cobra.Command {
	var out string
	var options asm.AssembleOptions
	c := &cobra.Command{
		Use:     "asm TEXT",
		Short:   "Assemble a module from the text form of SPIR-V",
		Example: "  spvsim asm shader.spvasm -o shader.spv",
		Args:    exactly(1, "a text file (- is standard input)"),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readInput(c, args[0])
			if err != nil {
				return err
			}
			if spirv.HasMagic(text) {
				return fmt.Errorf("%s: found a binary module: want its text, as spvsim disasm writes it", displayName(args[0]))
			}
			m, err := asm.AssembleWith(text, displayName(args[0]), options)
			if err != nil {
				return err
			}
			if out == "-" && onTerminal(c.OutOrStdout()) {
				return errors.New("asm: found a terminal as the output, but a module is binary: want a file (-o FILE)")
			}
			return writeFile(c, out, m.Encode(binary.LittleEndian))
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "-", "write the module to this `file`; - is standard output")
	c.Flags().BoolVar(&options.PreserveNumericIDs, "preserve-numeric-ids", false, "keep numeric ids (%12 is id 12) instead of numbering ids again")
	return c
}

func disasmCommand() *cobra.Command {
	var out string
	var options asm.Options
	c := &cobra.Command{
		Use:     "disasm MODULE",
		Short:   "Disassemble a module to text, in the form of spirv-dis",
		Example: "  spvsim disasm shader.spv",
		Args:    exactly(1, "a module (- is standard input)"),
		RunE: func(c *cobra.Command, args []string) error {
			data, err := readInput(c, args[0])
			if err != nil {
				return err
			}
			m, err := spirv.Decode(data)
			if err != nil {
				return fmt.Errorf("%s: %w", displayName(args[0]), err)
			}
			text, err := asm.Disassemble(m, options)
			if err != nil {
				return fmt.Errorf("%s: %w", displayName(args[0]), err)
			}
			return writeFile(c, out, []byte(text))
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "-", "write the text to this `file`; - is standard output")
	c.Flags().BoolVar(&options.RawIDs, "raw-id", false, "write ids as numbers, not names")
	c.Flags().BoolVar(&options.NoHeader, "no-header", false, "leave out the comments on version, generator and bound")
	c.Flags().BoolVar(&options.NoIndent, "no-indent", false, "do not align the opcodes")
	return c
}

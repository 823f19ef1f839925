package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"spvsim/spirv"
	"spvsim/spirv/asm"
	"spvsim/spirv/validate"
)

// readInput reads a file, or standard input when the name is -.
func readInput(c *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.InOrStdin())
	}
	return os.ReadFile(name)
}

// readShader decodes a module, or assembles its text; the first word tells which it is.
func readShader(c *cobra.Command, name string) (*spirv.Module, error) {
	data, err := readInput(c, name)
	if err != nil {
		return nil, err
	}
	return parseShader(data, shown(name))
}

func parseShader(data []byte, name string) (*spirv.Module, error) {
	if !isModule(data) && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return asm.Assemble(data, name)
	}
	m, err := spirv.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// isModule reports whether data starts with the magic number in either byte order.
func isModule(data []byte) bool {
	return len(data) >= 4 && (binary.LittleEndian.Uint32(data) == spirv.Magic || binary.BigEndian.Uint32(data) == spirv.Magic)
}

// checkedShader reads a shader and tests the rules; faults come one a line, each with the shader's name.
func checkedShader(c *cobra.Command, name string) (*validate.Module, error) {
	raw, err := readShader(c, name)
	if err != nil {
		return nil, err
	}
	m, err := validate.Check(raw)
	if err != nil {
		return nil, prefixLines(shown(name), err)
	}
	return m, nil
}

// shown is the name of a file in messages.
func shown(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "validate SHADER",
		Short:   "Test a shader against the rules of SPIR-V, one line a fault",
		Example: "  spvsim validate shader.spv",
		Args:    exactly(1, "a shader (.spv or .spvasm; - is standard input)"),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := checkedShader(c, args[0]); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: valid\n", shown(args[0]))
			return nil
		},
	}
}

func asmCommand() *cobra.Command {
	var out string
	var options asm.AssembleOptions
	c := &cobra.Command{
		Use:     "asm TEXT",
		Short:   "Assemble the text form of SPIR-V to a module",
		Example: "  spvsim asm shader.spvasm -o shader.spv",
		Args:    exactly(1, "a text file (- is standard input)"),
		RunE: func(c *cobra.Command, args []string) error {
			text, err := readInput(c, args[0])
			if err != nil {
				return err
			}
			m, err := asm.AssembleWith(text, shown(args[0]), options)
			if err != nil {
				return err
			}
			if out == "-" && onTerminal(c.OutOrStdout()) {
				return errors.New("asm: a module is no text for a terminal: name a file with -o")
			}
			return writeFile(c, out, m.Encode(binary.LittleEndian))
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "-", "`file` to write the module to; - is standard output")
	c.Flags().BoolVar(&options.PreserveNumericIDs, "preserve-numeric-ids", false, "keep %12 as id 12 instead of numbering ids anew")
	return c
}

func disasmCommand() *cobra.Command {
	var out string
	var options asm.Options
	c := &cobra.Command{
		Use:     "disasm SHADER",
		Short:   "Write a module as text, as spirv-dis does",
		Example: "  spvsim disasm shader.spv",
		Args:    exactly(1, "a shader (- is standard input)"),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := readShader(c, args[0])
			if err != nil {
				return err
			}
			text, err := asm.Disassemble(m, options)
			if err != nil {
				return fmt.Errorf("%s: %w", shown(args[0]), err)
			}
			return writeFile(c, out, []byte(text))
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "-", "`file` to write the text to; - is standard output")
	c.Flags().BoolVar(&options.RawIDs, "raw-id", false, "numbers for ids, not names")
	c.Flags().BoolVar(&options.NoHeader, "no-header", false, "no comments on version, generator and bound")
	c.Flags().BoolVar(&options.NoIndent, "no-indent", false, "no alignment of the opcodes")
	return c
}

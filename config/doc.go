// Package config reads YAML and returns checked values: machines with their timing tables, jobs, experiments and
// cluster profiles. It holds the machine presets.
//
// A machine file holds the fields of Machine; the machine named by `base:` supplies missing ones. A number may be
// written with its source, `banks: {value: 32, source: "V: ..."}`, and a `source:` key in a mapping applies to all
// numbers in it without a source of their own. Sources begin with their kind: M measured on hardware, V vendor's
// document or code, C compiler's cost model, S another simulator's parameter, D derived by counting; a `knob:` was
// chosen, and names what to sweep.
//
// Later layers win: base, file, overlay files, the job's `set:`, then settings of the command line (lds.banks=64).
//
// The package does not simulate, read shaders or know operations beyond their names: a field's doc tag describes its
// number, and the packages that build the machine implement that meaning.
package config

// Expr is a number or an arithmetic expression as written in a file; empty when left out.
type Expr string

package experiments

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"spvsim/internal/lists"
)

//go:embed figures/*.yaml figures/jobs/*.yaml figures/jobs/*.spv figures/jobs/*.spvasm figures/mi300a/*.csv figures/constants/*.csv
var figures embed.FS

// figureSuffix ends the names of experiment files; all other files in their folder belong to them.
const figureSuffix = ".yaml"

// FigureFiles returns the folder of the embedded experiments: their files and the files that those name.
func FigureFiles() (fs.FS, error) { return fs.Sub(figures, "figures") }

// FigureNames lists the embedded experiments in alphabetical order.
func FigureNames() []string {
	files, _ := fs.Glob(figures, "figures/*"+figureSuffix) // the pattern is a constant, and well formed
	return lists.Map(files, func(f string) string { return strings.TrimSuffix(path.Base(f), figureSuffix) })
}

// LookupFigure finds an embedded experiment by name: its folder, and its file there.
func LookupFigure(name string) (files fs.FS, file string, err error) {
	files, err = FigureFiles()
	if err != nil {
		return nil, "", err
	}
	file = name + figureSuffix
	if _, err := fs.Stat(files, file); err != nil || strings.ContainsAny(name, `/\`) {
		return nil, "", fmt.Errorf("%w: %q%s", ErrUnknown, name, nearestOf(name, FigureNames()))
	}
	return files, file, nil
}

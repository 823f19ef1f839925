package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spvsim/internal/suite"
)

const plotFigure = "kind: line\nx: work\ny: cycles\nseries: scheduler\n"

func plotFiles(t *testing.T, rows, figure string) (rowsPath, figurePath string) {
	t.Helper()
	dir := t.TempDir()
	rowsPath, figurePath = filepath.Join(dir, "rows.csv"), filepath.Join(dir, "speed.yaml")
	for path, text := range map[string]string{rowsPath: rows, figurePath: figure} {
		suite.OK(t, os.WriteFile(path, []byte(text), 0o666))
	}
	return rowsPath, figurePath
}

func TestPlotWritesEachFormatTwiceTheSame(t *testing.T) {
	rows, figure := plotFiles(t, "scheduler,work,cycles\na,1,3\na,2,\na,4,9\n", plotFigure)
	var files [2]map[string][]byte
	for i := range files {
		dir := filepath.Join(t.TempDir(), "new", "figures")
		var stdout, stderr bytes.Buffer
		if status := Main([]string{"plot", rows, figure, "-o", dir, "--style", "page"}, nil, &stdout, &stderr); status != exitDone {
			t.Fatalf("status %d: %s", status, &stderr)
		}
		if !strings.Contains(stderr.String(), "1 point left out") {
			t.Errorf("what was left out is not told: %q", &stderr)
		}
		files[i] = map[string][]byte{}
		for _, format := range []string{"svg", "pdf", "png"} {
			data := suite.Must(os.ReadFile(filepath.Join(dir, "speed."+format)))(t)
			files[i][format] = data
		}
	}
	for format, data := range files[0] {
		if !bytes.Equal(data, files[1][format]) {
			t.Errorf("%s differs between two runs", format)
		}
	}
}

func TestPlotRefusesByName(t *testing.T) {
	rows, figure := plotFiles(t, "scheduler,work,cycle\na,1,3\n", plotFigure)
	tests := map[string][]string{
		`speed.yaml:3: y: ` + rows + `: found no column "cycles" (nearest: cycle)`: {"plot", rows, figure},
		`speed.yaml: rows: want a file of rows`:                                    {"plot", figure},
		`no such file`:                                                             {"plot", "absent.csv", figure},
		`want rows in .csv or .parquet`:                                            {"plot", figure, figure},
	}
	for want, args := range tests {
		var stdout, stderr bytes.Buffer
		if status := Main(args, nil, &stdout, &stderr); status != exitBadInput || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: status %d, %s\nwant %s", args, status, &stderr, want)
		}
	}
}

func TestPlotRefusesFormatsAndStyles(t *testing.T) {
	rows, figure := plotFiles(t, "scheduler,work,cycles\na,1,3\n", plotFigure)
	for flag, want := range map[string]string{"--format=pgn": `no format "pgn"`, "--style=colum": `no style "colum": want one of column, page (nearest: column)`} {
		dir := t.TempDir()
		var stdout, stderr bytes.Buffer
		if status := Main([]string{"plot", rows, figure, "-o", dir, flag}, nil, &stdout, &stderr); status != exitBadInput || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s", flag, status, &stderr)
		}
	}
}

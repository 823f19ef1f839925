package plots

import (
	"bytes"
	"compress/zlib"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"spvsim/internal/randfigure"
	"spvsim/internal/suite"
)

// Figures of all kinds, scales and ends over rows of all kinds: each is drawn, or refused with an error of this package. The
// default test draws from fixed seeds; -figures.count draws more of them, and FuzzAnyFigure lets the fuzzer choose.
var (
	firstFigure  = flag.Uint64("figures.first", 1, "seed of the first figure drawn at random")
	countFigures = flag.Uint64("figures.count", 150, "figures drawn at random, a seed each")
)

func TestAnyFigureOfAnyRows(t *testing.T) {
	last := *firstFigure + *countFigures - 1
	t.Logf("seeds %d to %d", *firstFigure, last)
	ended := map[string]int{}
	for seed := *firstFigure; seed <= last; seed++ {
		end, err := anyFigure(randfigure.Bytes(seed))
		if err != nil {
			t.Errorf("-figures.first %d -figures.count 1: %v", seed, err)
		}
		ended[end]++
	}
	t.Logf("ended as: %v", ended)
	if ended["drawn"] < int(*countFigures)/4 {
		t.Errorf("%d of %d figures drawn, the others refused: too few to tell", ended["drawn"], *countFigures)
	}
}

func FuzzAnyFigure(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randfigure.Bytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		suite.Must(anyFigure(data))(t)
	})
}

// slowest is far beyond the time of any figure, some milliseconds: it detects a hang, not a busy machine.
const slowest = 8 * time.Minute

// anyFigure draws a figure chosen by the bytes, and returns its end: drawn or refused; err is a fault.
func anyFigure(data []byte) (end string, err error) {
	c := randfigure.New(data)
	formats := []string{"svg"}
	switch c.IntN(16) { // bitmaps take ten times as long
	case 0:
		formats = []string{"png", "pdf"}
	case 1, 2, 3, 4:
		formats = []string{"svg", "pdf"}
	}
	text, rows := c.Figure(), c.Rows()
	done := make(chan error, 1)
	end = "refused"
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		drew, err := drawAny(text, rows, formats)
		if drew {
			end = "drawn"
		}
		done <- err
	}()
	select {
	case err = <-done:
	case <-time.After(slowest):
		return "lost", fmt.Errorf("not drawn after %v\n%s\n%s", slowest, text, rows)
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s\n%s", err, text, rows)
	}
	return end, err
}

// drawAny reads and draws a figure. It returns whether something was drawn. A refusal is no error.
func drawAny(text, rows string, formats []string) (bool, error) {
	f, err := Read("f", []byte(text))
	if err != nil {
		return false, unlessRefused(err)
	}
	table, err := ReadCSV("drawn", strings.NewReader(rows))
	if err != nil {
		return false, fmt.Errorf("rows: %w", err)
	}
	chart, err := Build(f, table)
	if err != nil {
		return false, unlessRefused(err)
	}
	for _, format := range formats {
		data, err := chart.Draw(format, "")
		if err != nil {
			return false, unlessRefused(err)
		}
		if err := lookAt[format](data); err != nil {
			return true, fmt.Errorf("%s: %w", format, err)
		}
	}
	return true, checkTicks(chart)
}

// unlessRefused drops errors that name a mistake of the figure or its rows.
func unlessRefused(err error) error {
	if e := (*Error)(nil); errors.As(err, &e) && !errors.Is(err, ErrDraw) {
		return nil
	}
	return err
}

var (
	notNumbers = regexp.MustCompile(`NaN|[+-]?Inf\b`)
	textsInSVG = regexp.MustCompile(`>[^<]*<`) // a category may well be named Inf
	textsInPDF = regexp.MustCompile(`\((\\.|[^\\)])*\)`)
	marksInSVG = regexp.MustCompile(`<path|<text`)
)

// lookAt checks the output of a format: valid numbers, and visible content.
var lookAt = map[string]func(data []byte) error{"svg": lookAtSVG, "pdf": lookAtPDF, "png": lookAtPNG}

func lookAtSVG(data []byte) error {
	text := textsInSVG.ReplaceAll(withoutFont(data), []byte("><"))
	if where := notNumbers.Find(text); where != nil || len(marksInSVG.FindAll(text, 3)) < 3 {
		return fmt.Errorf("%d bytes hold %s, or no marks", len(text), where)
	}
	return nil
}

func lookAtPNG(data []byte) error {
	_, err := png.Decode(bytes.NewReader(data))
	return err
}

func lookAtPDF(data []byte) error {
	page := textsInPDF.ReplaceAll(pageOf(data), []byte("()"))
	if where := notNumbers.Find(page); where != nil || len(page) < 100 {
		return fmt.Errorf("a page of %d bytes holds %s, or nothing", len(page), where)
	}
	return nil
}

// pageOf is the first stream of a PDF, which draws its page.
func pageOf(pdf []byte) []byte {
	_, rest, _ := bytes.Cut(pdf, []byte("stream\n"))
	r, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		return nil
	}
	page, _ := io.ReadAll(r) // bytes after the stream are not its error
	return page
}

// notALabel matches text that no tick may have: a power that is not an integer, or not a number.
var notALabel = regexp.MustCompile(`\^\{[^}]*[.e]|NaN|Inf`)

// checkTicks checks the ticks of every axis: in the axis' range, few, and labelled with numbers.
func checkTicks(c *Chart) error {
	const most = 400 // of labels, and of the ticks between two labels
	l, _ := c.chooseLayout("column")
	for _, p := range l.panes {
		for _, axis := range []struct {
			scale
			ticks int
		}{{p.axes.X, len(p.xt)}, {p.axes.Y, len(p.yt)}} {
			if !(axis.low < axis.high && isFinite(axis.low) && isFinite(axis.high)) || axis.isLog() && axis.low <= 0 || axis.ticks > most {
				return fmt.Errorf("an axis from %g to %g with %d ticks", axis.low, axis.high, axis.ticks)
			}
		}
		for _, tick := range append(p.xt, p.yt...) {
			if !isFinite(tick.Value) || notALabel.MatchString(tick.Label) && c.X.Scale != "category" && c.Y.Scale != "category" {
				return fmt.Errorf("a tick at %g says %q", tick.Value, tick.Label)
			}
		}
	}
	return nil
}

package sweep

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progress shows the progress of a sweep: as a bar on a terminal, else a line now and then.
type progress struct {
	w                     io.Writer // nil: no display
	bars                  *mpb.Progress
	bar                   *mpb.Bar
	startTime, lastShown  time.Time
	total, earlierResults int // points, and the part with earlier results
	done, failed          int // of the points that ran
}

// lineEvery is the interval between lines without a terminal.
const lineEvery = 5 * time.Second

func newProgress(w io.Writer, total, known int) *progress {
	now := time.Now()
	p := &progress{w: w, startTime: now, lastShown: now, total: total, earlierResults: known}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && known < total {
		p.bars = mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
		p.bar = p.bars.AddBar(int64(total), mpb.PrependDecorators(decor.CountersNoUnit("%d/%d points")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + p.text() })))
		p.bar.SetCurrent(int64(known))
	}
	return p
}

// recordEnded counts a point that ran, for all the points that share its inputs.
func (p *progress) recordEnded(r *Record, points int) {
	if r.Status == Done {
		p.done += points
	} else {
		p.failed += points
	}
	switch now := time.Now(); {
	case p.bar != nil:
		p.bar.IncrBy(points)
	case p.w != nil && (now.Sub(p.lastShown) >= lineEvery || p.earlierResults+p.done+p.failed == p.total):
		p.lastShown = now
		fmt.Fprintf(p.w, "%d of %d points, %s\n", p.earlierResults+p.done+p.failed, p.total, p.text())
	}
}

// text returns the text after the bar: failures, rate, remaining time.
func (p *progress) text() string {
	ran := p.done + p.failed
	took := time.Since(p.startTime)
	text := fmt.Sprintf("%d failed", p.failed)
	if ran == 0 || took <= 0 {
		return text
	}
	left := time.Duration(float64(took) / float64(ran) * float64(p.total-p.earlierResults-ran))
	return fmt.Sprintf("%s, %.2g a second, %s left", text, float64(ran)/took.Seconds(), left.Round(time.Second))
}

func (p *progress) close() {
	if p.bar != nil {
		p.bar.Abort(false) // no effect when it is full
		p.bars.Wait()
	}
}

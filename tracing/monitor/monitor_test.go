//go:build akita

package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spvsim/config"
	"spvsim/experiments"
	"spvsim/gpu"
	"spvsim/internal/suite"
	"spvsim/tracing/monitor"
)

func setup(t *testing.T) gpu.Setup {
	t.Helper()
	files, file, _, err := experiments.Lookup("peer-atax")
	if err != nil {
		t.Fatal(err)
	}
	job := suite.Must(config.LoadJob(files, file))(t)
	m := suite.Must(config.LoadMachine(config.Request{Job: job, Machine: "gcn3-r9nano"}))(t)
	return gpu.Setup{Machine: m, Job: job}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	r := suite.Must(http.Get(url))(t)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, r.Status, err)
	}
	return string(b)
}

// TestPagesWhileTheRunGoes: the monitor serves its page and data, twice in one process, and the run's results do not
// change.
func TestPagesWhileTheRunGoes(t *testing.T) {
	plain := setup(t)
	want := suite.Must(gpu.Run(context.Background(), plain))(t)
	for range 2 {
		m := suite.Must(monitor.New(0))(t)
		s := setup(t)
		s.Attach = m.Attach
		asked, running := 0, uint64(0)
		var looks sync.WaitGroup
		times := map[string]bool{}
		s.Progress = func(p gpu.Progress) {
			m.Progress(p.Ended, p.Running, p.Total)
			if asked++; asked > 3 {
				return
			}
			times[fetch(t, m.URL()+"/api/now")] = true
			if page := fetch(t, m.URL()+"/"); !strings.Contains(page, "<title>Akita Monitoring Tool</title>") {
				t.Errorf("page %q", page)
			}
			if parts := fetch(t, m.URL()+"/api/list_components"); !strings.Contains(parts, `"SE[3].CU[15].SIMD[3]"`) || !strings.Contains(parts, `"SE[3].CU[15].LDS"`) {
				t.Errorf("parts %s", parts)
			}
			if bars := fetch(t, m.URL()+"/api/progress"); !strings.Contains(bars, `"total":2,`) || !strings.Contains(bars, fmt.Sprintf(`"finished":%d,"in_progress":%d`, p.Ended, p.Running)) || strings.Contains(bars, `"start_time":"0001`) {
				t.Errorf("progress %s, want %d ended, %d running", bars, p.Ended, p.Running)
			}
			looks.Go(func() { // with the engine paused: not while it waits for us
				if unit := fetch(t, m.URL()+"/api/component/SE[3].CU[15]"); !strings.Contains(unit, `"SIMDs"`) {
					t.Errorf("unit %s", unit)
				}
				if simds := fetch(t, m.URL()+`/api/field/{"comp_name":"SE[3].CU[15]","field_name":"SIMDs"}`); !strings.Contains(simds, `"l":4`) {
					t.Errorf("SIMDs %s", simds)
				}
			})
			running = max(running, p.Running)
		}
		got := suite.Must(gpu.Run(context.Background(), s))(t)
		looks.Wait()
		suite.OK(t, m.Close())
		if d := cmp.Diff(want.Stats.Counts, got.Stats.Counts); d != "" {
			t.Errorf("statistics (-without monitor +with):\n%s", d)
		}
		if running == 0 {
			t.Error("no workgroup is ever running")
		}
		if len(times) == 0 || len(times) != min(asked, 3) {
			t.Errorf("times %v in %d looks: want another each time", times, asked)
		}
		if _, err := http.Get(m.URL()); err == nil {
			t.Error("the monitor is there after Close")
		}
	}
}

// TestLoopbackOnly: no one else on the network can stop the run.
func TestLoopbackOnly(t *testing.T) {
	m := suite.Must(monitor.New(0))(t)
	defer m.Close()
	suite.OK(t, m.Attach(nil, nil))
	_, port, err := net.SplitHostPort(strings.TrimPrefix(m.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	addresses := suite.Must(net.InterfaceAddrs())(t)
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() || ip.IP.IsLinkLocalUnicast() {
			continue
		}
		if c, err := net.Dial("tcp", net.JoinHostPort(ip.IP.String(), port)); err == nil {
			c.Close()
			t.Errorf("the monitor answers on %s", ip.IP)
		}
	}
}

func TestPorts(t *testing.T) {
	for _, port := range []int{-1, 1, 80, 1000, 65536} {
		if _, err := monitor.New(port); !errors.Is(err, monitor.ErrPort) {
			t.Errorf("port %d: %v", port, err)
		}
	}
	l := suite.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	if _, err := monitor.New(l.Addr().(*net.TCPAddr).Port); err == nil {
		t.Error("a port that is taken: no error")
	}
}

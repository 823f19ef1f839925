//go:build akita

package monitor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/shirou/gopsutil/process"
	"github.com/syifan/goseth"
)

func (m *Monitor) pause(http.ResponseWriter, *http.Request) {
	m.control.Lock()
	defer m.control.Unlock()
	m.paused = true
	m.engine.Pause()
}

func (m *Monitor) proceed(http.ResponseWriter, *http.Request) {
	m.control.Lock()
	defer m.control.Unlock()
	m.paused = false
	m.engine.Continue()
}

// whilePaused calls f while no event runs.
func (m *Monitor) whilePaused(f func()) {
	m.control.Lock()
	defer m.control.Unlock()
	m.engine.Pause()
	defer func() {
		if !m.paused {
			m.engine.Continue()
		}
	}()
	f()
}

func (m *Monitor) now(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, `{"now":%.10f}`, m.engine.CurrentTime())
}

// findComponent returns a part by its name; if there is none, it answers with an error and returns nil.
func (m *Monitor) findComponent(w http.ResponseWriter, name string) sim.Component {
	for _, c := range m.components {
		if c.Name() == name {
			return c
		}
	}
	http.Error(w, fmt.Sprintf("no part %q", name), http.StatusNotFound)
	return nil
}

// tick makes one of Akita's own parts check for work.
func (m *Monitor) tick(w http.ResponseWriter, r *http.Request) {
	part := m.findComponent(w, r.PathValue("name"))
	if part == nil {
		return
	}
	ticking, ok := part.(interface{ TickLater(sim.VTimeInSec) })
	if !ok {
		http.Error(w, part.Name()+" does not tick: its events are its own", http.StatusMethodNotAllowed)
		return
	}
	m.whilePaused(func() { ticking.TickLater(m.engine.CurrentTime()) })
}

func (m *Monitor) list(w http.ResponseWriter, _ *http.Request) {
	names := make([]string, 0, len(m.components))
	for _, c := range m.components {
		names = append(names, c.Name())
	}
	send(w, names)
}

// send answers with a value as JSON.
func send(w http.ResponseWriter, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text) // the client may be gone
}

func (m *Monitor) component(w http.ResponseWriter, r *http.Request) {
	m.showFields(w, r.PathValue("name"), nil)
}

func (m *Monitor) field(w http.ResponseWriter, r *http.Request) {
	var of struct {
		Part  string `json:"comp_name"`
		Field string `json:"field_name"`
	}
	if err := json.Unmarshal([]byte(r.PathValue("json")), &of); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.showFields(w, of.Part, strings.Split(of.Field, "."))
}

// showFields answers with the fields of a part, or of one of its fields.
func (m *Monitor) showFields(w http.ResponseWriter, name string, path []string) {
	part := m.findComponent(w, name)
	if part == nil {
		return
	}
	s := goseth.NewSerializer()
	s.SetRoot(part)
	s.SetMaxDepth(1)
	var text bytes.Buffer
	var err error
	m.whilePaused(func() {
		if path != nil {
			err = s.SetEntryPoint(path)
		}
		if err == nil {
			err = s.Serialize(&text)
		}
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = w.Write(text.Bytes())
}

// buffersOf returns Akita's buffers among the fields of the parts and of their ports.
func buffersOf(parts []sim.Component) (list []sim.Buffer) {
	kind := reflect.TypeFor[sim.Buffer]()
	of := func(holder any) {
		v := reflect.ValueOf(holder).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Type() == kind && !f.IsNil() {
				list = append(list, reflect.NewAt(kind, unsafe.Pointer(f.UnsafeAddr())).Elem().Interface().(sim.Buffer))
			}
		}
	}
	for _, c := range parts {
		of(c)
		for _, p := range c.Ports() {
			of(p)
		}
	}
	return list
}

// fuller orders buffers, the fullest first, by share or by level.
var fuller = map[string]func(a, b bufferLevel) int{
	"":        func(a, b bufferLevel) int { return cmp.Or(cmp.Compare(b.fillShare(), a.fillShare()), b.Level-a.Level) },
	"percent": func(a, b bufferLevel) int { return cmp.Or(cmp.Compare(b.fillShare(), a.fillShare()), b.Level-a.Level) },
	"level":   func(a, b bufferLevel) int { return cmp.Or(b.Level-a.Level, cmp.Compare(b.fillShare(), a.fillShare())) },
}

// A bufferLevel is the fill level of a buffer, in the page's format.
type bufferLevel struct {
	Buffer string `json:"buffer"`
	Level  int    `json:"level"`
	Cap    int    `json:"cap"`
}

func (l bufferLevel) fillShare() float64 { return float64(l.Level) / float64(max(l.Cap, 1)) }

func (m *Monitor) levels(w http.ResponseWriter, r *http.Request) {
	order, ok := fuller[r.URL.Query().Get("sort")]
	limit, err := strconv.ParseUint(cmp.Or(r.URL.Query().Get("limit"), "0"), 10, 31)
	offset, err2 := strconv.ParseUint(cmp.Or(r.URL.Query().Get("offset"), "0"), 10, 31)
	if !ok || err != nil || err2 != nil {
		http.Error(w, "want sort level or percent, and numbers for limit and offset", http.StatusBadRequest)
		return
	}
	list := make([]bufferLevel, 0, len(m.buffers))
	m.whilePaused(func() {
		for _, b := range m.buffers {
			list = append(list, bufferLevel{b.Name(), b.Size(), b.Capacity()})
		}
	})
	slices.SortStableFunc(list, order)
	first := min(int(offset), len(list))
	send(w, list[first:min(first+int(limit), len(list))])
}

func (m *Monitor) progress(w http.ResponseWriter, _ *http.Request) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	send(w, []bar{m.bar})
}

func (m *Monitor) resource(w http.ResponseWriter, _ *http.Request) {
	var of struct {
		CPU    float64 `json:"cpu_percent"`
		Memory uint64  `json:"memory_size"`
	}
	p, err := process.NewProcess(int32(os.Getpid()))
	if err == nil {
		of.CPU, err = p.CPUPercent()
	}
	if err == nil {
		var memory *process.MemoryInfoStat
		if memory, err = p.MemoryInfo(); err == nil {
			of.Memory = memory.RSS
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, of)
}

// profileTime is the duration of a CPU profile.
const profileTime = time.Second

func (m *Monitor) profile(w http.ResponseWriter, _ *http.Request) {
	var data bytes.Buffer
	if err := pprof.StartCPUProfile(&data); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	time.Sleep(profileTime)
	pprof.StopCPUProfile()
	p, err := profile.ParseData(data.Bytes())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, p)
}

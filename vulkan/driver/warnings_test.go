package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spvsim/internal/suite"
	"spvsim/vulkan/vk"
)

// Each warning is reported once, and a bounded number of each kind; other kinds are not affected.
func TestWarningsAreReportedOnce(t *testing.T) {
	d := open(t)
	folder := t.TempDir()
	said := capturedStderr(t, folder)
	for i := range 2 * (mostWarnings + 5) {
		d.warn("vkA", "a buffer of %d", i/2)
	}
	d.warn("vkB", "an image of %d", 0)
	said()
	text := suite.Must(os.ReadFile(filepath.Join(folder, "stderr")))(t)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != mostWarnings+2 || lines[0] != "spvsim: vkA: warning: a buffer of 0" || lines[mostWarnings] != "spvsim: vkA: warning: more warnings of this kind are not listed" ||
		lines[mostWarnings+1] != "spvsim: vkB: warning: an image of 0" {
		t.Errorf("the driver says\n%s", text)
	}
}

// A wait that nothing submitted can end is reported, and continues: for a fence without a submission, and for a
// semaphore without a signal.
func TestWaitsWithoutEndAreReported(t *testing.T) {
	real := waitNotice
	waitNotice = time.Millisecond
	defer func() { waitNotice = real }()
	g := newTransferRig(t, 58)
	h := vk.Device(g.d.handle)
	folder := t.TempDir()
	said := capturedStderr(t, folder)
	var f vk.Fence
	CreateFence(h, &vk.FenceCreateInfo{}, nil, &f)
	if r := WaitForFences(h, 1, &f, 1, uint64(100*time.Millisecond)); r != vk.Timeout {
		t.Errorf("a fence of no submission: %d", r)
	}
	var s vk.Semaphore
	CreateSemaphore(h, &vk.SemaphoreCreateInfo{}, nil, &s)
	q := &queue{device: g.d}
	g.d.worker.submit(&submission{queue: q, waits: []point{{semaphore: mustLookUp[*semaphore](uint64(s))}}, fence: mustLookUp[*fence](uint64(f))})
	if r := WaitForFences(h, 1, &f, 1, uint64(100*time.Millisecond)); r != vk.Timeout {
		t.Errorf("a semaphore of no signal: %d", r)
	}
	said()
	text, err := os.ReadFile(filepath.Join(folder, "stderr"))
	for _, want := range []string{"no work is submitted: nothing signals the fence", "those that are pending wait for semaphores or events that nothing submitted signals"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, the driver says\n%s\nwant %s", err, text, want)
		}
	}
}

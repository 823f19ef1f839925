package launch_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"spvsim/internal/suite"
	"spvsim/vulkan/launch"
)

// With this variable, a process of this test runs an endless program until it is killed.
const hosts = "SPVSIM_TEST_HOSTS"

// endless starts another process, prints that both run, and waits for it forever.
var endless = []string{"sh", "-c", `sh -c 'echo both run; while :; do sleep 1000; done' & wait`}

func TestMain(m *testing.M) {
	if os.Getenv(hosts) != "" {
		_ = (&launch.Program{Args: []string{"sh", "-c", "echo both run; exec sleep 1000"}, Stdout: os.Stdout}).Run(context.Background())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// bothRun waits until a program and its child run.
func bothRun(t *testing.T, out io.Reader) {
	t.Helper()
	text := make([]byte, len("both run\n"))
	if _, err := io.ReadFull(out, text); err != nil || strings.TrimSpace(string(text)) != "both run" {
		t.Fatalf("%q, %v", text, err)
	}
}

// A program that is signaled to end ends with all of its children: nothing holds its output open.
func TestChildrenEndWithProgram(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- (&launch.Program{Args: endless, Stdout: out}).Run(ctx) }()
	bothRun(t, in)
	cancel()
	if err := <-ended; err == nil {
		t.Error("a program that was ended says that all is well")
	}
	out.Close()
	if rest, err := io.ReadAll(in); err != nil || len(rest) != 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// A program ends when the process that runs it is killed.
func TestAProgramEndsWithItsHost(t *testing.T) {
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), hosts+"=1")
	out, err := host.StdoutPipe()
	if err == nil {
		err = host.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	bothRun(t, out)
	suite.OK(t, host.Process.Signal(syscall.SIGKILL))
	if _, err := io.ReadAll(out); err != nil {
		t.Error(err)
	}
	if err := host.Wait(); !errors.As(err, new(*exec.ExitError)) {
		t.Error(err)
	}
}

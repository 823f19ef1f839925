package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Files are written under a temporary name with their writer, .new-PID-HOST-*, and then renamed. The next writer
// removes the files of killed ones: at once those of this machine, and by age those of others.
const (
	tempPrefix = ".new-"
	staleAfter = time.Hour // a file is written in well under a second
)

// tempName is the middle of a name: the writer.
func tempName() string { return fmt.Sprintf("%s%d-%s-", tempPrefix, os.Getpid(), hostName()) }

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return strings.Map(func(r rune) rune { // pattern characters are replaced
		if strings.ContainsRune("/\\*?[]", r) {
			return '_'
		}
		return r
	}, name)
}

// clearTemps removes the temporary files of dead writers for a file, or in a folder if the file's own name is empty.
func clearTemps(file string) {
	dir, base := filepath.Split(file)
	dir = cmp.Or(dir, ".")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the following write reports the error
	}
	for _, e := range entries {
		if writer, ok := strings.CutPrefix(e.Name(), base+tempPrefix); ok && isStale(e, writer) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // another sweep may have done so
		}
	}
}

func isStale(e os.DirEntry, writer string) bool {
	if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
		return true
	}
	number, rest, _ := strings.Cut(writer, "-")
	pid, err := strconv.Atoi(number)
	return err == nil && strings.HasPrefix(rest, hostName()+"-") && !isAlive(pid)
}

func isAlive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

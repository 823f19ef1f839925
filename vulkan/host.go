package main

/*
#cgo LDFLAGS: -ldl -rdynamic
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*program)(int, char **);

static int host(int count, char **words) {
	void *library = dlopen(words[0], RTLD_NOW);
	program start = library ? (program)dlsym(library, "main") : NULL;
	if (!start) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	return start(count, words);
}
*/
import "C"

import (
	"os"
	"unsafe"
)

// main hosts a C program, which is built as a library with a function main and is the first argument. The race detector
// needs this, as it knows the location of a program's own data and heap, not of a library's; and so do tests, as a
// library would compile all packages once more.
func main() {
	words := make([]*C.char, len(os.Args)) // the last one stays NULL
	for i, w := range os.Args[1:] {
		words[i] = C.CString(w)
	}
	if len(os.Args) < 2 {
		os.Stderr.WriteString("want the library of a program, and its arguments\n")
		os.Exit(2)
	}
	status := C.host(C.int(len(os.Args)-1), (**C.char)(unsafe.Pointer(&words[0])))
	C.fflush(nil)
	os.Exit(int(status))
}

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

// main hosts a C program: what else would be a program is a library with a function main, named first among the arguments. The race detector
// needs it so, as it knows where a program's own data and heap lie, not a library's; and tests, as a library is all packages compiled once more.
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

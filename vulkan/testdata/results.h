// The results of test programs: a line for each test, "ok NAME" or "FAIL NAME: ..." a fault, with what was found and what
// was wanted.
#ifndef RESULTS_H
#define RESULTS_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static const char *test_name = "start";
static int test_faults, faults;

__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...) {
	va_list arguments;
	if (++test_faults > 5) // the first few say enough
		return;
	printf("FAIL %s: ", test_name);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

#define check(condition, ...)                                                                         \
	do {                                                                                              \
		if (!(condition))                                                                             \
			fail(__VA_ARGS__);                                                                        \
	} while (0)

#define same(what, at, found, wanted)                                                                 \
	do {                                                                                              \
		int64_t found_ = (int64_t)(found), wanted_ = (int64_t)(wanted);                               \
		check(found_ == wanted_, "%s[%d] = %" PRId64 ", want %" PRId64, what, (int)(at), found_, wanted_); \
	} while (0)

static inline void begin_test(const char *name) {
	test_name = name;
	test_faults = 0;
}

static inline void end_test(bool skipped) {
	if (test_faults > 5)
		printf("FAIL %s: and %d more\n", test_name, test_faults - 5);
	if (!test_faults && !skipped)
		printf("ok %s\n", test_name);
	faults += test_faults;
	fflush(stdout);
}

#endif

// Runs a fuzz target without a fuzzing engine.
//
// In:  files and folders (of seeds, of inputs that crashed once); one that does not exist or is empty is an error.
// Out: exit status 0 when LLVMFuzzerTestOneInput came back from the empty input, from each file, and from
//      --mutations N random changes of each. When it does not come back, the input is left in
//      crash-<target>.bin (in $TMPDIR or /tmp) and its origin is printed; move it to the seeds and mend the bug.
// The mutations depend on --seed and the file's name alone: the same command runs the same inputs.
// Cost: files * (N + 1) calls; a call that takes longer than CALL_SECONDS of the processor, or WAIT_SECONDS in all,
// counts as a crash.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define CALL_SECONDS 20  // of the processor: other programs do not count
#define WAIT_SECONDS 400
#define MAX_LEN (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
// Present when a sanitizer is linked: called before it ends the program.
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static const char *program = "replay";
static const uint8_t *running;  // the input of the call under way
static size_t running_len;
static char origin[1200];
static unsigned long n_calls;

static void leave_input(void)
{
	if (!running) return;
	const char *folder = getenv("TMPDIR");
	const char *name = strrchr(program, '/');
	char path[600];
	snprintf(path, sizeof path, "%s/crash-%s.bin", folder ? folder : "/tmp", name ? name + 1 : program);
	int f = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	size_t written = 0;
	while (f >= 0 && written < running_len) {
		ssize_t n = write(f, running + written, running_len - written);
		if (n <= 0) break;
		written += (size_t)n;
	}
	if (f >= 0) close(f);
	fprintf(stderr, "replay: stopped at %s; the input (%zu bytes) is in %s\n", origin, running_len, path);
	running = NULL;
}

static void on_signal(int number)
{
	fprintf(stderr, "replay: %s\n",
	        number == SIGALRM || number == SIGPROF ? "the call takes too long" : strsignal(number));
	leave_input();
	signal(number, SIG_DFL);
	raise(number);
}

// splitmix64: small, fixed for ever, good enough to choose places and bytes.
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static size_t random_below(uint64_t *state, size_t n) { return n ? random_next(state) % n : 0; }

static void limit_time(bool on)
{
	const struct itimerval t = {.it_value.tv_sec = on ? CALL_SECONDS : 0};
	setitimer(ITIMER_PROF, &t, NULL);
	alarm(on ? WAIT_SECONDS : 0);
}

static void call(const uint8_t *data, size_t len)
{
	// An exact heap copy: reading one byte too far is seen.
	uint8_t *copy = malloc(len ? len : 1);
	if (!copy) abort();
	memcpy(copy, data, len);
	running = copy;
	running_len = len;
	n_calls++;
	limit_time(true);
	LLVMFuzzerTestOneInput(copy, len);
	limit_time(false);
	running = NULL;
	free(copy);
}

static void put_integer(uint8_t *at, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width; i++) at[i] = (uint8_t)(value >> 8 * i);
}

// One to four small changes of the len bytes at out (room for 2 * len + 64); the new length.
static size_t mutate(uint64_t *state, uint8_t *out, size_t len)
{
	static const uint64_t odd[] = {0,
	                               1,
	                               2,
	                               0x7f,
	                               0x80,
	                               0xff,
	                               0x7fff,
	                               0x8000,
	                               0xffff,
	                               0x7fffffff,
	                               0x80000000u,
	                               0xffffffffu,
	                               0x7fffffffffffffffu,
	                               0xffffffffffffffffu};
	size_t room = 2 * len + 64;
	for (size_t n = 1 + random_below(state, 4); n > 0; n--) {
		size_t at = random_below(state, len), to = at + random_below(state, len - at + 1), part = to - at;
		switch (random_below(state, 8)) {
		case 0:  // flip a bit
			if (len) out[at] ^= (uint8_t)(1u << random_below(state, 8));
			break;
		case 1:  // another byte
			if (len) out[at] = (uint8_t)random_next(state);
			break;
		case 2:  // a number at the edge of its range
			for (size_t width = (size_t)1 << random_below(state, 4); len >= width;) {
				put_integer(out + random_below(state, len - width + 1), width, odd[random_below(state, 14)]);
				break;
			}
			break;
		case 3:  // cut the tail
			len = at;
			break;
		case 4:  // take a piece out
			memmove(out + at, out + to, len - to);
			len -= part;
			break;
		case 5:  // a piece twice
			if (part == 0 || len + part > room) break;
			memmove(out + to + part, out + to, len - to);
			memcpy(out + to, out + at, part);
			len += part;
			break;
		case 6:  // a byte more: often one that the input already knows
			if (len + 1 > room) break;
			uint8_t byte = len && random_below(state, 2) ? out[random_below(state, len)] : (uint8_t)random_next(state);
			memmove(out + at + 1, out + at, len - at);
			out[at] = byte;
			len++;
			break;
		case 7:  // one piece over another
			if (len) memmove(out + random_below(state, len - part + 1), out + at, part);
			break;
		}
	}
	return len;
}

static void run_file(const char *path, unsigned long mutations, uint64_t seed)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	uint8_t *data = malloc(MAX_LEN), *changed = malloc(2 * (size_t)MAX_LEN + 64);
	if (!data || !changed) abort();
	size_t len = fread(data, 1, MAX_LEN, f);
	fclose(f);
	snprintf(origin, sizeof origin, "%s", path);
	call(data, len);
	const char *name = strrchr(path, '/');
	uint64_t state = seed;
	for (const char *p = name ? name + 1 : path; *p; p++) state = state * 31 + (unsigned char)*p;
	for (unsigned long i = 0; i < mutations; i++) {
		memcpy(changed, data, len);
		size_t n = mutate(&state, changed, len);
		snprintf(origin, sizeof origin, "%s, mutation %lu, --seed %llu", path, i, (unsigned long long)seed);
		call(changed, n);
	}
	free(data);
	free(changed);
}

static int by_name(const struct dirent *e) { return e->d_name[0] != '.'; }

static void run_path(const char *path, unsigned long mutations, uint64_t seed)
{
	struct stat s;
	if (stat(path, &s) != 0) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	if (!S_ISDIR(s.st_mode)) {
		run_file(path, mutations, seed);
		return;
	}
	struct dirent **entries;
	int n = scandir(path, &entries, by_name, alphasort);
	for (int i = 0; i < n; i++) {
		char file[1024];
		snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
		if (stat(file, &s) == 0 && S_ISREG(s.st_mode)) run_file(file, mutations, seed);
		free(entries[i]);
	}
	if (n >= 0) free(entries);
	if (n <= 0) {
		fprintf(stderr, "replay: %s holds no input; a target without seeds tests nothing\n", path);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	unsigned long mutations = 0;
	uint64_t seed = 1;
	program = argv[0];
	if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(leave_input);
	static const int fatal[] = {SIGALRM, SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], on_signal);

	snprintf(origin, sizeof origin, "the empty input");
	call((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--mutations") && i + 1 < argc)
			mutations = strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else
			run_path(argv[i], mutations, seed);
	}
	printf("%lu inputs, --seed %llu\n", n_calls, (unsigned long long)seed);
	return 0;
}

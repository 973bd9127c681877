// Files as a whole: reading into memory, replacing atomically.
//
// In:  a path, bytes. Out: the other. A replacement is written under a name of its own in the same folder, synced to
// the disk, renamed, and the folder synced: rename(2) is atomic, so no reader and no crash meets a part of it. The
// kernel applies the umask when it makes the file: mkstemp's 0600 would have to be widened, and a process can only read
// its umask by setting it, under other threads' feet.
// Cost: one pass over the bytes and two syncs.
#define _DEFAULT_SOURCE  // getentropy
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR: errno = EISDIR; return "it is a folder, not a file";
	case S_IFIFO: return "it is a FIFO (a named pipe), not a regular file";
	case S_IFSOCK: return "it is a socket, not a regular file";
	default: return "it is a device, not a regular file";
	}
}

FILE *file_open(const char *path, const char **why)
{
	struct stat s;
	bool is_descriptor =
		!strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/self/fd/", 14) || !strcmp(path, "/dev/stdin");
	// Opening a FIFO or a terminal does not wait so; what it is decides about the file that was opened, not about a
	// name.
	int fd = open(path, O_RDONLY | O_CLOEXEC | (is_descriptor ? 0 : O_NONBLOCK));
	if (fd < 0 || fstat(fd, &s)) {
		*why = errno == ENXIO ? "it is a socket, not a regular file" : strerror(errno);
	} else if (!S_ISREG(s.st_mode) && !(is_descriptor && !S_ISDIR(s.st_mode))) {
		errno = EINVAL;
		*why = kind_of(s.st_mode);
	} else {
		FILE *f = fdopen(fd, "rb");
		if (f) return f;
		*why = strerror(errno);
	}
	int error = errno;
	if (fd >= 0) close(fd);
	errno = error;
	return NULL;
}

const char *file_foreign(const void *bytes, size_t len)
{
	static const struct {
		const char *begin;
		size_t len;
		const char *what;
	} kinds[] = {
		{"version https://git-lfs.github.com/spec/", 40,
	     "a Git LFS pointer, which stands for the file: 'git lfs pull' fetches it"},
		{"\x8fGCDC\r\n\x1a", 8, "an artifact, which 'gcdc compile' wrote"},
		{"\x8fGCDV\r\n\x1a", 8, "a compiled vocabulary (.gcdv), which 'gcdc vocab' wrote"},
		{"GGUF", 4, "a GGUF model: the model's tokenizer.json lies beside the original weights"},
		{"PK\x03\x04", 4, "a ZIP archive"},
		{"\x1f\x8b", 2, "a gzip archive"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (len >= kinds[i].len && !memcmp(bytes, kinds[i].begin, kinds[i].len)) return kinds[i].what;
	// protobuf: field 1, a piece, whose field 1 is its text; the first one is mostly <unk> or <pad>.
	const char *text = bytes;
	if (len > 4 && text[0] == '\n' && text[2] == '\n' && (unsigned char)text[3] < 16 && text[4] == '<')
		return "a SentencePiece model, which --tokenizer takes";
	return NULL;
}

bool file_read(const char *path, size_t most, char **bytes, size_t *len)
{
	const char *why;
	*bytes = NULL, *len = 0;
	FILE *f = file_open(path, &why);
	if (!f) return false;
	size_t cap = 64 << 10, n = 0;
	struct stat s;
	if (!fstat(fileno(f), &s) && S_ISREG(s.st_mode) && s.st_size > 0 && (size_t)s.st_size <= most)
		cap = (size_t)s.st_size + 2;
	char *text = mem_alloc(cap);
	for (size_t got; (got = fread(text + n, 1, cap - 1 - n, f)) > 0;) {
		n += got;
		if (n > most) break;
		if (n == cap - 1) text = mem_realloc(text, cap *= 2, 1);
	}
	int error = ferror(f) ? errno : n > most ? EFBIG : 0;
	fclose(f);
	if (error) {
		free(text);
		errno = error;
		return false;
	}
	text[n] = 0;
	*bytes = text, *len = n;
	return true;
}

// Bytes into an open file, down to the disk.
static bool put_file(int fd, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno == EINTR) continue;
		if (n < 0) return false;
		bytes += n;
		len -= (size_t)n;
	}
	return fsync(fd) == 0;
}

static const char *folder_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	return !slash ? "." : slash == path ? "/" : arena_strndup(arena, path, (size_t)(slash - path));
}

// The folder's entry, too, survives a crash. Some file systems cannot do this; the file is whole all the same.
static void sync_folder(struct arena *arena, const char *path)
{
	int fd = open(folder_of(arena, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) return;
	(void)fsync(fd);
	close(fd);
}

#define TEMPORARY_TRIES 100  // names; there are 6e10 of them

// Other letters at the name's end, as file_is_temporary knows them; PATH.XXXXXX.
static void next_name(char *temporary)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	uint64_t random;
	if (getentropy(&random, sizeof random)) random = (uint64_t)getpid() * 0x9e3779b97f4a7c15u ^ (uintptr_t)&random;
	for (char *c = temporary + strlen(temporary) - 6; *c; c++, random /= sizeof letters - 1)
		*c = letters[random % (sizeof letters - 1)];
}

// A new file under a free name; -1 with errno.
static int open_temporary(char *temporary)
{
	int fd = -1;
	errno = EEXIST;
	for (int i = 0; i < TEMPORARY_TRIES && fd < 0 && errno == EEXIST; i++) {
		next_name(temporary);
		fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	return fd;
}

bool file_replace(const char *path, const void *bytes, size_t len, struct diag *d)
{
	struct arena arena = {0};
	struct stat there;
	char *temporary = arena_printf(&arena, "%s.XXXXXX", path);
	bool is_odd = stat(path, &there) == 0 && !S_ISREG(there.st_mode);  // a rename would put a file in a device's place
	int fd = is_odd ? -1 : open_temporary(temporary);
	if (fd < 0) {
		if (is_odd)
			diag_error(d, (struct loc){0}, "cannot write %s: it is there and is no regular file", path);
		else if (errno == ENOENT)
			diag_error(d, (struct loc){0}, "cannot write %s: there is no folder %s", path, folder_of(&arena, path));
		else if (errno == ENOTDIR)
			diag_error(d, (struct loc){0}, "cannot write %s: %s is no folder", path, folder_of(&arena, path));
		else
			diag_error(d, (struct loc){0}, "cannot create a file beside %s: %s", path, strerror(errno));
		arena_release(&arena);
		return false;
	}
	bool ok = put_file(fd, bytes, len);
	int error = errno;
	if (close(fd) != 0 && ok) ok = false, error = errno;
	if (ok && rename(temporary, path) != 0) ok = false, error = errno;
	if (ok) {
		sync_folder(&arena, path);
	} else {
		diag_error(d, (struct loc){0}, "cannot write %s: %s", path, strerror(error));
		unlink(temporary);
	}
	arena_release(&arena);
	return ok;
}

// A second name of a file, beside where it is going to.
static bool link_temporary(const char *from, char *temporary)
{
	bool ok = false;
	errno = EEXIST;
	for (int i = 0; i < TEMPORARY_TRIES && !ok && errno == EEXIST; i++) {
		next_name(temporary);
		ok = link(from, temporary) == 0;
	}
	return ok;
}

bool file_publish(const char *from, const char *path, size_t most, struct diag *d)
{
	struct stat is, there;
	if (stat(from, &is) == 0 && stat(path, &there) == 0) {
		if (is.st_ino == there.st_ino && is.st_dev == there.st_dev) return true;  // rename would leave both names
		if (!S_ISREG(there.st_mode))
			return diag_error(d, (struct loc){0}, "cannot write %s: it is there and is no regular file", path), false;
	}
	struct arena arena = {0};
	char *temporary = arena_printf(&arena, "%s.XXXXXX", path), *bytes;
	size_t len;
	bool linked = link_temporary(from, temporary), ok = linked && rename(temporary, path) == 0;
	if (ok)
		sync_folder(&arena, path);
	else if (linked)
		unlink(temporary);
	arena_release(&arena);
	if (ok) return true;
	if (!file_read(from, most, &bytes, &len))
		return diag_error(d, (struct loc){0}, "cannot read %s: %s", from, strerror(errno)), false;
	ok = file_replace(path, bytes, len, d);
	free(bytes);
	return ok;
}

bool file_update(const char *path, const void *bytes, size_t len, bool *changed, struct diag *d)
{
	char *old;
	size_t old_len;
	bool same = file_read(path, len, &old, &old_len) && old_len == len && (!len || !memcmp(old, bytes, len));
	free(old);
	if (changed) *changed = !same;
	return same || file_replace(path, bytes, len, d);
}

bool file_is_temporary(const char *entry, const char *name)
{
	size_t n = strlen(name);
	if (strncmp(entry, name, n) != 0 || entry[n] != '.' || strlen(entry) != n + 7) return false;
	for (const char *c = entry + n + 1; *c; c++)
		if (!((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'))) return false;
	return true;
}

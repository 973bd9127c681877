// A file, mapped for reading.
//
// In:  a path.  Out: its bytes, for munmap; or why not: it is not there, empty, or no regular file.
// Nothing waits for a FIFO or a device: they are refused. Cost: four system calls; pages are read when they are used.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime_internal.h"

gcdc_status file_map(const char *path, const void **bytes, size_t *len, gcdc_refusal *why)
{
	*bytes = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO does not block so
	if (fd < 0) return refuse(why, GCDC_ERR_IO, GCDC_NONE, 0, "cannot open %.120s: %s", path, strerror(errno));
	struct stat st;
	gcdc_status status = GCDC_OK;
	if (fstat(fd, &st) != 0) {
		status = refuse(why, GCDC_ERR_IO, GCDC_NONE, 0, "cannot look at %.120s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		status = refuse(why, GCDC_ERR_IO, GCDC_NONE, 0, "%.120s is %s, not a regular file", path,
		                S_ISDIR(st.st_mode)    ? "a folder"
		                : S_ISFIFO(st.st_mode) ? "a FIFO (a named pipe)"
		                                       : "a device");
	} else if (st.st_size == 0) {
		status = refuse(why, GCDC_ERR_FORMAT, GCDC_NONE, 0, "%.120s is empty", path);
	} else if ((uint64_t)st.st_size > SIZE_MAX) {
		status = refuse(why, GCDC_ERR_LIMIT, GCDC_NONE, 0, "%.120s does not fit into the address space", path);
	} else {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED) {
			status = refuse(why, GCDC_ERR_IO, GCDC_NONE, 0, "cannot map %.120s: %s", path, strerror(errno));
		} else {
			*bytes = p;
			*len = (size_t)st.st_size;
		}
	}
	close(fd);
	return status;
}

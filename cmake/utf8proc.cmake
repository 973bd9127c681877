# utf8proc has another soname, and another package's name, in each release of Debian and Ubuntu: where its archive is
# installed it is linked in, so that one package of gcdc installs on all of them.
option(GCDC_STATIC_UTF8PROC "link utf8proc's archive into the program, where there is one" ON)
add_library(gcdc_utf8proc INTERFACE)
add_library(gcdc::utf8proc ALIAS gcdc_utf8proc)
find_library(GCDC_UTF8PROC_ARCHIVE libutf8proc.a HINTS ${utf8proc_LIBRARY_DIRS})
mark_as_advanced(GCDC_UTF8PROC_ARCHIVE)
if(GCDC_STATIC_UTF8PROC AND GCDC_UTF8PROC_ARCHIVE)
	target_include_directories(gcdc_utf8proc SYSTEM INTERFACE ${utf8proc_INCLUDE_DIRS})
	target_link_libraries(gcdc_utf8proc INTERFACE ${GCDC_UTF8PROC_ARCHIVE})
else()
	target_link_libraries(gcdc_utf8proc INTERFACE PkgConfig::utf8proc)
endif()

# `cmake --install`: the program with its manual and completions, the runtime (static and shared), its headers, and how
# others find them; `cpack -G DEB` makes a Debian package of the same.
if(TARGET gcdc)
	# What a command accepts is written down once, in the program: it writes its pages and completions itself.
	set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
	if(NOT CMAKE_CROSSCOMPILING)
		add_custom_command(TARGET gcdc POST_BUILD COMMAND gcdc manual --output ${manual} VERBATIM)
		install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
		install(FILES ${manual}/bash/gcdc DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
		install(FILES ${manual}/fish/gcdc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
		# Debian's zsh looks for packages' completions elsewhere than for the administrator's.
		install(CODE "
			set(zsh site-functions)
			if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
				set(zsh vendor-completions)
			endif()
			file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${zsh}\" TYPE FILE FILES \"${manual}/zsh/_gcdc\")")
	endif()
	install(TARGETS gcdc EXPORT gcdc-targets RUNTIME)
	install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
	install(FILES LICENSE CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
	install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcdc)   # where Debian looks for it
	install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN examples EXCLUDE)
	# README and docs point at these by ../formats.
	install(DIRECTORY formats/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/formats FILES_MATCHING PATTERN *.md PATTERN *.h PATTERN *.json)
	install(FILES grammars/json/json.lark DESTINATION ${CMAKE_INSTALL_DATADIR}/gcdc/grammars)
	install(FILES lib/bindings/bazel/gcdc.bzl DESTINATION ${CMAKE_INSTALL_DATADIR}/gcdc/bazel)
endif()
if(TARGET gcdc_runtime_shared)
	include(CMakePackageConfigHelpers)
	install(TARGETS gcdc_runtime gcdc_runtime_shared gcdc_runtime_core EXPORT gcdc-targets)
	install(TARGETS gcdc_compiler gcdc_compiler_shared EXPORT gcdc-targets)
	if(TARGET gcdc_cuda_shared)   # the CUDA runtime is linked in
		install(TARGETS gcdc_cuda_shared EXPORT gcdc-targets)
	endif()
	install(DIRECTORY lib/include/gcdc TYPE INCLUDE FILES_MATCHING PATTERN *.h)
	install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.c)
	find_package(Python3 COMPONENTS Interpreter QUIET)
	if(Python3_FOUND)   # pages of section 3, from the headers
		file(GLOB headers CONFIGURE_DEPENDS lib/include/gcdc/*.h)
		set(pages ${CMAKE_CURRENT_BINARY_DIR}/functions)
		add_custom_command(OUTPUT ${pages}/stamp
			COMMAND Python3::Interpreter scripts/function_pages.py ${headers} --examples docs/examples --output ${pages}
				--version ${PROJECT_VERSION} > ${pages}.log
			COMMAND ${CMAKE_COMMAND} -E touch ${pages}/stamp
			DEPENDS ${headers} scripts/function_pages.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
		add_custom_target(gcdc_function_pages ALL DEPENDS ${pages}/stamp)
		install(DIRECTORY ${pages}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR})
	endif()

	set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gcdc)
	install(EXPORT gcdc-targets NAMESPACE gcdc:: DESTINATION ${package_dir})
	configure_package_config_file(cmake/gcdc-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/gcdc-config.cmake
		INSTALL_DESTINATION ${package_dir})
	write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gcdc-config-version.cmake
		COMPATIBILITY SameMinorVersion)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gcdc-config.cmake
		${CMAKE_CURRENT_BINARY_DIR}/gcdc-config-version.cmake cmake/gcdc-artifacts.cmake DESTINATION ${package_dir})

	# From the .pc file to the prefix, so that an installed tree can be moved.
	file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
	foreach(pc gcdc gcdc_runtime)
		configure_file(cmake/${pc}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc @ONLY)
		install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
	endforeach()
	# A shared library is found at run time where ld.so looks: its cache is brought up to date, or it is said what to do.
	configure_file(cmake/ldconfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/ldconfig.cmake @ONLY)
	install(SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/ldconfig.cmake)
endif()

set(CPACK_PACKAGE_NAME gcdc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the developers of gcdc <gcdc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler of grammars into exact token masks for constrained decoding")
set(CPACK_PACKAGE_DESCRIPTION "gcdc turns a Lark grammar and a model's tokenizer.json into one file, from which a small
runtime library says, after every token, exactly which tokens may come next.

This package holds the compiler, the runtime library and what is needed to build programs with it.")
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
	WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ninja-build, cmake, pkg-config, libzstd-dev")
include(CPack)

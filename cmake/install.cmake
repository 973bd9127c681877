# `cmake --install`: the program, the runtime (static and shared), its headers, and how others find them.
if(TARGET gcdc_runtime_shared)
	include(CMakePackageConfigHelpers)
	install(TARGETS gcdc_runtime gcdc_runtime_shared EXPORT gcdc-targets)
	if(TARGET gcdc_cuda_shared)   # the CUDA runtime is linked in
		install(TARGETS gcdc_cuda_shared EXPORT gcdc-targets)
	endif()
	install(DIRECTORY lib/include/gcdc TYPE INCLUDE FILES_MATCHING PATTERN *.h)

	set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gcdc)
	install(EXPORT gcdc-targets NAMESPACE gcdc:: DESTINATION ${package_dir})
	configure_package_config_file(cmake/gcdc-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/gcdc-config.cmake
		INSTALL_DESTINATION ${package_dir})
	write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gcdc-config-version.cmake
		COMPATIBILITY SameMinorVersion)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gcdc-config.cmake
		${CMAKE_CURRENT_BINARY_DIR}/gcdc-config-version.cmake DESTINATION ${package_dir})

	# From the .pc file to the prefix, so that an installed tree can be moved.
	file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
	configure_file(cmake/gcdc_runtime.pc.in ${CMAKE_CURRENT_BINARY_DIR}/gcdc_runtime.pc @ONLY)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gcdc_runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

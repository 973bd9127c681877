# The Python package (lib/bindings/python): the extension module gcdc._core with the limited interface of Python 3.11, so that
# one file serves all later versions. GCDC_PYTHON=ON asks for it, and installs it and the program as component `python`
# (scikit-build-core does that); AUTO builds it for the tests where Python's headers are.
set(GCDC_PYTHON AUTO CACHE STRING "build the Python extension: ON, OFF, AUTO (with the tests, where Python's headers are)")
if(GCDC_PYTHON STREQUAL OFF OR NOT TARGET gcdc_compiler OR (GCDC_PYTHON STREQUAL AUTO AND NOT GCDC_TESTS))
	return()
endif()
if(GCDC_PYTHON STREQUAL AUTO)
	find_package(Python3 3.11 COMPONENTS Interpreter Development.Module QUIET)
else()
	find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
endif()
if(NOT Python3_Development.Module_FOUND)
	message(STATUS "Python package: headers of Python 3.11 or later not found: skipped")
	return()
endif()

gcdc_glob(sources lib/bindings/python/src/*.c)
add_library(gcdc_python MODULE ${sources})
gcdc_settings(gcdc_python)
target_include_directories(gcdc_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_compile_options(gcdc_python PRIVATE -Wno-conversion)   # of Python's inline functions
target_link_libraries(gcdc_python PRIVATE gcdc_compiler gcdc_runtime)
# In the build folder a package that can be imported, its Python files being links to the sources.
set(package ${PROJECT_BINARY_DIR}/python/gcdc)
set_target_properties(gcdc_python PROPERTIES PREFIX "" OUTPUT_NAME _core SUFFIX .abi3.so C_VISIBILITY_PRESET hidden
	LIBRARY_OUTPUT_DIRECTORY ${package})
gcdc_glob(files lib/bindings/python/gcdc/*)
file(MAKE_DIRECTORY ${package})
foreach(file IN LISTS files)
	cmake_path(GET file FILENAME name)
	if(NOT IS_DIRECTORY ${file})
		file(CREATE_LINK ${file} ${package}/${name} SYMBOLIC)
	endif()
endforeach()
if(GCDC_PYTHON STREQUAL ON)
	install(TARGETS gcdc_python LIBRARY DESTINATION gcdc COMPONENT python)
	install(TARGETS gcdc RUNTIME DESTINATION gcdc/bin COMPONENT python)
endif()

# lib/cuda twice: libgcdc_cuda by nvcc, for GPUs; libgcdc_cuda_host by the C++ compiler, the same logic over host memory.
# Each is built where its compiler is found, and skipped with a message where it is not.
#
# GCDC_CUDA_ARCHITECTURES: what device code is built ahead for (CMake's CUDA_ARCHITECTURES). Release: each major architecture
# that nvcc 13 has (code for 8.0 runs on 8.6 and 8.9, and so on), and PTX of the oldest, which a driver compiles for all
# others and for later ones. Else that PTX alone: a build of seconds for development.
option(GCDC_CUDA "build the CUDA backend where nvcc is found" ON)
set(GCDC_CUDA_TEAM 8 CACHE STRING "blocks that draw a row's token together, at most: 1, 2, 4 or 8 (docs/cuda.md)")
include(CheckLanguage)

# The settings of gcdc_settings that fit C++ and nvcc.
function(gcdc_cuda_settings target)
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/lib
		${PROJECT_SOURCE_DIR}/lib/include)
	set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS ON
		CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden)
	# -ffp-contract=off: a product and a sum stay two roundings, as on the device.
	target_compile_options(${target} PRIVATE
		$<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wno-unknown-pragmas -fno-exceptions -fno-rtti -ffp-contract=off>
		$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-fno-exceptions,-fno-rtti --expt-relaxed-constexpr>)
	if(GCDC_WERROR)
		target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
			$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
	endif()
	target_compile_options(${target} PRIVATE
		$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>
		$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
	target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib/include>
		$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

set(GCDC_CUDA_TARGETS "")   # of those that tests and examples run with
if(GCDC_CUDA)
	check_language(CXX)
	if(CMAKE_CXX_COMPILER)
		enable_language(CXX)
	endif()
	if(GCDC_SANITIZE AND CMAKE_CXX_COMPILER AND NOT CMAKE_CXX_COMPILER_ID STREQUAL CMAKE_C_COMPILER_ID)
		message(STATUS "CUDA backend: skipped: sanitizers of ${CMAKE_C_COMPILER_ID} and ${CMAKE_CXX_COMPILER_ID} do not mix")
	elseif(CMAKE_CXX_COMPILER)
		set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer")
		set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1")
		add_library(gcdc_cuda_host STATIC lib/cuda/host.cpp)
		gcdc_cuda_settings(gcdc_cuda_host)
		if(GCDC_SANITIZE)
			target_compile_options(gcdc_cuda_host PRIVATE -fsanitize=${GCDC_SANITIZE} -fno-sanitize-recover=all)
		endif()
		target_link_libraries(gcdc_cuda_host PUBLIC gcdc_runtime)
		list(APPEND GCDC_CUDA_TARGETS gcdc_cuda_host)
		# Each thread a fiber: lib/cuda/simt.cuh. Sanitizers do not follow fibers; the switch is GCC's.
		if(GCDC_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
			add_library(gcdc_cuda_simt STATIC lib/cuda/host.cpp)
			gcdc_cuda_settings(gcdc_cuda_simt)
			target_compile_definitions(gcdc_cuda_simt PRIVATE GCDC_SIMT)
			target_compile_options(gcdc_cuda_simt PRIVATE -O2)
			target_link_libraries(gcdc_cuda_simt PUBLIC gcdc_runtime)
			list(APPEND GCDC_CUDA_TARGETS gcdc_cuda_simt)
		endif()
		check_language(CUDA)
	else()
		message(STATUS "CUDA backend: no C++ compiler: neither it nor its host build is built")
	endif()
	if(TARGET gcdc_cuda_host AND CMAKE_CUDA_COMPILER)
		if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
			set(CMAKE_CUDA_ARCHITECTURES 75)   # for the check of the compiler
		endif()
		enable_language(CUDA)
		set(default 75-virtual)
		if(CMAKE_BUILD_TYPE STREQUAL Release)
			set(default 75 80-real 90-real)
			if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
				list(APPEND default 100-real 120-real)
			endif()
		endif()
		set(GCDC_CUDA_ARCHITECTURES "${default}" CACHE STRING "what device code is built ahead for")
		set(CMAKE_CUDA_FLAGS_DEBUG "-O1 -lineinfo")
		set(CMAKE_CUDA_FLAGS_RELEASE "-O3")
		set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
		gcdc_glob(sources lib/cuda/*.cu lib/cuda/*.cpp)   # kernels are in .cu alone
		list(FILTER sources EXCLUDE REGEX "/(host|simt).cpp$")
		add_library(gcdc_cuda_objects OBJECT ${sources})
		gcdc_cuda_settings(gcdc_cuda_objects)
		target_include_directories(gcdc_cuda_objects SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
		target_compile_definitions(gcdc_cuda_objects PRIVATE GCDC_CUDA_TEAM=${GCDC_CUDA_TEAM}u)
		set_target_properties(gcdc_cuda_objects PROPERTIES CUDA_ARCHITECTURES "${GCDC_CUDA_ARCHITECTURES}")
		add_library(gcdc_cuda STATIC $<TARGET_OBJECTS:gcdc_cuda_objects>)
		add_library(gcdc_cuda_shared SHARED $<TARGET_OBJECTS:gcdc_cuda_objects>)
		set_target_properties(gcdc_cuda PROPERTIES EXPORT_NAME cuda_static LINKER_LANGUAGE CUDA)
		set_target_properties(gcdc_cuda_shared PROPERTIES EXPORT_NAME cuda OUTPUT_NAME gcdc_cuda LINKER_LANGUAGE CUDA
			VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
		target_link_libraries(gcdc_cuda PUBLIC gcdc_runtime)
		target_link_libraries(gcdc_cuda_shared PUBLIC gcdc_runtime_shared)
		foreach(target gcdc_cuda gcdc_cuda_shared)
			target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib/include>
				$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
			if(GCDC_SANITIZE)
				target_link_options(${target} PRIVATE -fsanitize=${GCDC_SANITIZE})
			endif()
		endforeach()
		list(APPEND GCDC_CUDA_TARGETS gcdc_cuda)
		message(STATUS "CUDA backend: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, device code for ${GCDC_CUDA_ARCHITECTURES}")
	elseif(TARGET gcdc_cuda_host)
		message(STATUS "CUDA backend: nvcc not found: skipped (CUDACXX names it); all else is built")
	endif()
endif()

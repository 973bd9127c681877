# Every program of tests/ is one ctest; its label is its folder. Tests run from the top of the source tree.
#     ctest --preset dev -L unit        one tier
#     cmake --build --preset dev --target unit_tests     only what that tier needs
pkg_check_modules(criterion REQUIRED IMPORTED_TARGET criterion)

define_property(TARGET PROPERTY GCDC_TEST_CODE BRIEF_DOCS "test code: fewer warnings")
set(GCDC_ALL ${GCDC_MODULES} gcdc_runtime PkgConfig::zstd PkgConfig::cjson PkgConfig::yaml
	Threads::Threads m)
foreach(label unit golden corrupt oracle fuzz thread)
	add_custom_target(${label}_tests)
endforeach()
set(sanitizer_env "ASAN_OPTIONS=detect_stack_use_after_return=1" "UBSAN_OPTIONS=print_stacktrace=1"
	"TSAN_OPTIONS=halt_on_error=1")

# Tools that tests of several folders share.
gcdc_glob(support tests/support/*.c)
add_library(gcdc_test_support STATIC ${support})
set_target_properties(gcdc_test_support PROPERTIES GCDC_TEST_CODE ON)
gcdc_settings(gcdc_test_support)
target_link_libraries(gcdc_test_support PRIVATE gcdc_grammar)

# gcdc_register(<label> <name> <timeout s> <command>...): status 77 means skipped. The time is what a quiet machine of two
# cores never needs; a busy one has three times as much: the limit ends what hangs, it judges no speed.
function(gcdc_register label name timeout)
	add_test(NAME ${label}.${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
	math(EXPR timeout "3 * ${timeout}")
	# Criterion's workers report a test as passed although they leak at their end: the words decide, too.
	set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 77
		FAIL_REGULAR_EXPRESSION "ERROR: [A-Za-z]+Sanitizer;WARNING: ThreadSanitizer;runtime error:"
		ENVIRONMENT "GCDC=$<$<TARGET_EXISTS:gcdc>:$<TARGET_FILE:gcdc>>;${sanitizer_env}")
endfunction()

# gcdc_test_programs(<label> <timeout s> <prefix> <libraries>...): tests/<label>/<prefix>*.c are programs, the
# folder's other .c files (and those of its lib/) are linked to each of them.
function(gcdc_test_programs label timeout prefix)
	gcdc_glob(programs tests/${label}/${prefix}*.c)
	gcdc_glob(shared tests/${label}/*.c tests/${label}/lib/*.c)
	if(NOT programs)
		return()
	endif()
	list(REMOVE_ITEM shared ${programs})
	set(support "")
	if(shared)
		set(support gcdc_test_${label})
		add_library(${support} STATIC ${shared})
		set_target_properties(${support} PROPERTIES GCDC_TEST_CODE ON)
		gcdc_settings(${support})
		target_link_libraries(${support} PRIVATE ${GCDC_ALL} ${ARGN})
	endif()
	foreach(source IN LISTS programs)
		cmake_path(GET source STEM name)
		set(target ${label}_${name})
		add_executable(${target} ${source})
		set_target_properties(${target} PROPERTIES GCDC_TEST_CODE ON RUNTIME_OUTPUT_DIRECTORY tests)
		gcdc_settings(${target})
		target_link_libraries(${target} PRIVATE ${support} gcdc_test_support ${GCDC_ALL} ${ARGN})
		add_dependencies(${label}_tests ${target})
		string(REGEX REPLACE "^(test|oracle|thread)_" "" short ${name})
		gcdc_register(${label} ${short} ${timeout} ${target})
	endforeach()
endfunction()

gcdc_test_programs(unit 300 test_ PkgConfig::criterion)
target_include_directories(unit_test_llama_sampler PRIVATE tests/unit/stand_in)   # of llama.h
gcdc_test_programs(golden 300 test_ PkgConfig::criterion)
gcdc_test_programs(corrupt 300 test_ PkgConfig::criterion)
gcdc_test_programs(oracle 600 oracle_ PkgConfig::criterion)
# Where the search of what may come next is given up, the end of the text is still told (gcdc_matcher_is_completed).
gcdc_register(oracle end_is_told_past_max_stacks 60 $<TARGET_FILE:oracle_oracle_budget> --seed 3 --grammars 30 --only 29)
gcdc_register(oracle blanks_are_counted 120 $<TARGET_FILE:oracle_oracle_random> --kind blanks --grammars 60 --seed 3)
gcdc_register(oracle blanks_are_counted_under_budgets 120 $<TARGET_FILE:oracle_oracle_budget> --kind blanks --grammars 15 --seed 3)
gcdc_register(oracle lines_that_may_always_be_wider_are_completed 60 $<TARGET_FILE:oracle_oracle_random> --seed 61022 --grammars 1500 --only 916)
gcdc_test_programs(thread 300 "")

# Tests of the CUDA backend: each program once with the host build and once, where nvcc is found, for the GPU; without a
# device that one reports itself skipped. protect_shadow_gap: CUDA maps memory where AddressSanitizer keeps a gap.
gcdc_glob(programs tests/cuda/test_*.c tests/cuda/measure.c docs/examples/cuda_*.c)
foreach(library IN LISTS GCDC_CUDA_TARGETS)
	string(REGEX REPLACE "^gcdc_cuda$" "cuda_gpu" side ${library})
	string(REGEX REPLACE "^gcdc_" "" side ${side})
	foreach(source IN LISTS programs)
		cmake_path(GET source STEM name)
		string(REGEX REPLACE "^(test|cuda)_" "" name ${name})
		set(target ${side}_${name})
		set(command ${target})
		if(library STREQUAL gcdc_cuda_simt)   # fibers are slow
			if(NOT name MATCHES "^(apply|sample|loop|matcher)$")
				continue()
			endif()
			set(rounds 12)
			if(name MATCHES "^(apply|sample)$")
				set(rounds 49)
			endif()
			set(command ${target} --rounds ${rounds})
		endif()
		add_executable(${target} ${source} tests/cuda/cuda_testing.c)
		set_target_properties(${target} PROPERTIES GCDC_TEST_CODE ON RUNTIME_OUTPUT_DIRECTORY tests)
		gcdc_settings(${target})
		target_link_libraries(${target} PRIVATE ${library} gcdc_test_oracle ${GCDC_ALL})
		if(name STREQUAL measure)   # that it works; figures come from scripts/measure_cuda
			set(command ${target} --quick --apply --fused)
		elseif(source MATCHES "/examples/")
			set(command ${PROJECT_SOURCE_DIR}/tests/cuda/run_example $<TARGET_FILE:${target}>)
		endif()
		gcdc_register(cuda ${target} 300 ${command})
		set_property(TEST cuda.${target} APPEND PROPERTY ENVIRONMENT
			"ASAN_OPTIONS=detect_stack_use_after_return=1:protect_shadow_gap=0")
	endforeach()
endforeach()

if(TARGET gcdc_cuda_host AND TARGET gcdc)   # gcdc bench --cuda, over the host build
	gcdc_program(cuda_host_gcdc gcdc_cuda_host)
	set_target_properties(cuda_host_gcdc PROPERTIES RUNTIME_OUTPUT_DIRECTORY tests)
	gcdc_register(cuda host_bench 300 ${PROJECT_SOURCE_DIR}/tests/cuda/run_bench $<TARGET_FILE:cuda_host_gcdc>)
endif()

# Small programs that scripts run.
gcdc_glob(tools tests/tools/*.c)
foreach(source IN LISTS tools)
	cmake_path(GET source STEM name)
	add_executable(${name} ${source})
	set_target_properties(${name} PROPERTIES GCDC_TEST_CODE ON RUNTIME_OUTPUT_DIRECTORY tests)
	gcdc_settings(${name})
	target_link_libraries(${name} PRIVATE ${GCDC_ALL})
endforeach()
if(TARGET gcdc AND TARGET budget_runs)
	gcdc_register(oracle budget_runs 300 ${PROJECT_SOURCE_DIR}/scripts/budget_runs --gcdc $<TARGET_FILE:gcdc> --driver $<TARGET_FILE:budget_runs>
		--tokenizer builtin --runs 90 --corpus 0 json calc)
endif()

# The examples of docs/examples, built, and run by a script beside each; those of the CUDA backend are above.
gcdc_glob(examples docs/examples/*.c)
list(FILTER examples EXCLUDE REGEX "/cuda_[^/]*$")
foreach(source IN LISTS examples)
	cmake_path(GET source STEM name)
	add_executable(example_${name} ${source})
	set_target_properties(example_${name} PROPERTIES GCDC_TEST_CODE ON RUNTIME_OUTPUT_DIRECTORY tests)
	gcdc_settings(example_${name})
	target_link_libraries(example_${name} PRIVATE gcdc_runtime Threads::Threads m)
	if(TARGET gcdc)
		gcdc_register(example ${name} 120 ${PROJECT_SOURCE_DIR}/docs/examples/run_${name} $<TARGET_FILE:gcdc> $<TARGET_FILE:example_${name}>)
	endif()
endforeach()

# Fuzz targets: LLVMFuzzerTestOneInput in tests/fuzz/fuzz_<name>.c, seeds and old crashes in tests/fuzz/seeds/<name>/.
gcdc_glob(fuzzers tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzzers)
	cmake_path(GET source STEM target)
	string(REGEX REPLACE "^fuzz_" "" name ${target})
	if(GCDC_LIBFUZZER)
		add_executable(${target} ${source})
		target_link_options(${target} PRIVATE -fsanitize=fuzzer)
	else()
		add_executable(${target} ${source} tests/fuzz/replay.c)
		gcdc_register(fuzz ${name} 300 ${target} --mutations 200 --seed 1 tests/fuzz/seeds/${name})
	endif()
	set_target_properties(${target} PROPERTIES GCDC_TEST_CODE ON RUNTIME_OUTPUT_DIRECTORY tests)
	gcdc_settings(${target})
	target_link_libraries(${target} PRIVATE gcdc_test_support ${GCDC_ALL})
	add_dependencies(fuzz_tests ${target})
endforeach()

# The program, as a user meets it.
if(TARGET gcdc AND EXISTS ${PROJECT_SOURCE_DIR}/tests/cli/run)
	gcdc_register(cli run 600 ${PROJECT_SOURCE_DIR}/tests/cli/run $<TARGET_FILE:gcdc>)
	gcdc_register(cli readme 60 ${PROJECT_SOURCE_DIR}/tests/cli/readme $<TARGET_FILE:gcdc>)
	foreach(page ARCHITECTURE budget build canonical cli debugging how_budgets_work inspect json-schema language notations regex tools)
		gcdc_register(cli page_${page} 60 ${PROJECT_SOURCE_DIR}/tests/cli/readme $<TARGET_FILE:gcdc> docs/${page}.md)
	endforeach()
endif()

# What gcdc inspect --html and --dot write, in a browser and in Graphviz.
if(TARGET gcdc)
	gcdc_register(page run 300 ${PROJECT_SOURCE_DIR}/tests/page/run $<TARGET_FILE:gcdc>)
endif()

# Builds of a repository of grammars.
if(TARGET gcdc)
	gcdc_register(build deploy 300 ${PROJECT_SOURCE_DIR}/tests/build/deploy $<TARGET_FILE:gcdc>)
	gcdc_register(build registry 600 ${PROJECT_SOURCE_DIR}/tests/build/registry $<TARGET_FILE:gcdc>)
	gcdc_register(build run 600 ${PROJECT_SOURCE_DIR}/tests/build/run $<TARGET_FILE:gcdc>)
endif()

# An installed gcdc, used by a project of somebody else.
if(TARGET gcdc_runtime_shared)
	set(flags "")
	if(GCDC_SANITIZE)
		set(flags "-fsanitize=${GCDC_SANITIZE}")
	endif()
	gcdc_register(package run 300 ${PROJECT_SOURCE_DIR}/tests/package/run ${PROJECT_BINARY_DIR} ${flags})
	if(TARGET gcdc)
		gcdc_register(package manual 120 ${PROJECT_SOURCE_DIR}/tests/package/manual $<TARGET_FILE:gcdc>)
		gcdc_register(package bazel_remote 900 ${PROJECT_SOURCE_DIR}/tests/package/bazel_remote $<TARGET_FILE:gcdc>)
		gcdc_register(package deb 300 ${PROJECT_SOURCE_DIR}/tests/package/deb ${PROJECT_BINARY_DIR})
		gcdc_register(package systems 600 ${PROJECT_SOURCE_DIR}/tests/package/systems ${PROJECT_BINARY_DIR})
		# They install from one build folder, which keeps a list of what was installed.
		set_tests_properties(package.run package.deb package.systems PROPERTIES RESOURCE_LOCK install)
	endif()
endif()

# The Python package, built in place. A sanitizer's runtime has to be loaded before Python's own code.
set(preload "")
set(preloaded "")
if(GCDC_SANITIZE MATCHES address)
	execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
	set(preload --preload ${asan})
	set(preloaded LD_PRELOAD=${asan} ASAN_OPTIONS=detect_leaks=0)
endif()
if(TARGET gcdc_python)
	gcdc_register(oracle unique 300 ${CMAKE_COMMAND} -E env ${preloaded} ${Python3_EXECUTABLE}
		${PROJECT_SOURCE_DIR}/scripts/unique_random --count 40 --build ${PROJECT_BINARY_DIR})
	gcdc_register(oracle unique_told 300 ${CMAKE_COMMAND} -E env ${preloaded} ${Python3_EXECUTABLE}
		${PROJECT_SOURCE_DIR}/scripts/unique_told --count 25 --build ${PROJECT_BINARY_DIR})
	gcdc_register(python package 300 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/python/run ${PROJECT_BINARY_DIR}/python ${preload})
else()
	set(skip sh -c "echo 'skipped: headers of Python 3.11 or later were not found, so its package was not built' && exit 77")
	gcdc_register(oracle unique 60 ${skip})
	gcdc_register(oracle unique_told 60 ${skip})
	gcdc_register(python package 60 ${skip})
endif()

# The tree itself.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
	if(TARGET gcdc)
		gcdc_register(oracle schema 300 ${CMAKE_COMMAND} -E env GCDC_BUILD=$<TARGET_FILE_DIR:gcdc> ${Python3_EXECUTABLE}
			${PROJECT_SOURCE_DIR}/scripts/schema_random --count 60)
		gcdc_register(oracle tokens 300 ${CMAKE_COMMAND} -E env GCDC_BUILD=$<TARGET_FILE_DIR:gcdc> ${preloaded}
			${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/tokens_random --count 25)
		gcdc_register(cli schema 120 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/schema/run $<TARGET_FILE:gcdc>)
	endif()
	gcdc_register(tree names 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_names.py)
	gcdc_register(tree names_selftest 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_names.py --selftest)
	gcdc_register(tree floors 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_floors.py)
	gcdc_register(tree headers 120 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_floors.py --headers)
	gcdc_register(tree floors_selftest 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_floors.py
		--selftest)
	gcdc_register(tree format 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_format.py)
	gcdc_register(tree format_selftest 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_format.py --selftest)
	gcdc_register(tree sections 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/sections.py)
	gcdc_register(tree sections_selftest 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/sections.py --selftest)
	gcdc_register(tree density 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_density.py)
	gcdc_register(tree density_selftest 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_density.py --selftest)
	gcdc_register(tree docs 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_docs.py)
	gcdc_register(tree docs_selftest 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_docs.py --selftest)
	gcdc_register(lint clang_tidy 300 ${CMAKE_COMMAND} -E env GCDC_BUILD=${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/scripts/lint)
	gcdc_register(tree skipped_selftest 60 ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/list_skipped.py --selftest)
endif()

# The runtime's core alone: one program, linked with the core and with the whole runtime.
if(TARGET gcdc_runtime_core AND TARGET gcdc)
	foreach(kind core full)
		add_executable(mask_walk_${kind} tests/runtime_core/mask_walk.c)
		set_target_properties(mask_walk_${kind} PROPERTIES GCDC_TEST_CODE ON RUNTIME_OUTPUT_DIRECTORY tests)
		gcdc_settings(mask_walk_${kind})
	endforeach()
	target_link_libraries(mask_walk_core PRIVATE gcdc_runtime_core)
	target_link_libraries(mask_walk_full PRIVATE gcdc_runtime)
	gcdc_register(package runtime_core 300 ${PROJECT_SOURCE_DIR}/tests/runtime_core/run $<TARGET_FILE:gcdc>
		$<TARGET_FILE:mask_walk_core> $<TARGET_FILE:mask_walk_full>)
endif()

# The longest begin first, so that none is left to one processor at the end: seconds of a processor, about.
set(costs cli.run 160 oracle.code 76 oracle.random 64 oracle.schema 54 oracle.canonical 34 oracle.self 30 build.run 29
	unit.canonical_regular 25 package.runtime_core 23 unit.counters 22 lint.clang_tidy 20 unit.regex_random 20 python.package 18)
while(costs)
	list(POP_FRONT costs name cost)
	if(TEST ${name})
		set_tests_properties(${name} PROPERTIES COST ${cost})
	endif()
endwhile()

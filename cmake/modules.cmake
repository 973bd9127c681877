# How a folder under lib/ becomes a library.
set(GCDC_MODULES "")

# Sources by pattern, looked up again at every build, in a fixed order.
function(gcdc_glob out)
	list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/)
	file(GLOB found CONFIGURE_DEPENDS ${ARGN})
	list(SORT found)
	set(${out} ${found} PARENT_SCOPE)
endfunction()

# gcdc_module(<folder> <modules and libraries it may use>...): lib/<folder>/*.c -> static library gcdc_<folder>.
function(gcdc_module name)
	gcdc_glob(sources lib/${name}/*.c)
	set(uses "")
	foreach(use IN LISTS ARGN)
		if(use MATCHES "::")
			list(APPEND uses ${use})
		else()
			list(APPEND uses gcdc_${use})
		endif()
	endforeach()
	if(sources)
		add_library(gcdc_${name} STATIC ${sources})
		gcdc_settings(gcdc_${name})
		target_link_libraries(gcdc_${name} PUBLIC ${uses})
	else()   # a folder that has no code yet
		add_library(gcdc_${name} INTERFACE)
		target_link_libraries(gcdc_${name} INTERFACE ${uses})
	endif()
	set(GCDC_MODULES ${GCDC_MODULES} gcdc_${name} PARENT_SCOPE)
endfunction()

# lib/runtime -> libgcdc_runtime.a and .so: only what GCDC_API marks is visible. And lib/runtime/core alone ->
# libgcdc_runtime_core.a, for artifacts without kept conflicts, indents, budgets and canonical tables.
function(gcdc_runtime)
	gcdc_glob(core lib/runtime/core/*.c)
	gcdc_glob(sources lib/runtime/*.c lib/runtime/*/*.c)
	list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/lib/runtime/core/library_core.c)
	if(NOT sources)
		add_library(gcdc_runtime INTERFACE)
		return()
	endif()
	list(REMOVE_ITEM sources ${core})
	list(REMOVE_ITEM core ${PROJECT_SOURCE_DIR}/lib/runtime/core/library_core.c)
	# Each file is compiled once.
	add_library(gcdc_runtime_core_objects OBJECT ${core})
	add_library(gcdc_runtime_objects OBJECT ${sources})
	set(objects $<TARGET_OBJECTS:gcdc_runtime_core_objects> $<TARGET_OBJECTS:gcdc_runtime_objects>)
	add_library(gcdc_runtime STATIC ${objects})
	add_library(gcdc_runtime_shared SHARED ${objects})
	add_library(gcdc_runtime_core STATIC $<TARGET_OBJECTS:gcdc_runtime_core_objects> lib/runtime/core/library_core.c)
	set_target_properties(gcdc_runtime PROPERTIES EXPORT_NAME runtime_static LINKER_LANGUAGE C)
	set_target_properties(gcdc_runtime_shared PROPERTIES EXPORT_NAME runtime OUTPUT_NAME gcdc_runtime LINKER_LANGUAGE C
		VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
	set_target_properties(gcdc_runtime_core PROPERTIES EXPORT_NAME runtime_core)
	foreach(target gcdc_runtime_core_objects gcdc_runtime_objects gcdc_runtime gcdc_runtime_shared gcdc_runtime_core)
		gcdc_settings(${target})
		set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden)
		target_compile_definitions(${target} PRIVATE $<$<CONFIG:Release>:NDEBUG>)
		# Nor that of the build's folder, in the debugging information that the installed archive keeps.
		target_compile_options(${target} PRIVATE -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
		target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib/include>
			$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
		target_link_libraries(${target} PRIVATE PkgConfig::zstd)
	endforeach()
	add_library(gcdc::runtime ALIAS gcdc_runtime_shared)
	add_library(gcdc::runtime_static ALIAS gcdc_runtime)
	add_library(gcdc::runtime_core ALIAS gcdc_runtime_core)
endfunction()

# lib/api and all that it is made of -> libgcdc.a and .so: only <gcdc/compile.h> is visible. The archive holds one object,
# in which all other names are local: a program that links it may have its own vec_grow_ or sha256_hex. What reads JSON,
# expressions and Unicode is linked, or, where its archive is position-independent, linked in.
function(gcdc_compiler)
	set(modules base grammar regex schema notation vocab lexer lr tables canonical writer compile api)
	set(objects "")
	foreach(module IN LISTS modules)
		list(APPEND objects $<TARGET_OBJECTS:gcdc_${module}>)
	endforeach()
	set(sanitize "")
	if(GCDC_SANITIZE)
		set(sanitize -fsanitize=${GCDC_SANITIZE})
	endif()
	set(all ${PROJECT_BINARY_DIR}/libgcdc_all.o)
	add_custom_command(OUTPUT ${all} DEPENDS ${objects} VERBATIM COMMAND_EXPAND_LISTS
		COMMAND ${CMAKE_C_COMPILER} -nostdlib -r -o ${all} ${objects}
		COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=gcdc_* ${all})
	add_library(gcdc_compiler STATIC ${all})
	add_library(gcdc_compiler_shared SHARED ${all})
	set_source_files_properties(${all} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
	set_target_properties(gcdc_compiler PROPERTIES EXPORT_NAME compiler_static OUTPUT_NAME gcdc LINKER_LANGUAGE C)
	set_target_properties(gcdc_compiler_shared PROPERTIES EXPORT_NAME compiler OUTPUT_NAME gcdc LINKER_LANGUAGE C
		VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
	target_link_libraries(gcdc_compiler PUBLIC gcdc_runtime)
	target_link_libraries(gcdc_compiler_shared PUBLIC gcdc_runtime_shared)
	foreach(target gcdc_compiler gcdc_compiler_shared)
		target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib/include>
			$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
		target_link_libraries(${target} PRIVATE PkgConfig::cjson PkgConfig::pcre2 PkgConfig::zstd Threads::Threads)
	endforeach()
	target_link_libraries(gcdc_compiler PRIVATE PkgConfig::utf8proc)
	target_link_libraries(gcdc_compiler_shared PRIVATE gcdc::utf8proc)   # its archive where there is one, as in the program
	target_link_options(gcdc_compiler_shared PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libgcdc.map ${sanitize})
	set_property(TARGET gcdc_compiler_shared APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libgcdc.map)
	add_library(gcdc::compiler ALIAS gcdc_compiler_shared)
	add_library(gcdc::compiler_static ALIAS gcdc_compiler)
endfunction()

# gcdc_embed(<library> <name> <file>): the file's bytes in every program that links the library, as
#     extern const char gcdc_embedded_<name>[], gcdc_embedded_<name>_end[];
# Where the file does not exist the two symbols are there and equal: nothing is embedded.
function(gcdc_embed target name file)
	set(incbin "")
	if(EXISTS ${file})
		set(incbin ".incbin \"${file}\"")
	endif()
	set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.S)
	file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
	.section .rodata
	.balign 64
	.globl gcdc_embedded_@name@
gcdc_embedded_@name@:
	@incbin@
	.globl gcdc_embedded_@name@_end
gcdc_embedded_@name@_end:
	.byte 0
	.section .note.GNU-stack,"",%progbits
]])
	target_sources(${target} PRIVATE ${source})
	# The library refers to the symbol weakly, which alone would not draw it out of the archive.
	target_link_options(${target} INTERFACE LINKER:-u,gcdc_embedded_${name})
	if(EXISTS ${file})
		set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${file})
	endif()
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()

# The page of gcdc inspect --html, into the program.
function(gcdc_embed_page target)
	foreach(piece html css show_js table_js graph_js walk_js main_js)
		string(REPLACE _ . file page_${piece})   # page.css, page.main.js
		gcdc_embed(${target} page_${piece} ${PROJECT_SOURCE_DIR}/cmd/page/${file})
	endforeach()
endfunction()

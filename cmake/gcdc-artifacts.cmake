# Artifacts as targets of a CMake build.
#
#     gcdc_add_vocabulary(<target> TOKENIZER <file or folder> [EOS <id>...] [VOCAB_SIZE <n>] [OUTPUT <file>])
#
# compiles a tokenizer once; artifacts that name the target as their TOKENIZER share it.
#
#     gcdc_add_artifact(<target> GRAMMAR <file> [TOKENIZER <file, folder or target>] [OUTPUT <file>]
#                       [START <rule>] [INDENT <settings>] [OPTIONS <option of gcdc compile>...]
#                       [ACCEPT <text file>...] [REFUSE <text file>...] [EXCLUDE_FROM_ALL])
#
# compiles a grammar, for the built-in tokenizer where none is given. It is done again when the grammar, a file that it
# imports or the tokenizer changes. The build fails when a text of ACCEPT is refused or one of REFUSE accepted. OUTPUT
# is <target>.gcdc in the current binary directory when not given. The target's property GCDC_FILE is its path.
# Relative paths are below the current source directory (OUTPUT: binary directory).

function(_gcdc_absolute out base path)
	cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY ${base} NORMALIZE)
	set(${out} ${path} PARENT_SCOPE)
endfunction()

function(_gcdc_output out given default)
	if(NOT given)
		set(given ${default})
	endif()
	_gcdc_absolute(path ${CMAKE_CURRENT_BINARY_DIR} ${given})
	set(${out} ${path} PARENT_SCOPE)
endfunction()

# The tokenizer.json that a file or folder means.
function(_gcdc_tokenizer out given)
	_gcdc_absolute(path ${CMAKE_CURRENT_SOURCE_DIR} ${given})
	if(IS_DIRECTORY ${path})
		set(path ${path}/tokenizer.json)
	endif()
	set(${out} ${path} PARENT_SCOPE)
endfunction()

# The files beside a tokenizer.json that say what ends a text.
function(_gcdc_neighbours out tokenizer)
	cmake_path(GET tokenizer PARENT_PATH folder)
	file(GLOB found CONFIGURE_DEPENDS ${folder}/tokenizer_config.json ${folder}/generation_config.json
		${folder}/../tokenizer_config.json ${folder}/../generation_config.json)
	set(${out} ${found} PARENT_SCOPE)
endfunction()

function(gcdc_add_vocabulary target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "TOKENIZER;VOCAB_SIZE;OUTPUT" "EOS")
	if(arg_UNPARSED_ARGUMENTS OR NOT arg_TOKENIZER)
		message(FATAL_ERROR "gcdc_add_vocabulary(${target}): wants TOKENIZER <file>, not '${arg_UNPARSED_ARGUMENTS}'")
	endif()
	_gcdc_tokenizer(tokenizer ${arg_TOKENIZER})
	_gcdc_neighbours(neighbours ${tokenizer})
	_gcdc_output(output "${arg_OUTPUT}" ${target}.gcdv)
	set(options "")
	foreach(id IN LISTS arg_EOS)
		list(APPEND options --eos ${id})
	endforeach()
	if(arg_VOCAB_SIZE)
		list(APPEND options --vocab-size ${arg_VOCAB_SIZE})
	endif()
	add_custom_command(OUTPUT ${output}
		COMMAND gcdc::gcdc vocab ${tokenizer} --quiet --provenance ${options} --output ${output}
		DEPENDS ${tokenizer} ${neighbours} gcdc::gcdc COMMENT "Compiling vocabulary ${target}" VERBATIM)
	add_custom_target(${target} DEPENDS ${output})
	set_target_properties(${target} PROPERTIES GCDC_FILE ${output})
endfunction()

function(gcdc_add_artifact target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "EXCLUDE_FROM_ALL" "GRAMMAR;TOKENIZER;OUTPUT;START;INDENT" "OPTIONS;ACCEPT;REFUSE")
	if(arg_UNPARSED_ARGUMENTS OR NOT arg_GRAMMAR)
		message(FATAL_ERROR "gcdc_add_artifact(${target}): wants GRAMMAR <file>, not '${arg_UNPARSED_ARGUMENTS}'")
	endif()
	_gcdc_absolute(grammar ${CMAKE_CURRENT_SOURCE_DIR} ${arg_GRAMMAR})
	_gcdc_output(output "${arg_OUTPUT}" ${target}.gcdc)
	set(options ${arg_OPTIONS})
	set(depends ${grammar} gcdc::gcdc)
	if(TARGET "${arg_TOKENIZER}")
		get_target_property(vocabulary ${arg_TOKENIZER} GCDC_FILE)
		list(APPEND options --tokenizer ${vocabulary})
		list(APPEND depends ${arg_TOKENIZER} ${vocabulary})
	elseif(arg_TOKENIZER)
		_gcdc_tokenizer(tokenizer ${arg_TOKENIZER})
		_gcdc_neighbours(neighbours ${tokenizer})
		list(APPEND options --tokenizer ${tokenizer})
		list(APPEND depends ${tokenizer} ${neighbours})
	endif()
	foreach(option START INDENT)
		if(arg_${option})
			string(TOLOWER ${option} name)
			list(APPEND options --${name} ${arg_${option}})
		endif()
	endforeach()
	add_custom_command(OUTPUT ${output}
		COMMAND gcdc::gcdc compile ${grammar} --quiet --provenance ${options} --output ${output} --depfile ${output}.d
		DEPENDS ${depends} DEPFILE ${output}.d COMMENT "Compiling grammar ${target}" VERBATIM)
	set(files ${output})

	set(checks "")
	foreach(expect ACCEPT REFUSE)
		if(NOT arg_${expect})
			continue()
		endif()
		set(texts "")
		foreach(text IN LISTS arg_${expect})
			_gcdc_absolute(path ${CMAKE_CURRENT_SOURCE_DIR} ${text})
			list(APPEND texts ${path})
		endforeach()
		set(word accept)
		if(expect STREQUAL REFUSE)
			set(word reject)
		endif()
		list(APPEND checks COMMAND gcdc::gcdc check ${output} --greedy --expect ${word} ${texts})
		list(APPEND checked ${texts})
	endforeach()
	if(checks)
		add_custom_command(OUTPUT ${output}.checked ${checks} COMMAND ${CMAKE_COMMAND} -E touch ${output}.checked
			DEPENDS ${output} ${checked} gcdc::gcdc COMMENT "Checking ${target}" VERBATIM)
		list(APPEND files ${output}.checked)
	endif()
	set(all ALL)
	if(arg_EXCLUDE_FROM_ALL)
		set(all "")
	endif()
	add_custom_target(${target} ${all} DEPENDS ${files})
	set_target_properties(${target} PROPERTIES GCDC_FILE ${output})
endfunction()

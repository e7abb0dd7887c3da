# scripts/compile-costs reads the record of the build that this test is part of: it must name a library with
# its objects, add them all up, and measure one header.
execute_process(COMMAND ${SCRIPT} ${PRESET} --headers 1
                OUTPUT_VARIABLE printed ERROR_VARIABLE said RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "exit ${code}: ${said}")
endif()
foreach(expected "\nassay_support +[1-9][0-9]* +[0-9.]+ +[A-Za-z0-9_/]+[.](cpp|cxx|hxx[.]pch) [(][0-9.]+[)]\n"
                 "\ntotal +[1-9][0-9]* +[0-9.]+\n"
                 "\nemulator/[a-z_/]+[.]h +[1-9][0-9]* +[0-9.]+ +[0-9.]+\n")
  if(NOT printed MATCHES "${expected}")
    message(FATAL_ERROR "nothing like '${expected}' in:\n${printed}")
  endif()
endforeach()

execute_process(COMMAND ${SCRIPT} nonsense ERROR_VARIABLE said RESULT_VARIABLE code)
if(NOT code EQUAL 2 OR NOT said STREQUAL "compile-costs: error: unknown argument 'nonsense'\n")
  message(FATAL_ERROR "exit ${code} for an unknown argument: ${said}")
endif()

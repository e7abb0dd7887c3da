# scripts/compile-costs on the build that this test is part of, and on a mistake.
execute_process(COMMAND ${SCRIPT} --headers 1 OUTPUT_VARIABLE table ERROR_VARIABLE errors RESULT_VARIABLE code)
foreach(wanted "program or library +objects +seconds" "\nassay_frontend +[0-9]+ +[0-9.]+  [a-z_./]+ \\([0-9.]+\\)\n"
               "\n?total +[0-9]+ +[0-9.]+\n" "\nheader +sources +seconds alone +product\n")
  if(NOT code EQUAL 0 OR NOT table MATCHES "${wanted}")
    message(FATAL_ERROR "no '${wanted}' in (exit code ${code})\n${table}${errors}")
  endif()
endforeach()
execute_process(COMMAND ${SCRIPT} --header 1 OUTPUT_VARIABLE table ERROR_VARIABLE errors RESULT_VARIABLE code)
if(NOT code EQUAL 2 OR NOT errors STREQUAL "compile-costs: error: unknown argument '--header'\n")
  message(FATAL_ERROR "exit code ${code}: ${errors}")
endif()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run by cpack on the folders of the components: the documents that Debian wants in each package, and compressed manual pages.

foreach(tool dpkg-shlibdeps file)
  find_program(${tool} ${tool})
  if(NOT ${tool})
    message(FATAL_ERROR "there is no ${tool}, by which cpack finds what a program needs: apt-get install dpkg-dev file")
  endif()
endforeach()
execute_process(COMMAND "${CPACK_CAMEO_SOURCE}/tools/notice" OUTPUT_VARIABLE notice COMMAND_ERROR_IS_FATAL ANY)
# Debian has the text of the Apache licence itself.
file(READ "${CPACK_CAMEO_SOURCE}/LICENSE" licence)
string(FIND "${licence}" "---- LLVM Exceptions" exceptions)
string(SUBSTRING "${licence}" ${exceptions} -1 licence)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changes "cameo (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from source; NEWS.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
foreach(package IN LISTS CPACK_COMPONENTS_ALL)
  set(folder "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${package}/usr/share")
  file(WRITE "${folder}/doc/${package}/copyright" "Copyright: the authors of Cameo
License: Apache-2.0 WITH LLVM-exception, see /usr/share/common-licenses/Apache-2.0

${licence}

${notice}")
  file(WRITE "${folder}/doc/${package}/changelog" "${changes}")
  file(COPY_FILE "${CPACK_CAMEO_SOURCE}/CHANGELOG.md" "${folder}/doc/${package}/NEWS")
  file(GLOB texts "${folder}/doc/${package}/changelog" "${folder}/doc/${package}/NEWS" "${folder}/man/man1/*.1")
  execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Installs what policies are written with, builds the installed example by it, and lets a site load the result.
# No semicolons in what is run: to CMake they are the ends of arguments.
# cmake -DBUILD= -DCOMPILER= -DQUADRILLE= -DWORK= -P outside_the_tree.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component policy-kit)
set(example ${prefix}/share/quadrille/policy-example)
run(${CMAKE_COMMAND} -S ${example} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_FLAGS=-Werror)
run(${CMAKE_COMMAND} --build ${WORK}/build)

file(WRITE ${WORK}/site.toml "default_policy = \"alphabetical-site\"
[policies]
load = [\"build/furthest_step.so\", \"build/alphabetical_site.so\", \"${example}/merge_fields.lua\"]
[[policy]]
property = \"http://example.org/status\"
cells = \"value\"
policy = \"furthest-step(open, triaged, closed)\"
[[policy]]
property = \"http://example.org/address\"
cells = \"value\"
policy = \"merge-fields\"
")
run(${QUADRILLE} init ${WORK}/site --site ams --config ${WORK}/site.toml)
run(${QUADRILLE} update ${WORK}/site
    "INSERT DATA { <http://example.org/t> <http://example.org/status> \"open\" . <urn:a> <urn:p> 1 }")
run(${QUADRILLE} query ${WORK}/site "SELECT ?s { ?t <http://example.org/status> ?s }" --results csv)
if(NOT out MATCHES "open")
  message(FATAL_ERROR "the site answered ${out}")
endif()

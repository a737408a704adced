-- with-partner: for quads of two properties that go together, such as the two ends of a relation. Where sites disagree
-- over a quad of one, it exists if the quad of the other property, which the argument names, existed between the same
-- two things. It reads a related quad, so until all sites can know what that was, add-wins decides.

return {
  name = "with-partner",
  version = 1,
  decides = {"quad"},
  reads_context = true,
  fallback = "add-wins",
  retention = "maximal",

  resolve = function(conflict)
    local cell = conflict.cell
    local partner = conflict.match({
      graph = cell.graph,
      default_graph_only = cell.graph == nil,
      subject = cell.subject,
      property = rdf.iri(conflict.argument),
      object = cell.object,
    })
    if #partner == 0 then return {} end
    return {{property = cell.property, object = cell.object}}
  end,

  check_argument = function(argument)
    if argument == "" then return "expected the IRI of the other property" end
  end,
}

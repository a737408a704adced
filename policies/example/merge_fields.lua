-- merge-fields: for a record, such as an address. Each property is decided by itself: what only one site changed is
-- kept, and where several changed one property, the latest of them counts. A record that a site deleted stays deleted
-- only if nobody else changed it.

-- The objects of each property, in the order of a content, and one text that tells them apart.
local function by_property(content)
  local fields = {}
  for _, statement in ipairs(content) do
    local field = fields[statement.property.text] or {property = statement.property, objects = {}, text = ""}
    local object = statement.object
    field.objects[#field.objects + 1] = object
    for _, part in ipairs({object.kind, object.text, object.datatype or "", object.language or ""}) do
      field.text = field.text .. #part .. ":" .. part  -- so that no two lists of parts give one text
    end
    fields[statement.property.text] = field
  end
  return fields
end

local function text_of(fields, name) return fields[name] and fields[name].text or "" end

return {
  name = "merge-fields",
  version = 1,
  decides = {"record", "value"},
  accepts_several_values = true,
  retention = "maximal",  -- the answer depends on the base and the maximal versions alone

  resolve = function(conflict)
    local base = by_property(conflict.base)
    local merged = {}
    for name, field in pairs(base) do merged[name] = field end
    for _, version in ipairs(conflict.versions) do  -- by stamp: the latest comes last
      if version.is_maximal then
        local left = by_property(version.left)
        local names = {}
        for name in pairs(left) do names[name] = true end
        for name in pairs(base) do names[name] = true end
        for name in pairs(names) do
          if text_of(left, name) ~= text_of(base, name) then
            merged[name] = left[name]
          end
        end
      end
    end
    local content = {}
    for _, field in pairs(merged) do
      for _, object in ipairs(field.objects) do
        content[#content + 1] = {property = field.property, object = object}
      end
    end
    return content
  end,
}

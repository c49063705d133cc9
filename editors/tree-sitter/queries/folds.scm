; What can be folded.
[
  (value_declaration)
  (module_declaration)
  (module_type_declaration)
  (match)
  (loop)
] @fold

; Which names belong together, for editors that do not ask the language server.
[(source_file) (module_body) (value_declaration) (lambda) (let) (loop) (case)] @local.scope

(value_declaration name: (identifier) @local.definition)
(local_function name: (identifier) @local.definition)
(binding) @local.definition
(identifier) @local.reference

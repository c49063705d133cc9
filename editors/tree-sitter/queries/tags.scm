; The outline.
(value_declaration name: (identifier) @name) @definition.function
(type_declaration name: (identifier) @name) @definition.type
(module_declaration name: (identifier) @name) @definition.module
(module_type_declaration name: (identifier) @name) @definition.interface

; Colours. What stands later holds, so what is general comes first.

(identifier) @variable

((comment) @comment)
((comment) @comment.documentation (#match? @comment.documentation "^-- \\|"))

[
  "def" "let" "entry" "in" "val" "type" "module" "local" "with" "do" "assert"
] @keyword
["open" "import" "include"] @keyword.import
["if" "then" "else" "match" "case"] @keyword.conditional
["loop" "for" "while"] @keyword.repeat

(integer) @number
(float) @number.float
(boolean) @boolean
(character) @character
(string) @string
(hole) @keyword.exception
(constructor) @constructor
(wildcard) @variable.builtin

(operator) @operator
["=" "->" ":" ":>" ".." "..." "..<" "..>" "\\" "!" "-" "*" "|" "?" "`"] @operator
["(" ")" "[" "]" "{" "}" "#["] @punctuation.bracket
["," "."] @punctuation.delimiter

(attribute) @attribute
(attribute (identifier) @attribute)

(binding) @variable
(shorthand) @variable
(field_name) @variable.member

; Types.
(type_name (identifier) @type)
((type_name (identifier) @type.builtin)
  (#match? @type.builtin "^(i8|i16|i32|i64|u8|u16|u32|u64|f16|f32|f64|bool)$"))
(type_declaration name: (identifier) @type.definition)
(type_specification name: (identifier) @type.definition)
(type_parameter (identifier) @type)
(size_parameter (identifier) @variable.parameter)

; Functions and values.
(value_declaration name: (identifier) @function)
(value_declaration name: (operator_name (operator) @function))
(value_specification name: (identifier) @function)
(local_function name: (identifier) @function)
(application function: (identifier) @function.call)
(application function: (access field: (field_name) @function.call))
(binary operator: (backquoted (qualified_name (identifier) @function.call)))
(value_declaration parameter: (binding) @variable.parameter)
(value_declaration parameter: (tuple_pattern (pattern_ascription (binding) @variable.parameter)))
(local_function parameter: (binding) @variable.parameter)
(lambda parameter: (binding) @variable.parameter)
(named_parameter name: (identifier) @variable.parameter)

; Modules.
(module_declaration name: (identifier) @module)
(module_type_declaration name: (identifier) @module)
(module_specification name: (identifier) @module)
(module_parameter name: (identifier) @module)
(qualified_name (identifier) @module . (identifier))
(import_declaration path: (string) @string.special.path)
(module_import path: (string) @string.special.path)

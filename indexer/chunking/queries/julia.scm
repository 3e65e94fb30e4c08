; The captures are explained in python.scm.

(module_definition name: (identifier) @name @leading) @scope

(function_definition (signature [
  (identifier) @name
  (call_expression . (_) @name)
  (typed_expression . (call_expression . (_) @name))
  (where_expression . (call_expression . (_) @name))
  (where_expression . (typed_expression . (call_expression . (_) @name)))
])) @function
(macro_definition (signature (call_expression . (identifier) @name))) @function
(assignment . [
  (call_expression . [(identifier) (field_expression)] @name)
  (typed_expression . (call_expression . [(identifier) (field_expression)] @name))
  (where_expression . (call_expression . [(identifier) (field_expression)] @name))
]) @function

(_ (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))
])) @definition
(const_statement (assignment . (identifier) @name)) @definition
(source_file (assignment . (identifier) @name) @definition)
(module_definition (assignment . (identifier) @name) @definition)
((macrocall_expression
  (macro_identifier (identifier) @_macro)
  (macro_argument_list . (identifier) @name)) @definition
  (#eq? @_macro "enum"))

; Documentation.
(source_file (string_literal) @leading)
(module_definition (string_literal) @leading)

; The captures are explained in python.scm.

(function_declaration name: (identifier) @name) @function
(test_declaration (string (string_content) @name)) @function

(variable_declaration . (identifier) @name) @definition
(variable_declaration . (identifier) @name [
  (struct_declaration)
  (union_declaration)
  (enum_declaration)
  (opaque_declaration)
]) @class
(container_field name: (identifier) @name) @definition

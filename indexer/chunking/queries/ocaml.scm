; The captures are explained in python.scm.

(module_binding (module_name) @name) @class
(module_type_definition (module_type_name) @name) @class
(class_binding (class_name) @name) @class
(class_type_binding (class_type_name) @name) @class

(let_binding pattern: [(value_name) (parenthesized_operator)] @name (parameter)) @function
(let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @function
(method_definition (method_name) @name) @function

; Other values, but not those of a `let … in`.
(compilation_unit (value_definition (let_binding pattern: [
  (value_name) @name
  (tuple_pattern (value_name) @name)
  (typed_pattern pattern: (value_name) @name)
]) @definition))
(structure (value_definition (let_binding pattern: [
  (value_name) @name
  (tuple_pattern (value_name) @name)
  (typed_pattern pattern: (value_name) @name)
]) @definition))

(value_specification [(value_name) (parenthesized_operator)] @name) @definition
(external [(value_name) (parenthesized_operator)] @name) @definition
(type_binding name: (type_constructor) @name) @definition
(exception_definition (constructor_declaration (constructor_name) @name)) @definition
(instance_variable_definition (instance_variable_name) @name) @definition

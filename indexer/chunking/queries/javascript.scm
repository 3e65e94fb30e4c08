; The captures are explained in python.scm.

(class_declaration name: (identifier) @name) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @function
(field_definition property: (_) @name) @definition

(program (_ (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function))
(program (_ (variable_declarator name: (identifier) @name value: (_)? @value
  (#not-match? @value "^(async |function|\\()")) @definition))
(export_statement (_ (variable_declarator name: (identifier) @name) @definition))

(decorator) @leading

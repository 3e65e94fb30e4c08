; The captures are explained in python.scm.

(function_declaration name: [(identifier) (dot_index_expression)] @name) @function
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name)) @function
(field name: (identifier) @name value: (function_definition)) @function

(chunk (assignment_statement (variable_list name: [(identifier) (dot_index_expression)] @name)) @definition)
(chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name)
  (expression_list . value: (_) @_value))) @definition
  (#not-match? @_value "^(require\\W|[a-z]+[.]\\w+$)"))

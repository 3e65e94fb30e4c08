; The captures are explained in python.scm.

(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(struct_specifier name: (_) @name body: (_)) @definition
((declaration declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (array_declarator declarator: (identifier) @name))
]) @definition (#match? @name "."))
(declaration (identifier) @name . (field_declaration_list)) @definition

(preproc_def name: (identifier) @name) @definition
(preproc_function_def name: (identifier) @name) @definition

(preproc_ifdef name: (identifier) @leading)
(preproc_if condition: (_) @leading)
(preproc_elif condition: (_) @leading)

; The captures are explained in python.scm.

(struct_specifier name: (_) @name body: (_)) @definition
(union_specifier name: (_) @name body: (_)) @definition
(enum_specifier name: (_) @name body: (_)) @definition
(type_definition declarator: (type_identifier) @name) @definition

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ (function_declarator declarator: (identifier) @name))
  (_ (_ (function_declarator declarator: (identifier) @name)))
]) @function

(translation_unit (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ (function_declarator declarator: (identifier) @name))
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (array_declarator declarator: (identifier) @name))
]) @definition)
(preproc_ifdef (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ (function_declarator declarator: (identifier) @name))
]) @definition)

(preproc_def name: (identifier) @name) @definition
(preproc_function_def name: (identifier) @name) @definition

(preproc_ifdef name: (identifier) @leading)
(preproc_if condition: (_) @leading)
(preproc_elif condition: (_) @leading)

; C++ and CUDA. The captures are explained in python.scm.

(namespace_definition name: (_) @name @leading) @scope
(linkage_specification value: (string_literal) @leading)

(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @definition
(concept_definition name: (_) @name) @definition
(alias_declaration name: (_) @name) @definition
(type_definition declarator: (type_identifier) @name) @definition

(function_definition declarator: [
  (function_declarator declarator: (_) @name)
  (_ (function_declarator declarator: (_) @name))
  (_ (_ (function_declarator declarator: (_) @name)))
]) @function
(function_definition declarator: (operator_cast) @name) @function

; Prototypes and variables, but not those inside functions.
(_ [
  (declaration declarator: (function_declarator declarator: (_) @name)) @definition
  (declaration declarator: (_ (function_declarator declarator: (_) @name))) @definition
  (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition
  (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition
])
(field_declaration declarator: [
  (field_identifier) @name
  (function_declarator declarator: (_) @name)
  (_ (function_declarator declarator: (_) @name))
]) @definition

(preproc_def name: (identifier) @name) @definition
(preproc_function_def name: (identifier) @name) @definition

(access_specifier) @leading
(template_parameter_list) @leading
(preproc_ifdef name: (identifier) @leading)
(preproc_if condition: (_) @leading)
(preproc_elif condition: (_) @leading)

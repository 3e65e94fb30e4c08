; The captures are explained in python.scm. A method goes by the first part of its selector.

(class_interface . (identifier) @name) @class
(class_implementation . (identifier) @name) @class
(protocol_declaration . (identifier) @name) @class
(class_interface category: (identifier) @name @definition)
(class_implementation category: (identifier) @name @definition)

(method_declaration (method_type) . (identifier) @name) @definition
(method_definition (method_type) . (identifier) @name) @function
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
]))) @definition
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
]))) @definition

; As in C.
(struct_specifier name: (_) @name body: (_)) @definition
(union_specifier name: (_) @name body: (_)) @definition
(enum_specifier name: (_) @name body: (_)) @definition
(type_definition
  type: [(struct_specifier) (union_specifier) (enum_specifier) (type_identifier) (primitive_type) (sized_type_specifier)]
  declarator: (type_identifier) @name) @definition
; The grammar takes these macros for types or calls.
((macro_type_specifier name: (identifier) @_macro (ERROR (identifier) @name)) @definition
  (#any-of? @_macro "NS_ENUM" "NS_OPTIONS" "NS_CLOSED_ENUM"))
((function_declarator declarator: (identifier) @_macro (parameter_list (identifier) @name .)) @definition
  (#any-of? @_macro "NS_ENUM" "NS_OPTIONS" "NS_CLOSED_ENUM"))
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ (function_declarator declarator: (identifier) @name))
  (_ (_ (function_declarator declarator: (identifier) @name)))
]) @function
(translation_unit (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ (function_declarator declarator: (identifier) @name))
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
]) @definition)
(preproc_def name: (identifier) @name) @definition
(preproc_function_def name: (identifier) @name) @definition

(preproc_ifdef name: (identifier) @leading)
(preproc_if condition: (_) @leading)
(preproc_elif condition: (_) @leading)

; The captures are explained in python.scm.

(package_clause name: (_) @name @leading body: (_)) @scope
(extension_definition parameters: (parameters (parameter type: [
  (type_identifier) @name
  (generic_type type: (_) @name)
])) @leading) @scope

(class_definition name: (_) @name) @class
(trait_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(package_object name: (_) @name) @class
(enum_definition name: (_) @name) @class
(simple_enum_case name: (_) @name) @definition
(full_enum_case name: (_) @name) @definition
(given_definition name: (_) @name) @definition
(type_definition name: (_) @name) @definition
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @definition

; Values, but not those in blocks; and what a case class is made of.
(val_declaration name: (identifier) @name) @definition
(var_declaration name: (identifier) @name) @definition
(template_body (_ pattern: [(identifier) @name (_ (identifier) @name)]) @definition)
(compilation_unit (_ pattern: [(identifier) @name (_ (identifier) @name)]) @definition)
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @name) @definition))

(annotation) @leading
(modifiers) @leading

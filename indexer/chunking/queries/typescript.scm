; TypeScript and TSX. The captures are explained in python.scm.

(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @class
(internal_module name: (_) @name @leading) @scope
(enum_declaration name: (identifier) @name) @definition
(type_alias_declaration name: (type_identifier) @name) @definition
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(function_signature name: (identifier) @name) @definition
(method_definition name: (_) @name) @function
(method_signature name: (_) @name) @definition
(abstract_method_signature name: (_) @name) @definition
(public_field_definition name: (_) @name) @definition

(program (_ (variable_declarator name: (identifier) @name) @definition))
(export_statement (_ (variable_declarator name: (identifier) @name) @definition))

(decorator) @leading

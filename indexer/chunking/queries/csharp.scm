; C#. The captures are explained in python.scm.

(namespace_declaration name: (_) @name @leading) @scope

(class_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @definition
(delegate_declaration name: (identifier) @name) @definition

(method_declaration name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(destructor_declaration name: (identifier) @name) @function
(local_function_statement name: (identifier) @name) @function
(operator_declaration operator: _ @name) @function
(conversion_operator_declaration type: (_) @name) @function
(indexer_declaration "this" @name) @function

(property_declaration name: (identifier) @name) @definition
(event_declaration name: (identifier) @name) @definition
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition))

(attribute_list) @leading
(preproc_if condition: (_) @leading)
(preproc_elif condition: (_) @leading)

; The captures are explained in python.scm.

(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(annotation_type_declaration name: (identifier) @name) @class
(method_declaration name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @function
(compact_constructor_declaration name: (identifier) @name) @function
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition

(modifiers) @leading

; The captures are explained in python.scm.

(module_binding (module_name) @name) @class
(module_type_definition (module_type_name) @name) @class
(class_binding (class_name) @name) @class
(class_type_binding (class_type_name) @name) @class

(value_specification [(value_name) (parenthesized_operator)] @name) @definition
(external [(value_name) (parenthesized_operator)] @name) @definition
(type_binding name: (type_constructor) @name) @definition
(exception_definition (constructor_declaration (constructor_name) @name)) @definition
(method_specification (method_name) @name) @definition

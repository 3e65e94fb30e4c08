; The captures are explained in python.scm.

(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @class
(companion_object name: (identifier) @name) @class
(type_alias type: (identifier) @name) @definition
(function_declaration
  [(user_type) @owner (nullable_type (user_type) @owner)]? . "."? . name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @function
(anonymous_initializer "init" @name) @function

(class_parameter ["val" "var"] . (identifier) @name) @definition
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition)
(source_file (property_declaration
  [(user_type) @owner (nullable_type (user_type) @owner)]? . "."? .
  (variable_declaration . (identifier) @name)) @definition)

(file_annotation) @leading
(modifiers) @leading

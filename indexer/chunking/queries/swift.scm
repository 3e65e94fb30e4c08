; The captures are explained in python.scm.

(class_declaration declaration_kind: "extension" name: (_) @name @leading) @scope
(class_declaration declaration_kind: ["class" "struct" "enum" "actor"] name: (_) @name) @class
(protocol_declaration name: (type_identifier) @name) @class
(typealias_declaration name: (type_identifier) @name) @definition
(associatedtype_declaration name: (type_identifier) @name) @definition
(macro_declaration "macro" . (simple_identifier) @name) @definition

(function_declaration name: [(simple_identifier) (custom_operator) "==" "<" "+" "-" "*" "/"] @name) @function
(init_declaration name: "init" @name) @function
(deinit_declaration "deinit" @name) @function
(subscript_declaration "subscript" @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @definition

(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)) @function)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)) @function)
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) !computed_value) @definition)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) !computed_value) @definition)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition)

(modifiers) @leading

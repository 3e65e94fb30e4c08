; PHP, with the text around it. A namespace mostly has no braces and so holds nothing: it lends its name to nothing.
; The captures are explained in python.scm.

(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @class
(method_declaration name: (name) @name) @function
(function_definition name: (name) @name) @function
(const_declaration (const_element . (name) @name)) @definition
(property_declaration (property_element name: (variable_name (name) @name))) @definition
((function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string (string_content) @name)))) @definition
  (#eq? @_function "define"))

(php_tag) @leading
(attribute_list) @leading

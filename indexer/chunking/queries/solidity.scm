; The captures are explained in python.scm.

(contract_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @class
(library_declaration name: (identifier) @name) @class

(function_definition name: (identifier) @name) @function
(modifier_definition name: (identifier) @name) @function
(constructor_definition "constructor" @name) @function
(fallback_receive_definition ["fallback" "receive"] @name) @function

(struct_declaration name: (identifier) @name) @definition
(enum_declaration name: (identifier) @name) @definition
(event_definition name: (identifier) @name) @definition
(error_declaration name: (identifier) @name) @definition
(state_variable_declaration name: (identifier) @name) @definition
(constant_variable_declaration name: (identifier) @name) @definition
(user_defined_type_definition name: (identifier) @name) @definition

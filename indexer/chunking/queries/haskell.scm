; The captures are explained in python.scm.

(class name: (_) @name) @class
(instance patterns: (_) @name @leading) @scope
(data_type name: (_) @name) @definition
(newtype name: (_) @name) @definition
(type_synonym name: (_) @name) @definition
(type_family name: (_) @name) @definition
(data_family name: (_) @name) @definition
(data_constructor (_ name: (_) @name @definition))
(newtype_constructor name: (_) @name @definition)
(gadt_constructor name: (_) @name @definition)
(field name: (field_name (variable) @name)) @definition
(pattern_synonym (equation synonym: (_) @name)) @definition
(class_declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @definition)
(class_declarations (signature names: (binding_list name: (variable) @name)) @definition)

; What stands at the top or in an instance: no function's locals, but for functions of their own.
(function name: (variable) @name) @function
(function (infix operator: [(operator) @name (infix_id (variable) @name)])) @function
(function name: (prefix_id (operator) @name)) @function
(declarations (bind name: (variable) @name) @function)
(class_declarations (bind name: (variable) @name) @function)
(instance_declarations (bind name: (variable) @name) @function)

; A signature belongs to its function, and each equation to the one before.
(declarations (signature) @leading)
(instance_declarations (signature) @leading)
((signature name: (_) @_signature) @leading . (function name: (_) @_next) (#eq? @_signature @_next))
((function name: (_) @_previous) . (function name: (_) @_next) @trailing (#eq? @_previous @_next))

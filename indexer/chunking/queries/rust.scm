; The captures are explained in python.scm.

(mod_item name: (identifier) @name @leading body: (_)) @scope
(impl_item trait: (_)? @leading type: [
  (type_identifier) @name
  (generic_type type: (_) @name)
  (scoped_type_identifier) @name
  (reference_type type: (type_identifier) @name)
] @leading) @scope
(impl_item type_parameters: (_) @leading)

(trait_item name: (type_identifier) @name) @class
(struct_item name: (type_identifier) @name) @definition
(enum_item name: (type_identifier) @name) @definition
(union_item name: (type_identifier) @name) @definition
(type_item name: (type_identifier) @name) @definition
(associated_type name: (type_identifier) @name) @definition
(const_item name: (identifier) @name) @definition
(static_item name: (identifier) @name) @definition
(macro_definition name: (identifier) @name) @definition
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @definition

(attribute_item) @leading

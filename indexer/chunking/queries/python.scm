; What a query may capture, in every language:
;   @class       a definition whose members are cited on their own; its header is kept together
;   @function    a definition that ends the header of the class around it
;   @definition  any other definition: constants, fields, types, prototypes
;   @scope       lends its name to what it holds and is no definition itself
;   @name        the name of one of these; @owner is put before it
;   @leading     belongs to what follows it
;   @trailing    belongs to what precedes it

(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function

(module (expression_statement (assignment left: [
  (identifier) @name
  (pattern_list (identifier) @name)
]) @definition))
(module (_ [
  (block (expression_statement (assignment left: (identifier) @name) @definition))
  (_ (block (expression_statement (assignment left: (identifier) @name) @definition)))
]))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition)))
(type_alias_statement left: (type (identifier) @name)) @definition

(decorator) @leading

; The docstring of a constant or field.
((expression_statement (assignment)) . (expression_statement (string)) @trailing)

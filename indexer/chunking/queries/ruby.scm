; The captures are explained in python.scm.

(module name: (_) @name @leading) @class
(class name: (_) @name) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(alias name: (_) @name) @definition
(assignment left: [
  (constant) @name
  (scope_resolution) @name
  (left_assignment_list (constant) @name)
]) @definition
(operator_assignment left: (constant) @name) @definition

(singleton_class value: (_) @leading)
((identifier) @leading (#any-of? @leading "private" "protected" "public" "module_function"))
((call !receiver method: (identifier) @_method block: (_)) @leading (#eq? @_method "sig"))

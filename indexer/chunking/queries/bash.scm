; The captures are explained in python.scm.

(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @definition)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition))


; The captures are explained in python.scm.

(mixin_statement name: (identifier) @name) @function
(function_statement name: (identifier) @name) @function

(rule_set (selectors (_) @name)) @definition
(keyframes_statement (keyframes_name) @name) @definition
((declaration (property_name) @name) @definition (#match? @name "^(--|[$])"))

(media_statement "@media" @owner . (_) @name) @scope
(supports_statement "@supports" @owner . (_) @name) @scope

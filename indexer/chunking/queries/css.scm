; The captures are explained in python.scm.

(rule_set (selectors (_) @name)) @definition
(keyframes_statement (keyframes_name) @name) @definition
((declaration (property_name) @name) @definition (#match? @name "^--"))
((at_rule (at_keyword) @_rule . (keyword_query) @name) @definition (#eq? @_rule "@property"))

(media_statement "@media" @owner . (_) @name) @scope
(supports_statement "@supports" @owner . (_) @name) @scope
((at_rule (at_keyword) @owner . (keyword_query) @name (block)) @scope (#not-eq? @owner "@property"))

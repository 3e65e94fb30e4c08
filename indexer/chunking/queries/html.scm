; Titles, headings and whatever has an id. The captures are explained in python.scm.

((element
  (start_tag (tag_name) @_tag)
  . [(text) @name (element . (start_tag) . (text) @name)]) @definition
  (#any-of? @_tag "title" "h1" "h2" "h3" "h4" "h5" "h6"))

((_ (_ (attribute
  (attribute_name) @_attribute
  [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))) @class
  (#eq? @_attribute "id"))

; Everything is a call, as in `def(name(x), do: y)`. The captures are explained in python.scm.

((call target: (identifier) @_call (arguments . (alias) @name) (do_block)) @class
  (#any-of? @_call "defmodule" "defprotocol"))
((call
  target: (identifier) @_call @leading
  (arguments (keywords (pair key: (keyword) @_key value: (alias) @name)))) @scope
  (#eq? @_call "defimpl")
  (#match? @_key "^for:"))
((call target: (identifier) @_call (arguments . [
  (identifier) @name
  (call target: (identifier) @name)
  (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
])) @function
  (#any-of? @_call
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"))

((unary_operator "@" operand: (call target: (identifier) @_attribute (arguments . (binary_operator left: [
  (identifier) @name
  (call target: (identifier) @name)
] operator: "::")))) @definition
  (#any-of? @_attribute "type" "typep" "opaque" "callback" "macrocallback"))
((unary_operator "@" operand: (call target: (identifier) @name)) @definition
  (#not-match? @name "^(behaviour|compile|deprecated|derive|dialyzer|external_resource|impl|on_load|since|spec|vsn)$")
  (#not-match? @name "^(callback|macrocallback|optional_callbacks|opaque|typep?|enforce_keys)$")
  (#not-match? @name "^((module|type)?doc|(describe|module)?tag|(after|before)_.*|on_definition)$"))

((unary_operator "@" operand: (call target: (identifier) @_attribute)) @leading
  (#any-of? @_attribute "deprecated" "dialyzer" "doc" "impl" "since" "spec" "tag" "typedoc"))

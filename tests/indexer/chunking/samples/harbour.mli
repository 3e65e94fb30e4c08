(** How many boats there may be. *)
val most_boats : int

type boat = { name : string }

exception Lost of string

val moor : boat -> local -> int

module type Moorable = sig
  type t
  val moor : t -> int
end

module Fleet : sig
  val size : int
end

external turned : int -> int = "turned"

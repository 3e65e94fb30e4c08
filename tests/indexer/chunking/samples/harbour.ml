open Printf

type wind = North | South
and boat = { name : string; length : float }

exception Lost of string

let most_boats = 40

(** Finds a berth. *)
let rec moor boat berth =
  let local = berth + 1 in
  if local > most_boats then raise (Lost boat.name) else moor boat local

let turned = function
  | North -> South
  | South -> North

module Fleet = struct
  let size = 3
  let grown n = size + n
end

module type Moorable = sig
  type t
  val moor : t -> int
end

class pilot name = object
  val mutable age = 40
  method greet = printf "%s" name
end

most_boats <- 40

# Finds a berth.
moor <- function(boat, berth = 1,
                 width = 4) {
  local <- berth
  tie <- function(rope) rope
  tie(local)
}

print.boat = \(x, ...) {
  cat(x$name)
}

Harbour <- R6Class("Harbour",
  public = list(
    boats = NULL,
    add = function(boat) {
      self$boats <- c(self$boats, boat)
    }
  )
)

setGeneric("area", function(shape) standardGeneric("area"))
setMethod("area", "Boat", function(shape) {
  shape@length * shape@width
})

module Harbours
using LinearAlgebra

const MOST_BOATS = 40

abstract type Moorable end

"""
A boat with its name.
"""
struct Boat{T<:Real} <: Moorable
    name::String
    length::T
    Boat(name) = new(name, 12)
end

@enum Wind north south

area(boat::Boat) = boat.length^2

function moor(boat::Boat{T}, berth)::Bool where {T}
    local name = boat.name
    return berth < MOST_BOATS
end

Base.show(io::IO, boat::Boat) = print(io, boat.name)

macro twice(what)
    :($what; $what)
end

end # module

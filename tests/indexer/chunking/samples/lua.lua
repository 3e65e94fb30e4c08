--- A boat with its name.
local json = require("json")
local concat = table.concat

local Boat = {}
Boat.__index = Boat

local MOST_BOATS <const>, FEWEST_BOATS = 40, 2
Boat.length = 12

---@param name string
function Boat.new(name)
  local self = setmetatable({}, Boat)
  self.name = name
  return self
end

function Boat:moor(berth)
  local function tie() return berth end
  return tie()
end

Boat.Position.reset = function(self)
  self.x = 0
end

local function greet(boat)
  print("ahoy " .. boat.name)
end

local Registry = {
  load = function(path)
    return path
  end,
  width = 4,
}

if jit then
  function Registry.fast() end
end

return Boat

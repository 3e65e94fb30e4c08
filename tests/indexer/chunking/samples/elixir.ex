defmodule Harbour.Boat do
  @moduledoc """
  A boat with its name.
  """

  use GenServer

  @most_boats 40
  @type berth :: integer()
  @opaque rope(a) :: {a, berth}
  @callback moor(berth) :: :ok

  defstruct [:name, length: 12]

  defguard is_big(boat) when boat.length > 20

  defmodule Position do
    defstruct x: 0.0
  end

  @doc "How it starts."
  @spec start(String.t()) :: {:ok, pid}
  def start(name) when is_binary(name) do
    local = name
    GenServer.start_link(__MODULE__, local)
  end

  defp sunk?, do: false

  defmacro with_rope(do: block) do
    quote do: unquote(block)
  end

  defdelegate greet(boat), to: Pilot
end

defprotocol Moorable do
  def moor(boat, berth)
end

defimpl Moorable, for: Harbour.Boat do
  def moor(boat, berth), do: {boat, berth}
end

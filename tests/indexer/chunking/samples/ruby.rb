# frozen_string_literal: true

require "json"

module Harbour
  MOST_BOATS, FEWEST_BOATS = 40, 2

  # A boat with its name.
  class Boat < Vessel::Base
    include Comparable

    class Lost < StandardError; end
    Berth = Struct.new(:number, :length)

    sig { params(name: String).void }
    def initialize(name)
      local = name
      @name = local
    end

    def self.load(path) = new(File.read(path))

    class << self
      def fleet
        @fleet ||= []
      end
    end

    private

    def moored?
      !@berth.nil?
    end
    alias tied? moored?

    protected def name=(value); end
  end
end

class Harbour::Pilot
  def ==(other) = other.is_a?(Pilot)
end

const std = @import("std");

/// How many boats there may be.
pub const most_boats: usize = 40;

pub const Harbour = struct {
    boats: []Boat,
    free: usize = most_boats,

    /// Finds a berth.
    pub fn moor(self: *Harbour, boat: Boat) !usize {
        const at = self.boats.len - self.free;
        const local = at;
        self.boats[local] = boat;
        return at;
    }
};

const Boat = union(enum) {
    sail: f32,
    row: u8,
};

const Wind = enum { north, south };

pub fn Fleet(comptime T: type) type {
    return struct {
        pub fn len(self: @This()) usize {
            return self.boats.len;
        }
    };
}

test "a harbour fills up" {
    try std.testing.expect(most_boats > 0);
}

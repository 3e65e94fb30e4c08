// How many boats there may be.
const most_boats: u32 = 40u;
@group(0) @binding(0) var<storage, read> boats: array<Boat>;
override width: f32 = 4.0;

struct Boat {
    length: f32,
}

fn doubled(x: f32) -> f32 {
    let local = 2.0;
    return x * local;
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    _ = doubled(boats[id.x].length);
}

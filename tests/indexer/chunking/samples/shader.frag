#version 450
#define PI 3.14

layout(location = 0) in vec3 position;
layout(location = 0) out vec4 color;

layout(std140, binding = 0) uniform Camera {
    mat4 view;
} camera;

struct Light {
    vec3 at;
};

const float EPSILON = 1e-5;

float lambert(in vec3 normal, vec3 light) {
    float local = dot(normal, light);
    return max(local, 0.0);
}

void main() {
    color = vec4(lambert(position, vec3(1)), 1.0);
}

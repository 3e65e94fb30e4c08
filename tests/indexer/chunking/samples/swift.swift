import Foundation

let mostBoats = 40
typealias Berths = [Int: Boat]

public protocol Moorable: AnyObject {
    associatedtype Rope
    var berth: Int { get set }
    func moor(at berth: Int) -> Rope
}

/// A boat with its name.
@MainActor
final class Boat: Moorable {
    static let length = 12, width = 4

    @Published private(set) var name: String {
        didSet { let local = name }
    }

    init?(name: String) {
        self.name = name
    }

    @discardableResult
    func moor(at berth: Int) -> Bool {
        let local = berth
        return local > 0
    }

    subscript(index: Int) -> String { name }

    struct Position { var x = 0.0 }
}

extension Boat: Comparable {
    static func < (left: Boat, right: Boat) -> Bool { true }
    var big: Bool { true }
}

indirect enum Wind { case north, south }
actor Registry {}
func greet<T>(_ boat: T) where T: Moorable {}

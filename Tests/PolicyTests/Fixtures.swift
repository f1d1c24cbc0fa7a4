import Bytes
import Foundation

/// Files under `Tests/Fixtures`.
enum Fixtures {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    static func json(_ path: String) -> JSONNode {
        guard let contents = try? Data(contentsOf: root.appending(path: path)) else {
            fatalError("Tests/Fixtures/\(path) is missing")
        }
        let bytes = Array(contents)
        guard let node = try? JSONNode.parse(bytes.span) else { fatalError("\(path) is no JSON") }
        return node
    }
}

extension JSONNode {
    /// The string of a member; fails the run where the file is not what the test was written for.
    func text(_ name: String) -> String {
        guard let text = self[name]?.string else { fatalError("no string \(name)") }
        return text
    }

    /// The strings of an array.
    var strings: [String] { (array ?? []).compactMap(\.string) }
}

/// Deterministic numbers (SplitMix64), so that a failure can be had again.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

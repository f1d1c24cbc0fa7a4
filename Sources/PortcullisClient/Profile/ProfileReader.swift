import Bytes

/// Strict reader of `client.json`: invalid values and unknown keys are errors with JSON pointer, expectation and value.
struct ProfileReader {
    private let root: JSONNode
    private var known: Set<String> = ["$schema"]
    private(set) var problems: [String] = []

    init(_ root: JSONNode) { self.root = root }

    mutating func text(_ name: String) -> String? {
        read(name, "a text that is not empty") { $0.string.flatMap { $0.isEmpty ? nil : $0 } }
    }

    mutating func flag(_ name: String) -> Bool? { read(name, "true or false") { $0.bool } }

    mutating func number(_ name: String, in range: ClosedRange<Int>) -> Int? {
        read(name, "an integer from \(range.lowerBound) to \(range.upperBound)") { node in
            node.integer.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func texts(_ name: String) -> [String]? {
        read(name, "a list of texts") { node in
            guard let elements = node.array else { return nil }
            let texts = elements.compactMap(\.string)
            return texts.count == elements.count ? texts : nil
        }
    }

    private mutating func read<Value>(_ name: String, _ expected: String, _ value: (JSONNode) -> Value?) -> Value? {
        known.insert(name)
        guard let node = root[name] else { return nil }
        if let value = value(node) { return value }
        complain(name, "expected \(expected), found \(ProfileReader.summary(node))")
        return nil
    }

    mutating func complain(_ name: String, _ problem: String) { problems.append("/\(name): \(problem)") }

    /// Reports members that were not read.
    mutating func finish() {
        for member in root.members ?? [] where !known.contains(member.name) {
            complain(
                member.name,
                "unknown member; known are \(known.subtracting(["$schema"]).sorted().joined(separator: ", "))")
        }
    }

    /// The type of a value, without its text, which may be a secret.
    private static func summary(_ node: JSONNode) -> String {
        switch node.value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let text): text
        case .string(let text): text.isEmpty ? "an empty text" : "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

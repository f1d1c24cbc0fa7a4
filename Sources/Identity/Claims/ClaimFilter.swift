import Bytes

/// One entry of `filters`: what a claim must, or must not, contain (JWT-21).
package struct ClaimFilter: Sendable, Equatable {
    /// Whether one of the values must match the claim, or none may match.
    package enum Kind: String, Sendable, CaseIterable {
        case include, exclude
    }

    private enum Rule: Sendable, Equatable {
        case claim(name: String, Kind, values: [String])
        /// Specified incorrectly: never satisfied, not even as an exclusion (JWT-22).
        case never
    }

    private let rule: Rule

    /// The filter that no token satisfies.
    package static let unsatisfiable = ClaimFilter(rule: .never)

    private init(rule: Rule) { self.rule = rule }

    package init(name: String, kind: Kind = .include, values: [String]) {
        rule = name.isEmpty || values.isEmpty ? .never : .claim(name: name, kind, values: values)
    }

    /// Whether verified claims satisfy it.
    package func isSatisfied(by claims: JSONNode) -> Bool {
        guard case .claim(let name, let kind, let values) = rule else { return false }
        let texts = ClaimFilter.texts(of: claims[name])
        let matches = texts.contains { text in values.contains { ClaimFilter.matches(text, pattern: $0) } }
        return matches == (kind == .include)
    }

    /// The condition in words.
    package var description: String {
        guard case .claim(let name, let kind, let values) = rule else { return "misspecified, never satisfied" }
        let list = values.map { "\"\($0)\"" }.joined(separator: ", ")
        return kind == .include ? "\(name) is one of \(list)" : "\(name) is not one of \(list)"
    }

    /// Numbers and booleans as JSON text, arrays by element; objects and null never match (AMB-08).
    private static func texts(of claim: JSONNode?) -> [String] {
        switch claim?.value {
        case .string(let text), .number(let text): [text]
        case .bool(let flag): [flag ? "true" : "false"]
        case .array(let elements): elements.flatMap { $0.array == nil ? texts(of: $0) : [] }
        case .object, .null, nil: []
        }
    }

    /// Matches a text against a pattern in which `*` stands for any run of characters. Case-sensitive; no other
    /// character is special. Backtracks to the last star only, so the time is bounded by the product of the lengths.
    static func matches(_ text: String, pattern: String) -> Bool {
        let text = Array(text.utf8)
        let pattern = Array(pattern.utf8)
        let star = UInt8(ascii: "*")
        var (place, wanted) = (0, 0)
        var retry: (place: Int, wanted: Int)?
        while place < text.count {
            if wanted < pattern.count, pattern[wanted] == star {
                retry = (place, wanted)
                wanted += 1
            } else if wanted < pattern.count, pattern[wanted] == text[place] {
                place += 1
                wanted += 1
            } else if let last = retry {
                retry = (last.place + 1, last.wanted)
                place = last.place + 1
                wanted = last.wanted + 1
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == star }
    }
}

import Bytes

/// One value of the configuration on its way to become a typed one. Each reader answers nil after it has reported what
/// is wrong, so that the caller goes on with a stand-in and all errors are found in one run.
package struct Field {
    package let node: JSONNode
    let findings: Findings
    let place: JSONPlace

    /// The value at a place.
    init(node: JSONNode, pointer: String, findings: Findings) {
        self.node = node
        self.findings = findings
        place = JSONPlace(pointer)
    }

    /// The value of a member or element below a place.
    init(node: JSONNode, below parent: String, _ name: String, findings: Findings) {
        self.node = node
        self.findings = findings
        place = JSONPlace(below: parent, name)
    }

    package var pointer: String { place.pointer }

    package func error(_ message: String, expected: String? = nil, found: String? = nil, suggestion: String? = nil) {
        findings.error(pointer, message, expected: expected, found: found, suggestion: suggestion)
    }

    func warning(_ message: String, expected: String? = nil, found: String? = nil, suggestion: String? = nil) {
        findings.warning(pointer, message, expected: expected, found: found, suggestion: suggestion)
    }

    func note(_ message: String, expected: String? = nil) {
        findings.note(pointer, message, expected: expected)
    }

    package func wrongType(_ expected: String) { error("wrong type", expected: expected, found: summary) }

    package func invalid(_ expected: String, suggestion: String? = nil) {
        error("invalid value", expected: expected, found: summary, suggestion: suggestion)
    }

    /// The value in a few words.
    package var summary: String {
        switch node.value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let literal): literal
        case .string(let text): "\"\(text.prefix(60))\(text.count > 60 ? "..." : "")\""
        case .array: "an array"
        case .object: "an object"
        }
    }

    package func text(_ expected: @autoclosure () -> String = "a string") -> String? {
        guard let text = node.string else {
            wrongType(expected())
            return nil
        }
        return text
    }

    /// A string with something in it, and nothing that could end a header field or a log line.
    package func name(
        _ expected: @autoclosure () -> String = "a non-empty string without control characters"
    ) -> String? {
        guard let text = text(expected()) else { return nil }
        guard !text.isEmpty, ByteScan.firstControl(in: text.utf8.span, from: 0) == text.utf8.count else {
            invalid(expected())
            return nil
        }
        return text
    }

    package func bool() -> Bool? {
        guard let flag = node.bool else {
            wrongType("true or false")
            return nil
        }
        return flag
    }

    package func integer(in range: ClosedRange<Int>, _ noun: String = "an integer") -> Int? {
        let expected =
            range.upperBound == .max
            ? "\(noun) of at least \(range.lowerBound)" : "\(noun) from \(range.lowerBound) to \(range.upperBound)"
        guard let number = node.integer else {
            wrongType(expected)
            return nil
        }
        guard range.contains(Int(number)) else {
            error("out of range", expected: expected, found: summary)
            return nil
        }
        return Int(number)
    }

    /// One of a few words.
    package func choice(_ words: [String]) -> String? {
        let expected = words.map { "\"\($0)\"" }.joined(separator: words.count == 2 ? " or " : ", ")
        guard let word = text(words.count > 2 ? "one of \(expected)" : expected) else { return nil }
        guard words.contains(word) else {
            invalid(
                words.count > 2 ? "one of \(expected)" : expected,
                suggestion: Suggestion.nearest(to: word, among: words))
            return nil
        }
        return word
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) -> Choice?
    where Choice.RawValue == String {
        choice(among: Array(type.allCases))
    }

    /// One of some words of an enumeration.
    func choice<Choice: RawRepresentable>(among choices: [Choice]) -> Choice? where Choice.RawValue == String {
        choice(choices.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }

    package func elements(_ expected: @autoclosure () -> String) -> [Field]? {
        guard let elements = node.array else {
            wrongType(expected())
            return nil
        }
        let pointer = pointer
        return elements.enumerated().map { Field(node: $1, below: pointer, String($0), findings: findings) }
    }

    /// An array of strings, each once; `read` looks at one of them.
    package func names(
        _ expected: @autoclosure () -> String = "an array of strings", _ read: (Field) -> String? = { $0.name() }
    ) -> [String]? {
        guard let nodes = node.array else {
            wrongType(expected())
            return nil
        }
        let pointer = pointer
        var names: [String] = []
        for (index, node) in nodes.enumerated() {
            let element = Field(node: node, below: pointer, String(index), findings: findings)
            guard let name = read(element) else { continue }
            if names.contains(name) { element.error("\"\(name)\" is listed twice") }
            names.append(name)
        }
        return names
    }

    package func object(_ expected: @autoclosure () -> String) -> ObjectReader {
        if node.members == nil { wrongType(expected()) }
        return ObjectReader(self)
    }
}

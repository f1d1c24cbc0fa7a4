import Bytes

/// One value of the configuration with its place. Each reader reports an error and returns nil for an invalid value.
/// The caller continues with a placeholder, so that one run finds all errors.
package struct Field {
    package let node: JSONNode
    package let findings: Findings
    package let place: JSONLocation

    /// The value at a place.
    package init(node: JSONNode, pointer: String, findings: Findings) {
        self.node = node
        self.findings = findings
        place = JSONLocation(pointer)
    }

    /// The value of a member or element below a place.
    package init(node: JSONNode, below parent: String, _ name: String, findings: Findings) {
        self.node = node
        self.findings = findings
        place = JSONLocation(below: parent, name)
    }

    package var pointer: String { place.pointer }

    /// The same value, with findings of its own.
    package var apart: Field { Field(node: node, pointer: pointer, findings: Findings()) }

    /// Whether this object is the root of a file and may name its schema.
    package var isFileRoot: Bool { findings.sources.sections[String(pointer.dropFirst())] != nil }

    package func error(_ message: String, expected: String? = nil, found: String? = nil, suggestion: String? = nil) {
        findings.error(pointer, message, expected: expected, found: found, suggestion: suggestion)
    }

    /// Reports a warning.
    package func warning(_ message: String, expected: String? = nil, found: String? = nil, suggestion: String? = nil) {
        findings.warning(pointer, message, expected: expected, found: found, suggestion: suggestion)
    }

    package func wrongType(_ expected: String) { error("wrong type", expected: expected, found: summary) }

    package func invalid(_ expected: String, suggestion: String? = nil) {
        error("invalid value", expected: expected, found: summary, suggestion: suggestion)
    }

    // The same for readers, which return nil after an error.

    package func error<Value>(
        _ message: String, expected: String? = nil, found: String? = nil, suggestion: String? = nil
    ) -> Value? {
        findings.error(pointer, message, expected: expected, found: found, suggestion: suggestion)
        return nil
    }

    package func wrongType<Value>(_ expected: String) -> Value? {
        error("wrong type", expected: expected, found: summary)
    }

    package func invalid<Value>(_ expected: String, suggestion: String? = nil) -> Value? {
        error("invalid value", expected: expected, found: summary, suggestion: suggestion)
    }

    /// The value in messages.
    package var summary: String {
        // Values of variables may be secrets.
        if let written = findings.written[pointer] { return "\"\(written)\"" }
        return switch node.value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let literal): literal
        case .string(let text): UserInformation.quoted(text)
        case .array: "an array"
        case .object: "an object"
        }
    }

    package func text(_ expected: @autoclosure () -> String = "a string") -> String? {
        guard let text = node.string else { return wrongType(expected()) }
        return text
    }

    /// A non-empty string without characters that end a header field or a log line.
    package func name(
        _ expected: @autoclosure () -> String = "a non-empty string without control characters"
    ) -> String? {
        guard let text = text(expected()) else { return nil }
        guard !text.isEmpty, ByteScan.firstControl(in: text.utf8.span, from: 0) == text.utf8.count else {
            return invalid(expected())
        }
        return text
    }

    package func bool() -> Bool? {
        guard let flag = findings.plain(node, at: pointer).bool else { return wrongType("true or false") }
        return flag
    }

    package func integer(in range: ClosedRange<Int>, _ noun: String = "an integer") -> Int? {
        let expected =
            range.upperBound == .max
            ? "\(noun) of at least \(range.lowerBound)" : "\(noun) from \(range.lowerBound) to \(range.upperBound)"
        guard let number = findings.plain(node, at: pointer).integer else { return wrongType(expected) }
        guard range.contains(Int(number)) else { return error("out of range", expected: expected, found: summary) }
        return Int(number)
    }

    /// One of a few words.
    package func choice(_ words: [String]) -> String? {
        let expected = words.map { "\"\($0)\"" }.joined(separator: words.count == 2 ? " or " : ", ")
        guard let word = text(words.count > 2 ? "one of \(expected)" : expected) else { return nil }
        guard words.contains(word) else {
            return invalid(
                words.count > 2 ? "one of \(expected)" : expected,
                suggestion: Suggestion.nearest(to: word, among: words))
        }
        return word
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) -> Choice?
    where Choice.RawValue == String {
        choice(among: Array(type.allCases))
    }

    /// One of some words of an enumeration.
    package func choice<Choice: RawRepresentable>(among choices: [Choice]) -> Choice? where Choice.RawValue == String {
        choice(choices.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }

    package func elements(_ expected: @autoclosure () -> String) -> [Field]? {
        guard let elements = node.array else { return wrongType(expected()) }
        let pointer = pointer
        return elements.enumerated().map { Field(node: $1, below: pointer, String($0), findings: findings) }
    }

    /// An array of strings, each once.
    package func names(
        _ expected: @autoclosure () -> String = "an array of strings", _ read: (Field) -> String? = { $0.name() }
    ) -> [String]? {
        guard let nodes = node.array else { return wrongType(expected()) }
        let pointer = pointer
        var names: [String] = []
        for (index, node) in nodes.enumerated() {
            let element = Field(node: node, below: pointer, String(index), findings: findings)
            guard let name = read(element) else { continue }
            if names.contains(name) { element.error("\"\(UserInformation.hidden(inValue: name))\" is listed twice") }
            names.append(name)
        }
        return names
    }

    package func object(_ expected: @autoclosure () -> String) -> ObjectReader {
        if node.members == nil { wrongType(expected()) }
        return ObjectReader(self)
    }
}

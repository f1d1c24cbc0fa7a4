import Bytes
import Model

/// Reads one JSON object of a policy into typed values. Wrong values are recorded, not thrown; the caller decides on
/// the consequences.
struct AssertionReader {
    let node: JSONNode
    /// JSON pointer of the object.
    let pointer: String
    private(set) var findings: [AssertionFinding] = []
    /// Whether a wrong value makes the object unusable.
    private(set) var isBroken = false
    private var known: Set<String> = []

    init(_ node: JSONNode, _ pointer: String) {
        self.node = node
        self.pointer = pointer
    }

    /// The raw member.
    mutating func take(_ name: String) -> JSONNode? {
        known.insert(name)
        return node[name]
    }

    /// Records a wrong value that leaves the object usable.
    mutating func warn(_ name: String, _ message: String, expected: String? = nil) {
        findings.append(
            AssertionFinding(
                severity: .warning, pointer: "\(pointer)/\(name)", message: message, expected: expected))
    }

    /// Records a wrong value that makes the object unusable.
    mutating func fail(_ name: String?, _ message: String, expected: String? = nil) {
        isBroken = true
        let place = name.map { "\(pointer)/\($0)" } ?? pointer
        findings.append(
            AssertionFinding(severity: .warning, pointer: place, message: message, expected: expected))
    }

    mutating func flag(_ name: String, default standard: Bool) -> Bool {
        guard let member = take(name) else { return standard }
        guard let flag = member.bool else {
            fail(name, "wrong type", expected: "true or false")
            return standard
        }
        return flag
    }

    /// A non-empty string; nil if absent or wrong.
    mutating func text(_ name: String, expected: String = "a non-empty string") -> String? {
        guard let member = take(name) else { return nil }
        guard let text = member.string, !text.isEmpty else {
            fail(name, "wrong value", expected: expected)
            return nil
        }
        return text
    }

    /// Non-empty strings; nil if the member is absent or wrong.
    mutating func texts(_ name: String) -> [String]? {
        guard let member = take(name) else { return nil }
        guard let texts = AssertionReader.texts(member) else {
            fail(name, "wrong type", expected: "an array of non-empty strings")
            return nil
        }
        return texts
    }

    /// An interval. The default replaces a value that is negative or not an integer (JWT-08).
    mutating func seconds(_ name: String, default standard: Int64, from least: Int64 = 0) -> Int64 {
        guard let member = take(name) else { return standard }
        guard let seconds = member.integer, (least...TokenLifetime.longest).contains(seconds) else {
            warn(
                name, "wrong value, \(standard) is used",
                expected: least == 0 ? "seconds as an integer that is not negative" : "a positive integer of seconds")
            return standard
        }
        return seconds
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, _ type: Choice.Type) -> Choice?
    where Choice.RawValue == String {
        guard let member = take(name) else { return nil }
        guard let choice = member.string.flatMap(Choice.init(rawValue:)) else {
            fail(name, "wrong value", expected: type.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
            return nil
        }
        return choice
    }

    /// Adds the findings of a nested object that was read separately.
    mutating func add(_ part: AssertionReader) {
        findings += part.findings
        isBroken = isBroken || part.isBroken
    }

    /// Warns of unknown members, which are ignored (JWT-08).
    mutating func finish() {
        for member in node.members ?? [] where !known.contains(member.name) {
            warn(
                AssertionReader.escaped(member.name), "unknown member, ignored",
                expected: "one of \(known.sorted().joined(separator: ", "))")
        }
    }

    static func texts(_ node: JSONNode) -> [String]? {
        guard let elements = node.array else { return nil }
        let texts = elements.compactMap(\.string).filter { !$0.isEmpty }
        return texts.count == elements.count ? texts : nil
    }

    /// Escapes a member name for a JSON pointer (RFC 6901 section 3).
    private static func escaped(_ name: String) -> String {
        String(
            decoding: name.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case UInt8(ascii: "~"): Array("~0".utf8)
                case ASCII.slash: Array("~1".utf8)
                default: [byte]
                }
            }, as: UTF8.self)
    }
}

import Bytes
import Model

/// One object of a policy on its way to typed values. Wrong values are found, not thrown: what follows from them is for
/// who reads to say.
struct AssertionReader {
    let node: JSONNode
    /// JSON pointer of the object.
    let pointer: String
    private(set) var findings: [AssertionFinding] = []
    /// Whether a value was found that the object cannot work with.
    private(set) var isBroken = false
    private var known: Set<String> = []

    init(_ node: JSONNode, _ pointer: String) {
        self.node = node
        self.pointer = pointer
    }

    /// The member as it is.
    mutating func take(_ name: String) -> JSONNode? {
        known.insert(name)
        return node[name]
    }

    /// A wrong value that the object works without.
    mutating func warn(_ name: String, _ message: String, expected: String? = nil) {
        findings.append(
            AssertionFinding(
                severity: .warning, pointer: "\(pointer)/\(name)", message: message, expected: expected))
    }

    /// A wrong value that spoils the object.
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

    /// A text with something in it; nil where there is none.
    mutating func text(_ name: String, expected: String = "a non-empty string") -> String? {
        guard let member = take(name) else { return nil }
        guard let text = member.string, !text.isEmpty else {
            fail(name, "wrong value", expected: expected)
            return nil
        }
        return text
    }

    /// Texts with something in them; nil where the member is absent or wrong.
    mutating func texts(_ name: String) -> [String]? {
        guard let member = take(name) else { return nil }
        guard let texts = AssertionReader.texts(member) else {
            fail(name, "wrong type", expected: "an array of non-empty strings")
            return nil
        }
        return texts
    }

    /// An interval: what is no integer or negative is replaced by the default (JWT-08).
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

    /// Findings of a part, read by itself.
    mutating func add(_ part: AssertionReader) {
        findings += part.findings
        isBroken = isBroken || part.isBroken
    }

    /// Warns of members that nobody asked for, which are ignored (JWT-08).
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

    /// A name as a part of a pointer (RFC 6901 section 3).
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

import Bytes
import Model

/// Reads one JSON object of a policy into typed values, and declares its members. Wrong values are recorded, not
/// thrown; the caller decides on the consequences.
struct AssertionReader {
    let node: JSONNode
    /// JSON pointer of the object.
    let pointer: String
    private(set) var findings: [AssertionFinding] = []
    /// Whether a wrong value makes the object unusable.
    private(set) var isBroken = false
    /// How grave it is that the object is unusable.
    private let gravity: Severity
    private var known: Set<String> = []
    /// Collects the declarations if only the form of the object is needed.
    private let outline: ObjectOutline?

    init(_ node: JSONNode, _ pointer: String, gravity: Severity = .warning, outline: ObjectOutline? = nil) {
        self.node = node
        self.pointer = pointer
        self.gravity = gravity
        self.outline = outline
    }

    /// The form of the objects that a function reads. Unknown members are ignored (JWT-08).
    static func form(_ body: (inout AssertionReader) -> Void) -> ObjectForm {
        let outline = ObjectOutline()
        outline.open()
        var reader = AssertionReader(JSONNode(.null), "", outline: outline)
        body(&reader)
        return outline.form
    }

    /// Whether only the form of the object is needed.
    var isDescribing: Bool { outline != nil }

    /// The raw member.
    mutating func take(
        _ name: String, _ form: @autoclosure () -> Form, default standard: JSONNode? = nil, isRequired: Bool = false,
        _ meaning: String
    ) -> JSONNode? {
        guard let outline else {
            known.insert(name)
            return node[name]
        }
        outline.add(
            ObjectForm.Key(name: name, form: form(), meaning: meaning, standard: standard, isRequired: isRequired))
        return nil
    }

    /// Declares rules between members. What breaks one makes the object unusable.
    mutating func rules(_ rules: KeyRule...) {
        for rule in rules {
            if let outline {
                outline.add(rule)
                continue
            }
            for violation in rule.violations({ node[$0] }) {
                fail(violation.name, violation.message, expected: violation.expected)
            }
        }
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
        findings.append(AssertionFinding(severity: gravity, pointer: place, message: message, expected: expected))
    }

    /// Records that a member without a default is missing.
    mutating func require(_ name: String) {
        if node[name] == nil { fail(nil, "required member \"\(name)\" is missing") }
    }

    mutating func flag(_ name: String, default standard: Bool, _ meaning: String) -> Bool {
        guard let member = take(name, .flag, default: .flag(standard), meaning) else { return standard }
        guard let flag = member.bool else {
            fail(name, "wrong type", expected: "true or false")
            return standard
        }
        return flag
    }

    /// A non-empty string; nil if absent or wrong.
    mutating func text(
        _ name: String, as form: @autoclosure () -> Form = .text, expected: String = "a non-empty string",
        isRequired: Bool = false, _ meaning: String
    ) -> String? {
        guard let member = take(name, form(), isRequired: isRequired, meaning) else { return nil }
        guard let text = member.string, !text.isEmpty else {
            fail(name, "wrong value", expected: expected)
            return nil
        }
        return text
    }

    /// Non-empty strings; nil if the member is absent or wrong.
    mutating func texts(
        _ name: String, as form: @autoclosure () -> Form = .list(.text, isUnique: false),
        default standard: [String]? = nil, isRequired: Bool = false, _ meaning: String
    ) -> [String]? {
        let member = take(name, form(), default: standard.map(JSONNode.texts), isRequired: isRequired, meaning)
        guard let member else { return nil }
        guard let texts = AssertionReader.texts(member) else {
            fail(name, "wrong type", expected: "an array of non-empty strings")
            return nil
        }
        return texts
    }

    /// An interval. The default replaces a value that is negative or not an integer (JWT-08).
    mutating func seconds(
        _ name: String, default standard: Int64, from least: Int64 = 0, _ meaning: String
    ) -> Int64 {
        let form = Form.integer(Int(least)...Int(TokenLifetime.longest))
        guard let member = take(name, form, default: .number(standard), meaning) else { return standard }
        guard let seconds = member.integer, (least...TokenLifetime.longest).contains(seconds) else {
            warn(
                name, "wrong value, \(standard) is used",
                expected: least == 0 ? "seconds as an integer that is not negative" : "a positive integer of seconds")
            return standard
        }
        return seconds
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type, default standard: Choice? = nil, _ meaning: String
    ) -> Choice? where Choice.RawValue == String {
        let words = type.allCases.map(\.rawValue)
        let member = take(name, .choice(words), default: (standard?.rawValue).map(JSONNode.text), meaning)
        guard let member else { return standard }
        guard let choice = member.string.flatMap(Choice.init(rawValue:)) else {
            fail(name, "wrong value", expected: words.map { "\"\($0)\"" }.joined(separator: " or "))
            return standard
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

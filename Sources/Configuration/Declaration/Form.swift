import Bytes

/// What a value of the configuration looks like. The JSON Schema and the reference are written from forms, and nothing
/// else says it.
package indirect enum Form: Sendable {
    case flag
    case integer(ClosedRange<Int>)
    /// Any text but the empty one.
    case text
    /// A text that fits a regular expression (ECMA-262), and not the other one.
    case pattern(String, not: String? = nil)
    case choice([String])
    case list(Form, minimum: Int = 0, maximum: Int? = nil, isUnique: Bool = true)
    case object(ObjectForm)
    /// An object whose names are free, or fit a regular expression.
    case map(Form, names: String? = nil, minimum: Int = 0)
    case either([Form])
    /// Described once in a schema and mentioned wherever it occurs.
    case named(String, Form)
    /// With a line about the value itself, beside that about its key.
    case described(String, Form)
    /// Where nothing else says it: members of a schema.
    case schema([JSONMember])

    /// 1 to 64 letters, digits, dots, underscores and hyphens.
    static let identifierPattern = "^[A-Za-z0-9._-]{1,64}$"
}

/// The members that an object may have.
package struct ObjectForm: Sendable {
    package struct Key: Sendable {
        package let name: String
        package let form: Form
        /// One or two sentences in Markdown.
        package let meaning: String
        /// What holds without the key, where that is a value.
        package let standard: JSONNode?
        package let isRequired: Bool

        package init(name: String, form: Form, meaning: String, standard: JSONNode? = nil, isRequired: Bool = false) {
            self.name = name
            self.form = form
            self.meaning = meaning
            self.standard = standard
            self.isRequired = isRequired
        }
    }

    package fileprivate(set) var keys: [Key] = []
    /// What JSON Schema says about several members at once.
    package fileprivate(set) var constraints: [JSONMember] = []
    /// Whether other names may stand beside these.
    package fileprivate(set) var isOpen = false

    package var names: [String] { keys.map(\.name) }

    /// The JSON Schema of objects that have one of these members or several.
    static func anyOf(_ names: [String]) -> String {
        "{\"anyOf\": [\(names.map { "{\"required\": [\"\($0)\"]}" }.joined(separator: ", "))]}"
    }

    package init(_ keys: [Key] = [], _ constraints: [JSONMember] = []) {
        self.keys = keys
        self.constraints = constraints
    }
}

/// Collects the form of an object while the function that reads such objects runs without one.
final class ObjectOutline {
    private(set) var form = ObjectForm()
    /// The value in place of an object: it has no members, and its problems are dropped.
    let field: Field

    init() {
        let findings = Findings(sources: Sources(), directory: "", environment: [:], production: false)
        field = Field(node: JSONNode(.null), pointer: "", findings: findings)
    }

    func add(_ key: ObjectForm.Key) { form.keys.append(key) }

    func constrain(_ members: [JSONMember]) { form.constraints += members }

    func open() { form.isOpen = true }
}

extension [JSONMember] {
    /// Where a member has a value, others must be there.
    static func when(_ name: String, is value: JSONNode, needs others: String...) -> [JSONMember] {
        let condition = JSONNode.object([
            ("properties", .object([(name, .object([("const", value)]))])), ("required", .texts([name])),
        ])
        return [
            JSONMember(name: "if", node: condition),
            JSONMember(name: "then", node: .object([("required", .texts(others))])),
        ]
    }
}

extension JSONMember {
    /// Either of two members needs the other one.
    static func together(_ one: String, _ other: String) -> JSONMember {
        JSONMember(name: "dependentRequired", node: .object([(one, .texts([other])), (other, .texts([one]))]))
    }

    /// These members must be there.
    static func required(_ names: String...) -> JSONMember { JSONMember(name: "required", node: .texts(names)) }

    /// Where one of these members is, there is that one as well.
    static func needs(_ name: String, for others: [String]) -> JSONMember {
        JSONMember(name: "dependentRequired", node: .object(others.map { ($0, .texts([name])) }))
    }

    /// Of these members there is one, and only one.
    static func exactlyOne(of names: String...) -> JSONMember { exactlyOne(of: names) }

    package static func exactlyOne(of names: [String]) -> JSONMember {
        JSONMember(
            name: "oneOf", node: JSONNode(.array(names.map { .object([("required", .texts([$0]))]) })))
    }
}

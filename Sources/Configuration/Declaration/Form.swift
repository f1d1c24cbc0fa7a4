import Bytes

/// The form of a value of the configuration, from which the JSON Schemas and the reference are generated.
package indirect enum Form: Sendable {
    case flag
    case integer(ClosedRange<Int>)
    /// Any non-empty text.
    case text
    /// A text that matches a regular expression (ECMA-262) and does not match the other one.
    case pattern(String, not: String? = nil)
    case choice([String])
    case list(Form, minimum: Int = 0, maximum: Int? = nil, isUnique: Bool = true)
    case object(ObjectForm)
    /// An object with free names, or names that match a regular expression.
    case map(Form, names: String? = nil, minimum: Int = 0)
    case either([Form])
    /// A definition that schemas describe once and reference elsewhere.
    case named(String, Form)
    /// With a description of the value in addition to that of its key.
    case described(String, Form)
    /// Members of a JSON Schema, where no other case fits.
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
        /// The default of the key.
        package let standard: JSONNode?
        package let isRequired: Bool
        package let facts: KeyFacts

        package init(
            name: String, form: Form, meaning: String, standard: JSONNode? = nil, isRequired: Bool = false,
            facts: KeyFacts = KeyFacts()
        ) {
            self.name = name
            self.form = form
            self.meaning = meaning
            self.standard = standard
            self.isRequired = isRequired
            self.facts = facts
        }
    }

    package fileprivate(set) var keys: [Key] = []
    /// JSON Schema constraints on several members.
    package fileprivate(set) var constraints: [JSONMember] = []
    /// Whether other members are allowed.
    package fileprivate(set) var isOpen = false

    package var names: [String] { keys.map(\.name) }

    /// The JSON Schema of objects with at least one of these members.
    static func anyOf(_ names: [String]) -> String {
        "{\"anyOf\": [\(names.map { "{\"required\": [\"\($0)\"]}" }.joined(separator: ", "))]}"
    }

    package init(_ keys: [Key] = [], _ constraints: [JSONMember] = []) {
        self.keys = keys
        self.constraints = constraints
    }
}

/// Collects the form of an object while its reader runs without an object.
final class ObjectOutline {
    private(set) var form = ObjectForm()
    /// Takes the place of the object: a value without members, whose findings are ignored.
    let field: Field

    init() {
        let findings = Findings(sources: Sources(), directory: "", environment: [:], production: false)
        field = Field(node: JSONNode(.null), pointer: "", findings: findings)
    }

    func add(_ key: ObjectForm.Key) { form.keys.append(key) }

    func constrain(_ members: [JSONMember]) { form.constraints.constrain(members) }

    func open() { form.isOpen = true }
}

extension [JSONMember] {
    private static let joinable = ["required", "dependentRequired", "allOf"]

    /// Adds constraints so that no name stands twice (RFC 8259 section 4): lists of required members are joined, and other
    /// constraints with the same names apply beside each other (`allOf`).
    mutating func constrain(_ members: [JSONMember]) {
        var others: [JSONMember] = []
        for member in members {
            guard Self.joinable.contains(member.name) else {
                others.append(member)
                continue
            }
            guard let index = firstIndex(where: { $0.name == member.name }) else {
                append(member)
                continue
            }
            self[index].node = self[index].node.joined(with: member.node)
        }
        // `if` and `then` stay together.
        guard others.contains(where: { other in contains { $0.name == other.name } }) else {
            self += others
            return
        }
        constrain([JSONMember(name: "allOf", node: JSONNode(.array([JSONNode(.object(others))])))])
    }

    /// If a member has a value, others are required.
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

extension JSONNode {
    /// The elements or members of both, each once.
    fileprivate func joined(with other: JSONNode) -> JSONNode {
        switch (value, other.value) {
        case (.array(let one), .array(let two)):
            return JSONNode(.array(one + two.filter { new in !one.contains { $0.value == new.value } }))
        case (.object(var members), .object(let two)):
            for member in two {
                if let index = members.firstIndex(where: { $0.name == member.name }) {
                    members[index].node = members[index].node.joined(with: member.node)
                } else {
                    members.append(member)
                }
            }
            return JSONNode(.object(members))
        default: preconditionFailure("constraints of different types")
        }
    }
}

extension JSONMember {
    /// Either of two members needs the other one.
    static func together(_ one: String, _ other: String) -> JSONMember {
        JSONMember(name: "dependentRequired", node: .object([(one, .texts([other])), (other, .texts([one]))]))
    }

    /// These members are required.
    static func required(_ names: String...) -> JSONMember { JSONMember(name: "required", node: .texts(names)) }

    /// Each of these members requires another one.
    static func needs(_ name: String, for others: [String]) -> JSONMember {
        JSONMember(name: "dependentRequired", node: .object(others.map { ($0, .texts([name])) }))
    }

    /// Exactly one of these members is required.
    static func exactlyOne(of names: String...) -> JSONMember { exactlyOne(of: names) }

    package static func exactlyOne(of names: [String]) -> JSONMember {
        JSONMember(
            name: "oneOf", node: JSONNode(.array(names.map { .object([("required", .texts([$0]))]) })))
    }
}

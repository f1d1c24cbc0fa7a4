import Bytes

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

    package private(set) var keys: [Key] = []
    /// JSON Schema constraints on several members.
    package private(set) var constraints: [JSONMember] = []
    /// Whether other members are allowed.
    package private(set) var isOpen = false

    package var names: [String] { keys.map(\.name) }

    /// The JSON Schema of objects with at least one of these members.
    package static func anyOf(_ names: [String]) -> String {
        "{\"anyOf\": [\(names.map { "{\"required\": [\"\($0)\"]}" }.joined(separator: ", "))]}"
    }

    package init(_ keys: [Key] = [], _ constraints: [JSONMember] = []) {
        self.keys = keys
        self.constraints = constraints
    }

    mutating func constrain(_ members: [JSONMember]) { constraints.constrain(members) }

    mutating func open() { isOpen = true }

    mutating func add(_ key: Key) { keys.append(key) }
}

/// Collects the form of an object while its reader runs without an object.
package final class ObjectOutline {
    package private(set) var form = ObjectForm()

    package init() {}

    package func add(_ key: ObjectForm.Key) { form.add(key) }

    /// JSON Schema constraints on several members.
    package func constrain(_ members: [JSONMember]) { form.constrain(members) }

    /// The same as the text of an object.
    package func constrain(json text: String) {
        guard let members = try? JSONNode.parse(text.utf8.span).members else {
            preconditionFailure("no object: \(text)")
        }
        constrain(members)
    }

    /// Allows other members.
    package func open() { form.open() }
}

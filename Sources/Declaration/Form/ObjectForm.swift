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
    /// Rules between keys, which are among the constraints.
    package private(set) var rules: [KeyRule] = []
    /// Whether other members are allowed.
    package private(set) var isOpen = false

    package var names: [String] { keys.map(\.name) }

    package init(_ keys: [Key] = [], rules: [KeyRule] = []) {
        self.keys = keys
        for rule in rules { add(rule) }
    }

    package mutating func constrain(_ members: [JSONMember]) { constraints.constrain(members) }

    mutating func open() { isOpen = true }

    package mutating func add(_ key: Key) { keys.append(key) }

    package mutating func add(_ rule: KeyRule) {
        rules.append(rule)
        constrain(rule.schema)
    }

    /// Adds keys that objects have only if a condition holds; required ones are required then.
    package mutating func add(_ part: ObjectForm, with condition: KeyCondition) {
        for key in part.keys {
            keys.append(
                Key(
                    name: key.name, form: key.form, meaning: key.meaning, standard: key.standard, facts: key.facts))
            if key.isRequired { add(KeyRule.requires(key.name, if: condition)) }
        }
        for rule in part.rules { add(rule.when(condition)) }
        add(KeyRule.only(part.names, with: condition))
    }
}

/// Collects the form of an object while its reader runs without an object.
package final class ObjectOutline {
    package private(set) var form = ObjectForm()

    package init() {}

    package func add(_ key: ObjectForm.Key) { form.add(key) }

    package func add(_ rule: KeyRule) { form.add(rule) }

    package func add(_ part: ObjectForm, with condition: KeyCondition) { form.add(part, with: condition) }

    /// Allows other members.
    package func open() { form.open() }
}

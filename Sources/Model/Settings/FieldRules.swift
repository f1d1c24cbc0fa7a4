/// The fields that a route sets, adds and removes, of requests or of responses.
package struct FieldRules: Hashable, Sendable {
    /// A field with the value that it gets.
    package struct Line: Hashable, Sendable {
        package var name: String
        package var value: FieldTemplate

        package init(name: String, value: FieldTemplate) {
            self.name = name
            self.value = value
        }
    }

    /// Fields that take the place of those with the same name.
    package var set: [Line]
    /// Fields that are written beside those with the same name.
    package var add: [Line]
    /// Names of fields that are not passed on.
    package var remove: [String]
    /// The field of signed assertions, as Pomerium names it.
    package static let identityAssertion = "X-Pomerium-Jwt-Assertion"
    /// Whether the upstream gets a signed assertion of the caller's identity.
    package var signsIdentity = false

    package init(set: [Line] = [], add: [Line] = [], remove: [String] = []) {
        self.set = set
        self.add = add
        self.remove = remove
    }

    package var lines: [Line] { self.set + add }
    /// Names of the received fields that are not passed on.
    package var dropped: [String] { self.set.map(\.name) + remove }
}

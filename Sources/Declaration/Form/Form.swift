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

    /// Any text, also an empty one. Computed, since leak checkers do not see the pointers of indirect cases in globals.
    package static var anyText: Form { .schema([JSONMember(name: "type", node: JSONNode(.string("string")))]) }

    /// 1 to 64 letters, digits, dots, underscores and hyphens.
    package static let identifierPattern = "^[A-Za-z0-9._-]{1,64}$"
}

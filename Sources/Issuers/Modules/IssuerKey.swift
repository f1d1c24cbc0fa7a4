import Bytes
import Crypto
import Identity
import Model

/// A member of a module's entry in `issuers.json`.
package struct IssuerKey: Sendable {
    /// Type of the value. The composition root reads it, reports errors with their location, and resolves secrets,
    /// files and URLs, so that modules get valid values only.
    package enum Shape: Sendable {
        /// A non-empty string without control characters.
        case text
        /// A secret: the value, `env:NAME` or `file:path`.
        case secret
        /// A URL to call.
        case url
        case flag
        case count(ClosedRange<Int>)
        /// A whole number of seconds.
        case seconds
        case choice([String])
        /// A signature algorithm with a public verification key.
        case publicAlgorithm
        /// An array of strings.
        case texts
        /// An array of numbers of this range.
        case counts(ClosedRange<Int>)
        /// An object of strings.
        case map
        /// An object of secrets.
        case secrets
        /// The name of a header field.
        case header
        /// Any JSON value.
        case json
        /// A PEM file with a private key, created if missing. Another key's value names its algorithm, ES256 by
        /// default.
        case signingKey(algorithm: String)
        /// An object of further keys, with rules between them.
        case object([IssuerKey], rules: [KeyRule])
    }

    package let name: String
    package let shape: Shape
    /// Default of `ModuleSettings` if the key is absent.
    package let standard: IssuerValue?
    package let isRequired: Bool
    /// Description in Markdown, for the reference and the JSON Schema.
    package let meaning: String

    package init(
        _ name: String, _ shape: Shape, default standard: IssuerValue? = nil, required isRequired: Bool = false,
        _ meaning: String
    ) {
        self.name = name
        self.shape = shape
        self.standard = standard
        self.isRequired = isRequired
        self.meaning = meaning
    }
}

/// The value of a key, of its declared shape.
package enum IssuerValue: Sendable {
    case text(String)
    case url(WebURL)
    case flag(Bool)
    case number(Int)
    case numbers([Int])
    case texts([String])
    case map([(name: String, value: String)])
    case json(JSONNode)
    case key(SigningKey)
    case object(ModuleSettings)
}

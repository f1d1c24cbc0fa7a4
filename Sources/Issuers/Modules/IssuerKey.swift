import Bytes
import Crypto
import Identity
import Model

/// A member that a module has in `issuers.json`.
package struct IssuerKey: Sendable {
    /// What it may be. The composition root reads it, reports what is wrong with its place, and resolves secrets, files
    /// and addresses, so that modules see sound values alone.
    package enum Shape: Sendable {
        /// A string without control characters, and not empty.
        case text
        /// A secret: the value, `env:NAME` or `file:path`.
        case secret
        /// An address to call.
        case url
        case flag
        case count(ClosedRange<Int>)
        /// Whole seconds, as a number.
        case seconds
        case choice([String])
        /// A signature algorithm that others can verify by a published key.
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
        /// A PEM file with a private key, made where it is missing. Its algorithm is the value of another key, ES256 where
        /// that is not there.
        case signingKey(algorithm: String)
        /// An object of further keys, of which some exclude each other and one is needed.
        case object([IssuerKey], exactlyOne: [String] = [])
    }

    package let name: String
    package let shape: Shape
    /// What `ModuleSettings` answers where the key is not there.
    package let standard: IssuerValue?
    package let isRequired: Bool
    /// What the key means, in Markdown, for the reference and the JSON Schema.
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

/// The value of a key, of the shape that it was declared with.
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

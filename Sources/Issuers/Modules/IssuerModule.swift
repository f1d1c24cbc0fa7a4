import Bytes
import Crypto
import Declaration
import JOSE
import Model
import Outbound

/// A kind of issuer: its name and settings in `issuers.json`, and its factory (ISS-01).
package struct IssuerModule: Sendable {
    /// Declares and reads the members of an entry, and makes its issuer; nil after an error.
    package typealias Reader = @Sendable (inout ObjectReader, IssuerDependencies) -> (any TokenIssuer)?

    package let kind: String
    /// Alternative names.
    package let aliases: [String]
    /// Whether it calls other servers, which then have TLS, timeout and breaker settings.
    package let callsOut: Bool
    package let read: Reader

    package init(kind: String, aliases: [String] = [], callsOut: Bool = false, read: @escaping Reader) {
        self.kind = kind
        self.aliases = aliases
        self.callsOut = callsOut
        self.read = read
    }

    /// The members of an entry that the module knows.
    package var form: ObjectForm {
        ObjectForm.of { _ = read(&$0, IssuerDependencies(caller: Silence(), serviceKey: nil, serviceIssuer: "")) }
    }

    /// Calls nothing.
    private final class Silence: OutboundCaller {
        func perform(_ call: OutboundCall, then: @escaping @Sendable (OutboundResult) -> Void) {}
    }
}

/// Dependencies of a module.
package struct IssuerDependencies {
    /// Calls other servers.
    package let caller: any OutboundCaller
    /// The signing key of the token service.
    package let serviceKey: SigningKey?
    /// The `iss` of the token service.
    package let serviceIssuer: String
    /// How other servers are called.
    package var transport = OutboundTransport()
    /// Reads the key of a PEM file, which is made where it is missing; nil after an error.
    package var signingKey: (Field, SignatureAlgorithm) -> SigningKey? = { _, _ in nil }
    /// Members of entries that tokens do not depend on.
    package var commonNames: [String] = []

    package init(caller: any OutboundCaller, serviceKey: SigningKey?, serviceIssuer: String) {
        self.caller = caller
        self.serviceKey = serviceKey
        self.serviceIssuer = serviceIssuer
    }

    /// A `configurationID`: equal for equal settings only, see `ConfigurationIdentity`.
    package func identity(of kind: String, _ object: ObjectReader, keys: [SigningKey?] = []) -> String {
        let keyIDs = keys.compactMap { key in key.map { JWTSigner(key: $0).keyID } }
        let text = object.fingerprint(without: commonNames) + Array(keyIDs.joined(separator: " ").utf8)
        return "\(kind):" + ConfigurationIdentity.digest(of: text)
    }
}

extension Shape<WebURL> {
    /// An address to call.
    package static func address(_ transport: OutboundTransport) -> Shape {
        Shape(
            .pattern("^[Hh][Tt][Tt][Pp][Ss]?://[^/?#\\s\\\\]+[^#\\s\\\\]*$"),
            read: { $0.url(allowHTTP: transport.allowsHTTP) })
    }
}

extension Shape<JSONNode> {
    /// Any JSON value.
    package static let json = Shape(.schema([]), read: { $0.node })
}

extension Shape<[(name: String, value: String)]> {
    /// An object of texts.
    package static let texts = Shape(
        .map(.text), read: { field in field.members { $0.name() } })
    /// An object of secrets.
    package static let secrets = Shape(
        .map(.secret), read: { field in field.members { $0.secret()?.value } })
}

extension Field {
    fileprivate func members(_ read: (Field) -> String?) -> [(name: String, value: String)] {
        object("an object of strings").entries.compactMap { name, place in
            read(place).map { (name: name, value: $0) }
        }
    }
}

extension ObjectReader {
    /// A PEM file with a private key.
    mutating func signingKey(
        _ name: String, _ algorithm: SignatureAlgorithm, _ dependencies: IssuerDependencies, _ meaning: String
    ) -> SigningKey? {
        take(name, Shape<String>.path, meaning).flatMap { dependencies.signingKey($0.field, algorithm) }
    }
}

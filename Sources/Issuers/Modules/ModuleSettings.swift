import Bytes
import Crypto
import Identity
import JOSE
import Model
import Outbound

/// The settings of one issuer in `issuers.json`, read by its module's declarations. An absent key has its declared
/// default, or is nil.
package struct ModuleSettings: Sendable {
    private let values: [String: IssuerValue]
    private let standards: [String: IssuerValue]
    package let transport: OutboundTransport

    /// - Parameter keys: the declarations with their defaults.
    package init(
        _ values: [String: IssuerValue], keys: [IssuerKey] = [], transport: OutboundTransport = OutboundTransport()
    ) {
        var (values, standards) = (values, [String: IssuerValue]())
        for key in keys {
            standards[key.name] = key.standard
            if case .object(let nested, _) = key.shape, case .object(let settings) = values[key.name] {
                values[key.name] = .object(ModuleSettings(settings.values, keys: nested))
            }
        }
        self.values = values
        self.standards = standards
        self.transport = transport
    }

    private subscript(_ name: String) -> IssuerValue? { values[name] ?? standards[name] }

    package func text(_ name: String) -> String? {
        if case .text(let text) = self[name] { text } else { nil }
    }

    package func url(_ name: String) -> WebURL? {
        if case .url(let url) = self[name] { url } else { nil }
    }

    package func flag(_ name: String) -> Bool? {
        if case .flag(let flag) = self[name] { flag } else { nil }
    }

    package func number(_ name: String) -> Int? {
        if case .number(let number) = self[name] { number } else { nil }
    }

    package func numbers(_ name: String) -> [Int]? {
        if case .numbers(let numbers) = self[name] { numbers } else { nil }
    }

    package func texts(_ name: String) -> [String] {
        if case .texts(let texts) = self[name] { texts } else { [] }
    }

    package func map(_ name: String) -> [(name: String, value: String)] {
        if case .map(let map) = self[name] { map } else { [] }
    }

    package func json(_ name: String) -> JSONNode? {
        if case .json(let node) = self[name] { node } else { nil }
    }

    package func key(_ name: String) -> SigningKey? {
        if case .key(let key) = self[name] { key } else { nil }
    }

    package func object(_ name: String) -> ModuleSettings? {
        if case .object(let settings) = self[name] { settings } else { nil }
    }

    // For keys that are required or have a default.

    package func word(_ name: String) -> String { text(name) ?? "" }
    package func count(_ name: String) -> Int { number(name) ?? 0 }
    package func isOn(_ name: String) -> Bool { flag(name) ?? false }

    package func has(_ name: String) -> Bool { values[name] != nil }

    func violations(of rules: [KeyRule]) -> [KeyRule.Violation] {
        rules.flatMap { $0.violations { values[$0]?.node } }
    }

    // MARK: Identity

    /// A `configurationID`: equal for equal settings only, see `ConfigurationIdentity`.
    package func identity(of kind: String) -> String {
        var writer = JSONWriter()
        write(to: &writer)
        return "\(kind):" + ConfigurationIdentity.digest(of: writer.bytes)
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            writer.name(name)
            switch value {
            case .text(let text): writer.value(text)
            case .url(let url): writer.value(url.description)
            case .flag(let flag): writer.value(flag)
            case .number(let number): writer.value(number)
            case .numbers(let numbers): writer.value(numbers.map(String.init))
            case .texts(let texts): writer.value(texts)
            case .map(let map): writer.value(map.flatMap { [$0.name, $0.value] })
            case .json(let node): writer.value(node)
            case .key(let key): writer.value(JWTSigner(key: key).keyID)
            case .object(let settings): settings.write(to: &writer)
            }
        }
        writer.endObject()
    }
}

extension IssuerValue {
    /// The value as rules see it.
    fileprivate var node: JSONNode {
        switch self {
        case .text(let text): .text(text)
        case .flag(let flag): .flag(flag)
        default: JSONNode(.null)
        }
    }
}

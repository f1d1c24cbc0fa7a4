import Bytes
import Crypto
import Identity
import JOSE

/// What stands in `issuers.json` for one issuer, read by the keys of its module. A key that is not there is nil.
package struct ModuleSettings: Sendable {
    private let values: [String: IssuerValue]
    package let transport: OutboundTransport

    package init(_ values: [String: IssuerValue], transport: OutboundTransport = OutboundTransport()) {
        self.values = values
        self.transport = transport
    }

    package func text(_ name: String) -> String? {
        if case .text(let text) = values[name] { text } else { nil }
    }

    package func url(_ name: String) -> OutboundURL? {
        if case .url(let url) = values[name] { url } else { nil }
    }

    package func flag(_ name: String) -> Bool? {
        if case .flag(let flag) = values[name] { flag } else { nil }
    }

    package func number(_ name: String) -> Int? {
        if case .number(let number) = values[name] { number } else { nil }
    }

    package func numbers(_ name: String) -> [Int]? {
        if case .numbers(let numbers) = values[name] { numbers } else { nil }
    }

    package func texts(_ name: String) -> [String] {
        if case .texts(let texts) = values[name] { texts } else { [] }
    }

    package func map(_ name: String) -> [(name: String, value: String)] {
        if case .map(let map) = values[name] { map } else { [] }
    }

    package func json(_ name: String) -> JSONNode? {
        if case .json(let node) = values[name] { node } else { nil }
    }

    package func key(_ name: String) -> SigningKey? {
        if case .key(let key) = values[name] { key } else { nil }
    }

    package func object(_ name: String) -> ModuleSettings? {
        if case .object(let settings) = values[name] { settings } else { nil }
    }

    package func has(_ name: String) -> Bool { values[name] != nil }

    // MARK: Identity

    /// A `configurationID`: the same for the same settings, another for any others, see `ConfigurationIdentity`.
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

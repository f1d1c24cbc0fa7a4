import Bytes
import Declaration
import Model

extension Balance {
    /// The members `balance` and `hashKey` of an upstream.
    static func read(_ object: inout ObjectReader) -> Balance {
        let words = ["least-requests", "round-robin", "consistent-hash"]
        let word = object.value("balance", .choice(words), default: words[0], "How a server is chosen.")
        let key = object.take(
            "hashKey", hashKey, default: .address,
            """
            What requests to the same server have in common, for `consistent-hash`: `address`, `principal`, `path` or \
            `header:NAME`.
            """)
        object.rules(.only("hashKey", with: .equals("balance", words[2])))
        guard word == words[2] else { return word == words[1] ? .roundRobin : .leastRequests }
        return .consistentHash(key?.read() ?? .address)
    }

    private static let hashKey = Shape(
        .pattern("^(address|principal|path|header:[A-Za-z0-9!#$%&'*+.^_`|~-]+)$"),
        write: { $0 == .address ? .text("address") : nil }, read: { key($0) })

    private static func key(_ field: Field) -> HashKey? {
        let expected = "\"address\", \"principal\", \"path\" or \"header:NAME\""
        guard let text = field.text(expected) else { return nil }
        switch text {
        case "address": return .address
        case "principal": return .principal
        case "path": return .path
        default:
            guard text.hasPrefix("header:"), Token.isValid(String(text.dropFirst(7))) else {
                let near = Suggestion.nearest(to: text, among: ["address", "principal", "path"])
                return field.invalid(expected, suggestion: near)
            }
            return .header(Array(text.dropFirst(7).lowercased().utf8))
        }
    }
}

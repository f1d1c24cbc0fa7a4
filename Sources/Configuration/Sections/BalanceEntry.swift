/// How a server is chosen.
package enum BalanceEntry: Equatable, Sendable {
    case leastRequests
    case roundRobin
    case consistentHash(HashKey)

    /// What requests have in common that go to the same server.
    package enum HashKey: Equatable, Sendable {
        case address, principal, path
        case header(String)
    }

    /// The members `balance` and `hashKey` of an upstream.
    static func read(_ object: inout ObjectReader) -> BalanceEntry {
        let words = ["least-requests", "round-robin", "consistent-hash"]
        let word = object.value("balance", default: words[0]) { $0.choice(words) }
        let keyField = object.take("hashKey")
        guard word == words[2] else {
            keyField?.error(
                "\"hashKey\" is for \"consistent-hash\"", expected: "\"balance\": \"consistent-hash\"", found: word)
            return word == words[1] ? .roundRobin : .leastRequests
        }
        return .consistentHash(keyField.flatMap(key) ?? .address)
    }

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
                field.invalid(expected, suggestion: near)
                return nil
            }
            return .header(String(text.dropFirst(7)))
        }
    }
}

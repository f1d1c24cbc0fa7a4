import Bytes
import Identity
import Outbound

/// Location of a value in the answer to a login.
enum ValueLocation: Sendable {
    /// A JSON pointer into the body (RFC 6901).
    case pointer([String])
    case header(String)
    case cookie(String)

    /// - Parameter pointer: empty, or begins with a slash.
    init?(pointer: String) {
        guard pointer.isEmpty || pointer.hasPrefix("/") else { return nil }
        var names: [String] = []
        for part in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let name = ValueLocation.unescaped(part) else { return nil }
            names.append(name)
        }
        self = .pointer(names)
    }

    /// `~1` is a slash and `~0` a tilde; other uses of the tilde are invalid.
    private static func unescaped(_ part: Substring) -> String? {
        var name = ""
        var rest = part
        while let character = rest.popFirst() {
            guard character == "~" else {
                name.append(character)
                continue
            }
            switch rest.popFirst() {
            case "0": name.append("~")
            case "1": name.append("/")
            default: return nil
            }
        }
        return name
    }

    /// The text at this location; for a cookie and `lifetime`, its `Max-Age`. Nil if absent, ambiguous, or neither text
    /// nor number.
    func text(in response: OutboundResponse, body: JSONNode?) -> String? {
        switch self {
        case .pointer(let names):
            return ValueLocation.node(names, body).flatMap { $0.string ?? ValueLocation.number($0) }
        case .header(let name): return response.value(of: name)
        case .cookie(let name): return ValueLocation.cookie(name, response)?.value
        }
    }

    /// The lifetime that the location itself carries, as a cookie does.
    func maximumAge(in response: OutboundResponse) -> Int64? {
        guard case .cookie(let name) = self else { return nil }
        return ValueLocation.cookie(name, response)?.maximumAge
    }

    private static func number(_ node: JSONNode) -> String? {
        if case .number(let text) = node.value { text } else { nil }
    }

    private static func node(_ names: [String], _ body: JSONNode?) -> JSONNode? {
        var node = body
        for name in names {
            if let elements = node?.array {
                // RFC 6901 section 4: no sign and no leading zero.
                let isIndex = name == "0" || !name.hasPrefix("0")
                guard isIndex, let index = Decimal.parse(Array(name.utf8).span), elements.indices.contains(index) else {
                    return nil
                }
                node = elements[index]
            } else {
                node = node?[name]
            }
        }
        return node
    }

    /// The only cookie of that name (RFC 6265 section 5.2).
    private static func cookie(_ name: String, _ response: OutboundResponse) -> (value: String, maximumAge: Int64?)? {
        var found: [(value: String, maximumAge: Int64?)] = []
        for line in response.values(of: "Set-Cookie") {
            let parts = line.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
            guard let equals = parts[0].firstIndex(of: "="),
                trimmed(parts[0][..<equals]).utf8.elementsEqual(name.utf8)
            else { continue }
            let ages = parts.dropFirst().compactMap { part -> Int64? in
                guard part.lowercased().hasPrefix("max-age=") else { return nil }
                return Lifetime.seconds(text: String(part.dropFirst(8)))
            }
            found.append((String(trimmed(parts[0][parts[0].index(after: equals)...])), ages.min()))
        }
        return found.count == 1 ? found[0] : nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

import Bytes
import Model

extension Authenticator {
    private enum Failure: String, CaseIterable, Sendable { case refuse, next }

    private static let expected =
        "a kind of credential: \(Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")), or {\"type\"}"

    /// Kinds in their order: a word, `bearer:` with the name of an issuer, or an object.
    static let list = Shape<[Authenticator]>(
        .list(.either([word, members.form()]), minimum: 1),
        read: { field in
            guard let elements = field.elements("an array, each element \(expected)") else { return nil }
            if elements.isEmpty {
                field.error("the list is empty", expected: "at least one kind, or no \"authenticators\"")
            }
            var list: [Authenticator] = []
            for element in elements {
                guard let entry = read(element) else { continue }
                if list.contains(where: { $0.kind == entry.kind && $0.issuer == entry.issuer }) {
                    element.error("the kind is listed twice", expected: "each once")
                }
                list.append(entry)
            }
            return list
        })

    private static var word: Form {
        let others = Kind.allCases.filter { $0 != .bearer }.map(\.rawValue).joined(separator: "|")
        return .pattern("^(bearer(:[A-Za-z0-9._-]{1,64})?|\(others))$")
    }

    private static func read(_ field: Field) -> Authenticator? {
        if field.node.members != nil { return members.read(field) ?? nil }
        guard let text = field.node.string else { return field.wrongType(expected) }
        if let kind = Kind(rawValue: text) { return Authenticator(kind) }
        let start = "\(Kind.bearer.rawValue):"
        guard text.hasPrefix(start), text.utf8.count > start.utf8.count else {
            return field.invalid(
                expected, suggestion: Suggestion.nearest(to: text, among: Kind.allCases.map(\.rawValue)))
        }
        let issuer = String(text.dropFirst(start.count))
        field.findings.references.append(Reference(kind: .trustedIssuer, name: issuer, place: field.place))
        return Authenticator(.bearer, issuer: issuer)
    }

    private static let members = Shape<Authenticator?>.object(expected) { object in
        let kind = object.required(
            "type", Shape<Kind>.choice, expected,
            """
            `bearer` (a token of a trusted issuer or of the gateway), `basic` (name and password), `anonymousKey` (of a \
            mobile backend, with or without a social token), `apiKey`, `certificate`, or `session` (of a browser login).
            """)
        let issuer = object.take(
            "issuer", .reference(to: .trustedIssuer),
            "For `bearer`: the only issuer whose tokens count, `local` for the gateway itself; all by default.")
        let failure = object.value(
            "onFailure", Shape<Failure>.choice, default: .refuse,
            """
            What a bad credential of the kind leads to: the answer 401, or the `next` kind of the list. An absent one always \
            leaves it to the next.
            """)
        guard let kind else { return nil }
        if kind != .bearer, let issuer {
            issuer.field.error("only tokens have an issuer", expected: "\"type\": \"bearer\"")
        }
        return Authenticator(kind, issuer: issuer?.read(), fallsThrough: failure == .next)
    }
}

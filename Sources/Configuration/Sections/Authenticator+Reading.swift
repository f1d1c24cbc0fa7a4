import Bytes
import Declaration
import Model

extension Authenticator {
    /// Whether both judge the same credentials; two that judge passwords do.
    private func isSame(as other: Authenticator) -> Bool {
        kind == other.kind && (issuer == other.issuer || kind == .basic)
    }

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
                if list.contains(where: { $0.isSame(as: entry) }) {
                    element.error("the kind is listed twice", expected: "each once")
                }
                list.append(entry)
            }
            if list.contains(where: \.needsKey), let place = list.firstIndex(where: { $0.kind == .apiKey }) {
                elements[place].error(
                    "a key alone would open the route", expected: "\"apiKey\" in \"all\", or alone")
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

    /// The kinds beside which a key may be required: those of programs.
    private static let besideKey: [Kind] = [.bearer, .basic, .certificate, .saml]

    private static let pair = Shape<Authenticator?>(
        .list(word, minimum: 2, maximum: 2),
        read: { field in
            let expected = "\"apiKey\" and one of \(besideKey.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))"
            guard let elements = field.elements(expected) else { return nil }
            var kinds: [Authenticator] = []
            for element in elements {
                guard element.node.string != nil else { return element.wrongType(expected) }
                guard let kind = read(element) else { return nil }
                kinds.append(kind)
            }
            guard kinds.count == 2, let key = kinds.firstIndex(where: { $0.kind == .apiKey }),
                besideKey.contains(kinds[1 - key].kind)
            else { return field.error("no key and one other kind", expected: expected) }
            kinds[1 - key].needsKey = true
            return kinds[1 - key]
        })

    private static let members = Shape<Authenticator?>.object(expected) { object in
        let type = object.take(
            "type", Shape<Kind>.choice,
            """
            `bearer` (a token of a trusted issuer or of the gateway), `basic` (name and password), `anonymousKey` (of a \
            mobile backend, with or without a social token), `apiKey`, `certificate`, `session` (of a browser \
            login), or `saml` (an assertion).
            """)
        let issuer = object.take(
            "issuer", .name,
            """
            For `bearer`: the only trusted issuer whose tokens count, `local` for the gateway itself; all by default. For \
            `basic`: the [issuer](guides/remote-users.md) whose server verifies the password, in place of \
            `users.json`. For `saml`: the only one of `samlIssuers` whose assertions count, all by default.
            """)
        let header = object.take(
            "header", .headerName, "For `saml`: a header field for assertions beside `Authorization: SAML`.")
        let passwords = (
            realm: object.take(
                "realm", .name, default: "Default", "For `basic` with `issuer`: realm of users with an account."),
            guestRoles: object.take(
                "guestRoles", .references(to: .role),
                "For `basic` with `issuer`: roles of users without an account; without it they are refused."),
            cache: object.take(
                "cache", .durationOrOff, default: .seconds(60),
                "For `basic` with `issuer`: how long a right password is not verified again, at most `10m`; `0s` for never."
            )
        )
        let failure = object.value(
            "onFailure", Shape<Failure>.choice, default: .refuse,
            """
            What a bad credential of the kind leads to: the answer 401, or the `next` kind of the list. An absent one always \
            leaves it to the next.
            """)
        let all = object.take(
            "all", pair,
            """
            In place of `type`: `apiKey` and another kind, [both of which](guides/authenticators.md#key-and-token-together) a \
            request must have. The key gives the consumer, the other credential the caller.
            """)
        let isAboutPasswords = KeyCondition.all([.equals("type", "basic"), .has("issuer")])
        object.rules(
            .atLeastOne(of: "type", "all"),
            .only(
                "type", "issuer", "header", "realm", "guestRoles", "cache", "onFailure", with: .not(.has("all")),
                because: "it is about one kind"),
            KeyRule.only(
                "issuer", with: .any(["bearer", "basic", "saml"].map { .equals("type", $0) }),
                because: "only tokens, passwords and assertions have an issuer",
                expected: "\"type\": \"bearer\", \"basic\" or \"saml\""
            ).when(.has("type")),
            KeyRule.only("header", with: .equals("type", "saml"), because: "it is about assertions")
                .when(.has("type")),
            KeyRule.only(
                "realm", "guestRoles", "cache", with: isAboutPasswords,
                because: "it is about passwords that an issuer verifies",
                expected: "\"type\": \"basic\" and \"issuer\" beside it"
            ).when(.has("type")))
        if let all { return all.read() ?? nil }
        guard let kind = type?.read() else { return nil }
        // The name of an entry, but for assertions what they name themselves.
        let name = kind == .saml ? issuer?.read() : issuer.flatMap { Shape<String>.identifier.read($0.field) }
        var authenticator = Authenticator(kind, issuer: name, fallsThrough: failure == .next)
        authenticator.header = kind == .saml ? header?.read() : nil
        if let issuer, let name = authenticator.issuer, kind == .bearer || kind == .basic {
            let kind: ReferenceKind = kind == .bearer ? .trustedIssuer : .issuer
            issuer.field.findings.references.append(Reference(kind: kind, name: name, place: issuer.field.place))
        }
        guard kind == .basic, authenticator.issuer != nil else { return authenticator }
        var settings = IssuerPasswordSettings()
        settings.realm = passwords.realm?.read() ?? settings.realm
        settings.guestRoles = passwords.guestRoles?.read()
        if let cache = passwords.cache, let duration = cache.read() {
            if duration > .seconds(600) || duration != .zero && duration < .seconds(1) {
                cache.field.error("out of range", expected: "\"0s\", or \"1s\" to \"10m\"", found: cache.field.summary)
            }
            settings.cacheSeconds = duration.components.seconds
        }
        authenticator.passwords = settings
        return authenticator
    }
}

import Bytes
import Declaration
import Model

extension Authenticator {
    /// Kinds in their order: a word, `bearer:` with the name of an issuer, or an object.
    static let list = AuthenticatorList(CredentialKinds.all).shape

    /// Whether both judge the same credentials; two that judge passwords do.
    fileprivate func isSame(as other: Authenticator) -> Bool {
        kind == other.kind && (issuer == other.issuer || kind.type.issuer?.role == .verifiesPasswords)
    }
}

/// How a list of kinds of credentials is read.
struct AuthenticatorList: Sendable {
    private typealias Kind = Authenticator.Kind

    private enum Failure: String, CaseIterable, Sendable { case refuse, next }

    private let kinds: [Kind]

    init(_ kinds: [any CredentialKind.Type]) { self.kinds = kinds.map { Kind($0) } }

    private var names: [String] { kinds.map(\.name) }

    private var expected: String { "a kind of credential: \(Self.list(kinds)), or {\"type\"}" }

    /// Of the list.
    var shape: Shape<[Authenticator]> {
        let members = members
        return Shape<[Authenticator]>(
            .list(.either([word, members.form()]), minimum: 1),
            read: { field in
                guard let elements = field.elements("an array, each element \(expected)") else { return nil }
                if elements.isEmpty {
                    field.error("the list is empty", expected: "at least one kind, or no \"authenticators\"")
                }
                var list: [Authenticator] = []
                for element in elements {
                    let entry = element.node.members == nil ? read(word: element) : members.read(element) ?? nil
                    guard let entry else { continue }
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
    }

    /// A name, or one with the issuer that signs.
    private var word: Form {
        let words = kinds.map { kind in
            kind.type.issuer?.role == .signsTokens ? "\(kind.name)(:[A-Za-z0-9._-]{1,64})?" : kind.name
        }
        return .pattern("^(\(words.joined(separator: "|")))$")
    }

    private func read(word field: Field) -> Authenticator? {
        guard let text = field.node.string else { return field.wrongType(expected) }
        if let kind = kind(named: text) { return Authenticator(kind) }
        guard let colon = text.firstIndex(of: ":"), let kind = kind(named: String(text[..<colon])),
            kind.type.issuer?.role == .signsTokens, case let issuer = String(text[colon...].dropFirst()),
            !issuer.isEmpty
        else {
            return field.invalid(expected, suggestion: Suggestion.nearest(to: text, among: names))
        }
        field.findings.references.append(Reference(kind: .trustedIssuer, name: issuer, place: field.place))
        return Authenticator(kind, issuer: issuer)
    }

    private func kind(named name: String) -> Kind? { kinds.first { $0.name == name } }

    /// A key, and a kind beside which it may be required.
    private var pair: Shape<Authenticator?> {
        let besideKey = kinds.filter { $0.type.takesKeyBeside }
        return Shape<Authenticator?>(
            .list(word, minimum: 2, maximum: 2),
            read: { field in
                let expected = "\"apiKey\" and one of \(Self.list(besideKey))"
                guard let elements = field.elements(expected) else { return nil }
                var entries: [Authenticator] = []
                for element in elements {
                    guard element.node.string != nil else { return element.wrongType(expected) }
                    guard let entry = read(word: element) else { return nil }
                    entries.append(entry)
                }
                guard entries.count == 2, let key = entries.firstIndex(where: { $0.kind == .apiKey }),
                    besideKey.contains(entries[1 - key].kind)
                else { return field.error("no key and one other kind", expected: expected) }
                entries[1 - key].needsKey = true
                return entries[1 - key]
            })
    }

    private var members: Shape<Authenticator?> { .object(expected) { read(members: &$0) } }

    private func read(members object: inout ObjectReader) -> Authenticator? {
        let type = object.take("type", .choice(names), "\(meanings).")
        let issuer = object.take("issuer", .name, sentences { $0.issuer?.meaning })
        let header = object.take("header", .headerName, sentences { $0.header })
        let passwords = PasswordMembers(&object)
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
        addRules(to: &object)
        if let all { return all.read() ?? nil }
        guard let name = type?.read(), let kind = kind(named: name) else { return nil }
        var entry = Authenticator(kind, fallsThrough: failure == .next)
        if kind.type.header != nil { entry.header = header?.read() }
        guard let issuer else { return entry }
        switch kind.type.issuer?.role {
        // The name that its credentials have for it, not that of an entry.
        case .namesItself: entry.issuer = issuer.read()
        case .signsTokens: entry.issuer = reference(to: .trustedIssuer, issuer.field)
        case .verifiesPasswords:
            entry.issuer = reference(to: .issuer, issuer.field)
            entry.passwords = entry.issuer.map { _ in passwords.settings }
        case nil: break
        }
        return entry
    }

    private func reference(to kind: ReferenceKind, _ field: Field) -> String? {
        guard let name = Shape<String>.identifier.read(field) else { return nil }
        field.findings.references.append(Reference(kind: kind, name: name, place: field.place))
        return name
    }

    private func addRules(to object: inout ObjectReader) {
        let withIssuer = kinds.filter { $0.type.issuer != nil }
        object.rules(
            .atLeastOne(of: "type", "all"),
            .only(
                "type", "issuer", "header", "realm", "guestRoles", "cache", "onFailure", with: .not(.has("all")),
                because: "it is about one kind"),
            KeyRule.only(
                "issuer", with: isType { $0.issuer != nil }, because: "credentials of this kind have no issuer",
                expected: "\"type\": \(Self.list(withIssuer, last: " or "))"
            ).when(.has("type")),
            KeyRule.only(
                "header", with: isType { $0.header != nil }, because: "credentials of this kind have no header field"
            ).when(.has("type")),
            KeyRule.only(
                "realm", "guestRoles", "cache",
                with: .all([isType { $0.issuer?.role == .verifiesPasswords }, .has("issuer")]),
                because: "it is about passwords that an issuer verifies",
                expected: "\"type\": \"basic\" and \"issuer\" beside it"
            ).when(.has("type")))
    }

    // MARK: Texts

    /// Names in quotes.
    private static func list(_ kinds: [Kind], last: String = ", ") -> String {
        let names = kinds.map { "\"\($0.name)\"" }
        let start = names.dropLast().joined(separator: ", ")
        return names.count < 2 ? names.joined() : "\(start)\(last)\(names[names.count - 1])"
    }

    /// What the kinds are.
    private var meanings: String {
        let texts = kinds.map { kind in "`\(kind.name)`" + (kind.type.meaning.map { " (\($0))" } ?? "") }
        return "\(texts.dropLast().joined(separator: ", ")), or \(texts[texts.count - 1])"
    }

    /// A sentence for each kind that has a text.
    private func sentences(_ text: (any CredentialKind.Type) -> String?) -> String {
        kinds.compactMap { kind in text(kind.type).map { "For `\(kind.name)`: \($0)." } }.joined(separator: " ")
    }

    /// Whether `type` is one of the kinds that have something.
    private func isType(_ has: (any CredentialKind.Type) -> Bool) -> KeyCondition {
        let conditions = kinds.filter { has($0.type) }.map { KeyCondition.equals("type", $0.name) }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }
}

/// How passwords count that an issuer verifies.
private struct PasswordMembers {
    private let realm: ObjectReader.Member<String>?
    private let guestRoles: ObjectReader.Member<[String]>?
    private let cache: ObjectReader.Member<Duration>?

    init(_ object: inout ObjectReader) {
        realm = object.take(
            "realm", .name, default: "Default", "For `basic` with `issuer`: realm of users with an account.")
        guestRoles = object.take(
            "guestRoles", .references(to: .role),
            "For `basic` with `issuer`: roles of users without an account; without it they are refused.")
        cache = object.take(
            "cache", .durationOrOff, default: .seconds(60),
            "For `basic` with `issuer`: how long a right password is not verified again, at most `10m`; `0s` for never."
        )
    }

    var settings: IssuerPasswordSettings {
        var settings = IssuerPasswordSettings()
        settings.realm = realm?.read() ?? settings.realm
        settings.guestRoles = guestRoles?.read()
        if let cache, let duration = cache.read() {
            if duration > .seconds(600) || duration != .zero && duration < .seconds(1) {
                cache.field.error("out of range", expected: "\"0s\", or \"1s\" to \"10m\"", found: cache.field.summary)
            }
            settings.cacheSeconds = duration.components.seconds
        }
        return settings
    }
}

import Bytes
import Configuration
import Declaration
import Model

/// An application of a service domain, with the members of its profile.
@dynamicMemberLookup
package struct MobileApplicationEntry: Sendable {
    package var settings: MobileApplicationSettings
    /// `name/version`.
    package var client: String
    package var sharedSecret: Secret?

    package subscript<Value>(dynamicMember path: KeyPath<MobileApplicationSettings, Value>) -> Value {
        settings[keyPath: path]
    }

    private static let year = 31_536_000

    private static func number(_ range: ClosedRange<Int>, _ noun: String) -> Shape<Int64> {
        Shape<Int>.integer(range, noun).map(Int64.init, back: Int.init)
    }

    static let shapeOfAll = Shape(
        .map(shape("").form(), names: "^[A-Za-z0-9._-]{1,64}$", minimum: 1), read: { readAll($0) })

    private static func readAll(_ field: Field) -> [MobileApplicationEntry]? {
        let expected = "an object of applications by name"
        guard let members = field.node.members else { return field.wrongType(expected) }
        if members.isEmpty { field.error("no application", expected: "at least one application") }
        return field.object(expected).entries.compactMap { name, place in
            // No colon, which ends the name in a client's credential.
            guard EntryName.isValid(name) else {
                return place.error("invalid name of an application \"\(name)\"", expected: EntryName.rule)
            }
            return shape(name).read(place)
        }
    }

    private static func shape(_ name: String) -> Shape<MobileApplicationEntry> {
        .object("an application: {\"backend\"}") { read(&$0, name) }.named("application")
    }

    private static func read(_ object: inout ObjectReader, _ name: String) -> MobileApplicationEntry {
        let seconds = number(0...year, "a number of seconds")
        let client = object.required(
            "backend", .reference(to: .backend), "a backend as \"name/version\"", placeholder: "",
            "The backend whose routes its tokens open, and to whose realm its users belong.")
        var profile = MobileApplicationSettings(name: name)
        if let sso = object.optional("sso", singleSignOn, "Single sign-on.") {
            (profile.participates, profile.agentPriority) = sso
        }
        object.read(
            "displayName", .text(.text) { $0.name("a name for people") }, into: &profile.displayName,
            "Name that is shown on [login pages](guides/browser-login.md).")
        let sharedSecret = object.optional(
            "sharedSecret", .secret, "Secret of clients that are not registered devices.")
        object.read(
            "urlScheme", .text(.pattern("^[A-Za-z][A-Za-z0-9+.-]*$")) { $0.urlScheme() }, into: &profile.urlScheme,
            "Scheme of the application's own URLs; told to clients.")
        object.read(
            "redirectUris",
            .texts(.list(.pattern("^[A-Za-z][A-Za-z0-9+.-]*://[^\\s#]*$"))) {
                $0.names("an array of URIs") { $0.redirectURI() }
            }, into: &profile.redirectURIs,
            """
            Where browsers may come back to after a login at an identity provider, beside `urlScheme`; compared byte by \
            byte. On loopback (`http://127.0.0.1/`) any port counts.
            """)
        object.read(
            "profileCacheDuration", seconds, into: &profile.profileCacheSeconds,
            "Seconds that clients keep the profile.")
        object.read(
            "sessionTimeout", seconds, into: &profile.sessionTimeout,
            """
            Seconds that a session lasts, at most a year; 0 for no limit. By default the application chooses, and \
            without a choice there is none. While a shorter value holds, user tokens of earlier logins are refused, too.
            """)
        object.read(
            "idleTimeout", seconds, into: &profile.idleTimeout,
            "Seconds that a session may be unused; 0 and the default as for `sessionTimeout`.")
        object.read(
            "maxLoginAttempts", number(1...1000, "a number of attempts"), into: &profile.maximumLoginAttempts,
            """
            Wrong passwords in a row after which a user is locked out, counted by each process. By default the \
            application chooses, else 1. As many attempts are checked at a time; others get 429.
            """)
        object.read(
            "lockoutSeconds", number(1...86_400, "a number of seconds"), into: &profile.lockoutSeconds,
            "Seconds that a lock-out lasts.")
        object.read(
            "offlineAuthentication", .flag, into: &profile.offlineAuthentication,
            """
            Whether clients, and the gateway where [a server](guides/remote-users.md) knows the \
            passwords, may check one without the server.
            """)
        profile.customAttributes =
            object.optional(
                "mobileCustomAttributes", customAttributes,
                """
                Attributes that clients get. `CryptoScheme` must be a scheme of `users.json`; with \
                `LocationUpdateEnabled`, a missing or invalid `LocationUpdateDistanceFilter` becomes 1000.
                """) ?? []
        object.read(
            "claimAttributes", .names("an array of claims"), into: &profile.claimAttributes,
            "Claims of the device profile that clients send.")
        object.read(
            "accessTokenSeconds", number(1...year, "a number of seconds"), into: &profile.accessTokenSeconds,
            "Lifetime of access tokens; none outlives its session.")
        return MobileApplicationEntry(settings: profile, client: client, sharedSecret: sharedSecret)
    }

    private static let singleSignOn = Shape.object("an object with \"participate\" and \"agentPriority\"") { object in
        let participates = object.flag(
            "participate", default: false, "Whether the application takes part in single sign-on.")
        let priority = Shape<Int?>(
            .schema([
                JSONMember(name: "type", node: .texts(["integer", "null"])),
                JSONMember(name: "minimum", node: .number(0)), JSONMember(name: "maximum", node: .number(1_000_000)),
            ]),
            read: { $0.node.isNull ? .some(nil) : $0.integer(in: 0...1_000_000, "a priority") })
        let member = object.take(
            "agentPriority", priority,
            "The application with the lowest number is the agent, which alone logs in for all that take part.")
        let value = member?.read() ?? nil
        if value != nil, !participates {
            member?.field.error("an agent takes part itself", expected: "\"participate\": true")
        }
        return (participates: participates, priority: value)
    }

    /// The schemes of CRYPTO-01 that applications use for their verifiers (CRYPTO-02).
    private static let cryptoSchemes = User.schemes.filter { $0 != "scrypt" }

    /// Known attributes are checked; others are passed on.
    private static let customAttributes = Shape(
        .schema([
            JSONMember(name: "type", node: .text("object")),
            JSONMember(
                name: "properties",
                node: .object([
                    (
                        "CryptoScheme",
                        .object([
                            ("description", .text("Scheme of the verifiers that clients and the gateway keep.")),
                            ("enum", .texts(cryptoSchemes)),
                        ])
                    )
                ])),
        ]), read: { customAttributes($0) })

    private static func customAttributes(_ field: Field) -> [JSONMember]? {
        guard let members = field.node.members else { return field.wrongType("an object") }
        var attributes = members
        for entry in field.object("an object").entries where entry.name == "CryptoScheme" {
            _ = entry.field.choice(cryptoSchemes)
        }
        completeLocation(&attributes)
        return attributes
    }

    /// OMS-21: a missing or invalid distance filter is 1000 metres if location updates are enabled. The switch may be a
    /// number (CON-13).
    private static func completeLocation(_ attributes: inout [JSONMember]) {
        let standard = JSONNode(.number("1000"))
        let distance = "LocationUpdateDistanceFilter"
        guard let enabled = attributes.first(where: { $0.name == "LocationUpdateEnabled" })?.node,
            enabled.bool ?? ((enabled.number ?? 0) > 0)
        else { return }
        if let place = attributes.firstIndex(where: { $0.name == distance }) {
            if (attributes[place].node.number ?? 0) <= 0 { attributes[place].node = standard }
        } else {
            attributes.append(JSONMember(name: distance, node: standard))
        }
    }
}

extension Field {
    /// A redirect URI. Compared byte by byte, so that ambiguous spellings are not allowed.
    fileprivate func redirectURI() -> String? {
        let expected = "a URI such as \"https://app.example.com/back\" or \"demoapp://back\""
        guard let text = name(expected) else { return nil }
        let scheme = String(text.prefix { $0 != ":" }).lowercased()
        let isWeb = scheme == "https" || scheme == "http"
        guard text.contains("://"), isWeb || !URLScheme.isShared(scheme),
            text.utf8.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && !"#\\\"<>".utf8.contains($0) })
        else { return invalid(expected) }
        if scheme == "http", (try? ClientRedirectURI(text))?.kind != .loopback, findings.production {
            warning("the code goes in the clear", expected: "an https URI, or a scheme of the application's own")
        }
        return text
    }

    /// The scheme of an application's own URLs (RFC 3986 section 3.1).
    fileprivate func urlScheme() -> String? {
        let expected = "a URL scheme such as \"demoapp\""
        guard let text = text(expected) else { return nil }
        let bytes = Array(text.utf8)
        guard let first = bytes.first, ASCII.isLetter(first),
            bytes.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { return invalid(expected) }
        return text
    }
}

import Bytes
import Declaration
import Model

extension AccessTokenTerms {
    static func read(_ object: inout ObjectReader) -> AccessTokenTerms {
        var terms = AccessTokenTerms()
        object.read(
            "clientTokenSeconds", .seconds, into: &terms.clientSeconds, "Lifetime of a token without a user.")
        object.read("userTokenSeconds", .seconds, into: &terms.userSeconds, "Lifetime of a user's token.")
        object.read(
            "revokeOnRefresh", .flag, into: &terms.revokesOnRefresh,
            """
            Whether a refresh ends the access token that came with the refresh token. Each refresh then adds an entry to \
            the deny list of all gateways. Otherwise that token lives until its `exp`, or until its login ends. Pairs \
            of `applications.json` always end at a refresh.
            """)
        object.read(
            "clockSkew", .duration, into: &terms.clockSkew,
            """
            How far in the future `iat` and `nbf` of the gateway's own tokens may lie. The clock of another \
            gateway with the same key may be ahead. `exp` is exact.
            """)
        object.read(
            "scopes", .scopes, into: &terms.scopes,
            "Scopes that may be granted. A request for others alone is refused with `invalid_scope`.")
        object.read(
            "scopeDescriptions", descriptions, into: &terms.scopeDescriptions,
            """
            What the consent page says about a scope, by its name, such as `{"orders": "See your orders"}`; the \
            name by default.
            """)
        object.read(
            "scopeClaims", claims, into: &terms.scopeClaims,
            """
            Claims of ID tokens and user information by scope, in the form of [fields](guides/fields.md) with `${user}`, `${roles}` \
            and `${claim.PATH}`, such as `{"groups": {"groups": "${roles}"}}`. Clients may ask for these scopes; those of \
            `openid` are in each ID token.
            """)
        return terms
    }

    /// Templates by claim by scope.
    private static let claims = Shape<[ScopeClaim]>(
        .map(.map(.text, names: "."), names: "^[!#-\\[\\]-~]+$"), write: { $0.isEmpty ? .object([]) : nil },
        read: { field in
            field.object("an object of claims by scope").entries.flatMap { scope, claims in
                claims.object("an object of values by claim").entries.compactMap { name, field in
                    guard !OpenIDClaims.reserved.contains(name) else {
                        return field.error(
                            "this claim says what a token is for", expected: "another claim than \"\(name)\"")
                    }
                    return FieldTemplate.ofClaim(field).map { ScopeClaim(scope: scope, name: name, value: $0) }
                }
            }
        })

    /// Texts by scope.
    private static let descriptions = Shape<[String: String]>(
        .map(.text, names: "^[!#-\\[\\]-~]+$"), write: { $0.isEmpty ? .object([]) : nil },
        read: { field in
            field.object("an object of texts by scope").entries.reduce(into: [:]) { texts, entry in
                texts[entry.name] = entry.field.name("a text for people")
            }
        })
}

extension Shape<[String]> {
    /// `scope-token`s (RFC 6749 section 3.3).
    static let scopes = texts(.list(.pattern("^[!#-\\[\\]-~]+$"))) { $0.scopes() }
}

extension Field {
    /// `scope-token`s (RFC 6749 section 3.3).
    func scopes() -> [String]? {
        names("an array of scopes") { element in
            guard let name = element.name() else { return nil }
            guard name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != ASCII.quote && $0 != ASCII.backslash }) else {
                return element.error(
                    "invalid scope", expected: "visible ASCII without blank, quote and backslash",
                    found: element.summary)
            }
            return name
        }
    }
}

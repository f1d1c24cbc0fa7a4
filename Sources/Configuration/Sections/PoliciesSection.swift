import Bytes
import Declaration
import Model

/// The environment policies under their own names (POL-01).
package struct PoliciesSection: Sendable {
    /// Grammar of CORS-01 to CORS-05.
    package var allowOrigin = AllowOriginPolicy.disallow
    package var ssoRedirectWhitelist: RedirectWhitelist?
    /// Nil for the default of the endpoint (CON-01).
    package var tokenExchangeTimeoutSeconds: Int?
    package var tokenExchangeTimeoutPolicy: TokenLifetimePolicy?
    /// The value of `Security_AuthTokenConfiguration`, read as JSON.
    package var authTokenConfiguration: JSONNode?
    /// Servers that are asked about requests.
    package var servers: [PolicyServerEntry] = []

    /// The names of all policies.
    package static let names = [
        "Security_AllowOrigin", "Security_AuthTokenConfiguration", "Security_SsoRedirectWhitelist",
        "Security_TokenExchangeTimeoutPolicy", "Security_TokenExchangeTimeoutSecs",
    ]

    /// What must be decided about described requests.
    package var expectations: [Expectation] = []

    static func read(_ field: Field?, expecting expectations: Field?) -> PoliciesSection {
        var section = field.map { read($0) } ?? PoliciesSection()
        section.expectations = expectations.map(Expectation.readAll) ?? []
        return section
    }

    static func read(_ field: Field) -> PoliciesSection {
        var object = field.object("an object of policies")
        if field.isFileRoot { _ = object.take("$schema") }
        let section = read(&object)
        object.finish()
        return section
    }

    /// - Parameter authTokens: the form of `Security_AuthTokenConfiguration`, whose reader ignores what is wrong.
    fileprivate static func read(
        _ object: inout ObjectReader, authTokens: ObjectForm = ObjectForm()
    ) -> PoliciesSection {
        PoliciesSection(
            allowOrigin: object.value(
                "Security_AllowOrigin",
                Shape(.anyText, write: { _ in .text("disallow") }, read: { $0.allowedOrigins() }), default: .disallow,
                """
                [Origins](guides/cors.md) of pages that may read responses: `disallow`, or patterns separated by commas.
                """),
            ssoRedirectWhitelist: object.optional(
                "Security_SsoRedirectWhitelist",
                Shape(.anyText, read: { $0.text().map { RedirectWhitelist($0) } }),
                """
                Patterns of URLs that a [login](guides/single-sign-on.md) may return to, separated by commas; none by \
                default.
                """),
            tokenExchangeTimeoutSeconds: object.optional(
                "Security_TokenExchangeTimeoutSecs",
                Shape(.either([Shape<Int>.seconds.form(), .pattern("^[0-9]+$")]), read: timeout),
                """
                Lifetime of exchanged tokens in seconds, where the issuer has none. By default that of the endpoint: 28800, \
                and for single sign-on 21600.
                """),
            tokenExchangeTimeoutPolicy: object.optional(
                "Security_TokenExchangeTimeoutPolicy", .choice,
                """
                Lifetime of exchanged tokens, where the issuer has no policy: the seconds, the rest of the outside token's, or \
                the shorter one. By default the seconds.
                """),
            authTokenConfiguration: object.optional(
                "Security_AuthTokenConfiguration",
                Shape(.either([.text, .named("authTokenConfiguration", .object(authTokens))]), read: self.authTokens),
                """
                Issuers whose [tokens are exchanged](guides/token-exchange.md): an object, its JSON in a text, or \
                `file:NAME`. A wrong value disables one issuer, without effect on others. Unknown keys are ignored.
                """)
        )
    }

    func asking(_ servers: [PolicyServerEntry]) -> PoliciesSection {
        var section = self
        section.servers = servers
        return section
    }

    /// POL-02: a positive integer, or one as text.
    @Sendable private static func timeout(_ field: Field) -> Int? {
        let expected = "a positive number of seconds, as a number or as text"
        guard let text = field.node.string else {
            guard field.node.integer != nil else { return field.wrongType(expected) }
            return field.seconds()
        }
        guard let seconds = Decimal.parse(Array(text.utf8).span), (1...315_360_000).contains(seconds) else {
            return field.invalid(expected)
        }
        return seconds
    }

    /// JSON in a string, as the policy is usually written, an object, or a file (JWT-01).
    @Sendable private static func authTokens(_ field: Field) -> JSONNode? {
        if field.node.members != nil { return field.node }
        let expected = "an object, its JSON in a string, or \"file:NAME\""
        guard let text = field.text(expected) else { return nil }
        guard text.hasPrefix("file:") else { return object(of: Array(text.utf8), "the text", field, expected) }
        let path = field.findings.path(of: String(text.dropFirst(5)))
        return field.contents(of: path).flatMap { object(of: $0, "the file", field, expected, file: path) }
    }

    private static func object(
        of text: [UInt8], _ noun: String, _ field: Field, _ expected: String, file: String = ""
    ) -> JSONNode? {
        do throws(JSONError) {
            let node = try JSONNode.parse(text, file: file)
            if node.members != nil { return node }
            field.error("\(noun) is not a JSON object", expected: expected)
        } catch {
            field.error(
                "\(noun) is not JSON: \(JSONProblem(error, in: text, file: file).text)", expected: expected)
        }
        return nil
    }
}

extension SectionForm {
    /// `policies.json`.
    /// - Parameter authTokens: the form of `Security_AuthTokenConfiguration`.
    package static func policies(authTokens: ObjectForm) -> SectionForm {
        SectionForm(
            name: "policies", meaning: "Environment policies under their own names.",
            form: .object(ObjectForm.of { PoliciesSection.read(&$0, authTokens: authTokens) }))
    }
}

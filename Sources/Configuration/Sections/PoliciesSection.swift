import Bytes
import Foundation
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

    static func read(_ field: Field) -> PoliciesSection {
        var object = field.object("an object of policies")
        if field.isFileRoot { _ = object.take("$schema") }
        let section = PoliciesSection(
            allowOrigin: object.value("Security_AllowOrigin", default: .disallow) { $0.allowedOrigins() },
            ssoRedirectWhitelist: object.optional("Security_SsoRedirectWhitelist") {
                $0.text().map { RedirectWhitelist($0) }
            },
            tokenExchangeTimeoutSeconds: object.optional("Security_TokenExchangeTimeoutSecs", timeout),
            tokenExchangeTimeoutPolicy: object.optional("Security_TokenExchangeTimeoutPolicy") {
                $0.choice(TokenLifetimePolicy.self)
            },
            authTokenConfiguration: object.optional("Security_AuthTokenConfiguration", authTokens)
        )
        object.finish()
        return section
    }

    func asking(_ servers: [PolicyServerEntry]) -> PoliciesSection {
        var section = self
        section.servers = servers
        return section
    }

    /// POL-02: a positive integer, or one as text.
    private static func timeout(_ field: Field) -> Int? {
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
    private static func authTokens(_ field: Field) -> JSONNode? {
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

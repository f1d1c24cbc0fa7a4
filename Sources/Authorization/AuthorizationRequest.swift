import Bytes
import HTTP
import JOSE
import Model
import OAuthServer

/// The parameters of an authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1), carried
/// through the login.
struct AuthorizationRequest: Sendable, Equatable {
    enum Mode: String, Sendable {
        case query
        case formPost = "form_post"
    }

    enum Prompt: String, Sendable {
        case none, login, consent
        case account = "select_account"
    }

    /// Longest `state` and scope, in bytes; those of other parameters are shorter.
    private static let longestText = 1024

    let clientID: String
    let redirectURI: String
    let mode: Mode
    let state: String?
    let nonce: String?
    /// The scopes that may be granted, of those requested.
    let scopes: [String]
    /// The resources that tokens are limited to (RFC 8707); empty for none.
    let resources: [String]
    /// S256 challenge of RFC 7636.
    let challenge: String
    /// `dpop_jkt`, the thumbprint of the key that the code is bound to (RFC 9449 section 10); nil for none.
    let proofKey: String?
    let prompts: [Prompt]
    /// Longest time since the login, in seconds; nil for any.
    let maximumAge: Int64?
    /// User name for the login form; empty for none.
    let loginHint: String
    /// `ui_locales`, the languages for pages; empty for none, or for a list that is too long.
    let locales: String

    /// - Parameters:
    ///   - fields: with one redirect URI, which is checked by the caller.
    ///   - settings: scopes and resources that the client may have.
    init(
        _ fields: FormFields, of client: Client, _ settings: TokenServiceSettings
    ) throws(AuthorizationRefusal) {
        if fields.repeatedName(besides: ResourceIndicators.parameter) != nil { throw .repeatedParameter }
        for (name, refusal) in AuthorizationRequest.unsupported where fields.first(name) != nil { throw refusal }
        let responseType = fields.value("response_type")
        guard let responseType else { throw .missingParameter }
        guard responseType.isExactly("code") else { throw .unsupportedResponseType }
        clientID = client.clientID
        redirectURI = fields.value("redirect_uri") ?? ""
        mode = try AuthorizationRequest.mode(fields)
        if mode == .formPost, RedirectTarget(redirectURI) == nil { throw .malformedParameter }
        state = fields.value("state")
        nonce = fields.value("nonce")
        guard AuthorizationRequest.isPlain(state), AuthorizationRequest.isPlain(nonce, 256) else {
            throw .malformedParameter
        }
        scopes = try AuthorizationRequest.scopes(fields, settings.scopes(of: client))
        do throws(TokenFailure) {
            resources = try settings.resources.known(fields.values(ResourceIndicators.parameter), to: client)
        } catch {
            throw .invalidTarget
        }
        challenge = try AuthorizationRequest.challenge(fields)
        proofKey = fields.value(AuthorizationCode.proofKeyParameter)
        if let proofKey, TokenBinding(thumbprint: proofKey) == nil { throw .malformedParameter }
        prompts = try AuthorizationRequest.prompts(fields)
        maximumAge = try AuthorizationRequest.age(fields)
        let hint = fields.value("login_hint") ?? ""
        loginHint = hint.utf8.count <= 256 && hint.utf8.allSatisfy { $0 >= ASCII.space && $0 != 0x7F } ? hint : ""
        let locales = fields.value("ui_locales") ?? ""
        self.locales = AuthorizationRequest.isPlain(locales, 256) ? locales : ""
    }

    private static let unsupported: [(String, AuthorizationRefusal)] = [
        ("request", .requestObject), ("request_uri", .requestURI), ("registration", .registration),
    ]

    /// The response mode, as far as the request has a valid one: needed for the answer to an invalid request too.
    static func mode(_ fields: FormFields) throws(AuthorizationRefusal) -> Mode {
        guard let text = fields.value("response_mode") else { return .query }
        guard let mode = Mode(rawValue: text) else { throw .malformedParameter }
        return mode
    }

    /// Visible ASCII and blanks (RFC 6749 appendix A.5).
    static func isPlain(_ text: String?, _ longest: Int = longestText) -> Bool {
        guard let text else { return true }
        return text.utf8.count <= longest && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func scopes(_ fields: FormFields, _ allowed: [String]) throws(AuthorizationRefusal) -> [String] {
        guard let text = fields.value("scope") else { return [] }
        guard isPlain(text) else { throw .malformedParameter }
        do throws(TokenFailure) {
            return try GrantedScope.grantable(text, allowed)
        } catch {
            throw .invalidScope
        }
    }

    /// RFC 7636 section 4.3; `plain` is refused, as is a request without a challenge (RFC 9700 section 2.1.1).
    private static func challenge(_ fields: FormFields) throws(AuthorizationRefusal) -> String {
        guard let challenge = fields.value("code_challenge"), let method = fields.value("code_challenge_method"),
            method.isExactly("S256"), challenge.utf8.count == 43,
            challenge.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "-_".utf8.contains($0) })
        else { throw .missingChallenge }
        return challenge
    }

    private static func prompts(_ fields: FormFields) throws(AuthorizationRefusal) -> [Prompt] {
        guard let text = fields.value("prompt") else { return [] }
        let names = text.utf8.split(separator: ASCII.space).compactMap { String($0) }
        let prompts = names.prefix(8).compactMap(Prompt.init(rawValue:))
        guard prompts.count == names.count, !prompts.contains(.none) || prompts.count == 1 else {
            throw .malformedParameter
        }
        return prompts
    }

    private static func age(_ fields: FormFields) throws(AuthorizationRefusal) -> Int64? {
        guard let text = fields.value("max_age") else { return nil }
        guard let age = Decimal.parse(Array(text.utf8).span), age <= 315_360_000 else { throw .malformedParameter }
        return Int64(age)
    }

    // MARK: Through the login

    /// The languages for pages, most preferred first.
    var languages: [LanguageTag] { AcceptLanguage.locales(locales) }

    /// Texts for a sealed ticket.
    var query: String {
        var fields = [
            ("client_id", clientID), ("redirect_uri", redirectURI), ("response_mode", mode.rawValue),
            ("scope", scopes.joined(separator: " ")), ("code_challenge", challenge),
            ("prompt", prompts.map(\.rawValue).joined(separator: " ")), ("login_hint", loginHint),
        ]
        if !locales.isEmpty { fields.append(("ui_locales", locales)) }
        if let state { fields.append(("state", state)) }
        if let nonce { fields.append(("nonce", nonce)) }
        if let proofKey { fields.append((AuthorizationCode.proofKeyParameter, proofKey)) }
        if let maximumAge { fields.append(("max_age", "\(maximumAge)")) }
        fields += resources.map { (ResourceIndicators.parameter, $0) }
        return String(decoding: FormEncoding.form(fields), as: UTF8.self)
    }

    /// Nil for text that `query` does not produce.
    init?(query: String) {
        guard let fields = try? FormFields.parse(Array(query.utf8).span), let clientID = fields.value("client_id"),
            let redirectURI = fields.value("redirect_uri"), let mode = try? AuthorizationRequest.mode(fields),
            let challenge = fields.value("code_challenge"), let prompts = try? AuthorizationRequest.prompts(fields),
            let maximumAge = try? AuthorizationRequest.age(fields) as Int64??
        else { return nil }
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.mode = mode
        state = fields.value("state")
        nonce = fields.value("nonce")
        scopes = (fields.value("scope") ?? "").split(separator: " ").map(String.init)
        resources = fields.values(ResourceIndicators.parameter)
        self.challenge = challenge
        proofKey = fields.value(AuthorizationCode.proofKeyParameter)
        self.prompts = prompts
        self.maximumAge = maximumAge
        loginHint = fields.value("login_hint") ?? ""
        locales = fields.value("ui_locales") ?? ""
    }
}

extension FormFields {
    /// The first value that is not empty: empty ones count as absent (RFC 6749 section 3.1).
    func value(_ name: String) -> String? {
        guard let value = first(name), !value.isEmpty else { return nil }
        return value
    }
}

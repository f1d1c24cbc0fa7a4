import Authorization
import Bytes
import HTTP
import Identity
import Model

/// The parameters of a browser's request for a token (SSO-01, SSO-02).
struct SignOnRequest: Sendable, Equatable {
    /// Longest accepted `state` in bytes.
    static let longestState = 1024

    let clientID: String
    /// As it was received; nil for none.
    let redirectURI: String?
    let state: String?

    /// - Parameter query: of the exchange endpoint; unknown parameters are ignored (SSO-12).
    init(_ query: FormFields) throws(SingleSignOnFailure) {
        guard !["clientID", "redirect_uri", "state", "prompt", "provider"].contains(where: query.isRepeated) else {
            throw .repeatedParameter
        }
        guard let clientID = query.first("clientID"), !clientID.isEmpty else { throw .missingClient }
        let state = query.first("state")
        // Browsers normalise the line ends of form fields (WHATWG HTML section 4.10.22.4).
        guard state?.utf8.count ?? 0 <= SignOnRequest.longestState,
            state?.utf8.allSatisfy({ $0 >= ASCII.space }) ?? true
        else { throw .malformedParameter }
        self.clientID = clientID
        self.state = state
        redirectURI = query.first("redirect_uri").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text of a page for logins: redirect URI and state in two lines. A state has no control characters.
    var page: String { "\(redirectURI ?? "")\n" + (state.map { "=\($0)" } ?? "") }

    init(page: String, clientID: String) {
        let lines = page.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        self.clientID = clientID
        let redirect = String(page.utf8.dropLast(lines[lines.count - 1].count + 1)) ?? ""
        redirectURI = redirect.isEmpty ? nil : redirect
        state = lines[lines.count - 1].isEmpty ? nil : String(lines[lines.count - 1].dropFirst())
    }

    /// Address for the browser after the login, without `prompt`.
    var location: String {
        var fields = [("clientID", clientID)]
        if let redirectURI { fields.append(("redirect_uri", redirectURI)) }
        if let state { fields.append(("state", state)) }
        return "\(ExchangePaths.browsers)?\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }

    /// Why a browser may not log in for it; nil if it may.
    func refusal(at client: Client, _ whitelist: RedirectWhitelist) -> SingleSignOnFailure? {
        guard client.enableSSO else { return .notEnabled }
        return redirectURI == nil || redirectURI.flatMap(whitelist.target) != nil ? nil : .redirectNotAllowed
    }
}

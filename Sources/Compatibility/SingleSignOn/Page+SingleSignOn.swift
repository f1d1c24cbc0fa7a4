import LoginPages
import Model

/// The pages that deliver a token.
extension Page {
    /// Shows a token to its user (SSO-01). The sandbox keeps it from other pages.
    ///
    /// - Parameters:
    ///   - client: display name of the application.
    ///   - logout: address of the logout.
    static func token(_ token: String, seconds: Int64, client: String, logout: String) -> Page {
        var page = Page(title: .text(.tokenFor, [.service: client]), way: .link(.start)) { say in
            """
            <label for="token">\(say(.token))</label>
            <textarea id="token" rows="8" readonly spellcheck="false" dir="ltr" aria-describedby="lifetime">\
            \(escaped(token))</textarea>
            <p id="lifetime">\(say(.tokenLifetime, [.seconds: "\(seconds)"]))</p>
            <p><a href="\(escaped(logout))">\(say(.signOut))</a></p>
            """
        }
        page.sandbox = ""
        return page
    }

    /// Shows the response of an identity provider to the person who sets it up (SAML-17).
    static func captured(_ response: String) -> Page {
        Page(title: .text(.captured), way: .link(.start)) { say in
            """
            <label for="response">SAMLResponse</label>
            <textarea id="response" rows="12" readonly spellcheck="false" dir="ltr" aria-describedby="hint">\
            \(escaped(response))</textarea>
            <p id="hint">\(say(.capturedHint))</p>
            """
        }
    }
}

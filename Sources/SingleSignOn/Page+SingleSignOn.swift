import Bytes
import HTTP
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
        var page = Page(
            title: PageText.token(for: client),
            content: """
                <label for="token">\(escaped(PageText.token))</label>
                <textarea id="token" rows="8" readonly spellcheck="false" aria-describedby="lifetime">\(escaped(token))\
                </textarea>
                <p id="lifetime">\(escaped(PageText.lifetime(seconds: seconds)))</p>
                <p><a href="\(escaped(logout))">\(escaped(PageText.signOut))</a></p>
                """)
        page.sandbox = ""
        return page
    }

    /// Shows the response of an identity provider to the person who sets it up (SAML-17).
    static func captured(_ response: String) -> Page {
        Page(
            title: PageText.captured,
            content: """
                <label for="response">SAMLResponse</label>
                <textarea id="response" rows="12" readonly spellcheck="false" aria-describedby="hint">\
                \(escaped(response))</textarea>
                <p id="hint">\(escaped(PageText.capturedHint))</p>
                """)
    }

    /// Sends fields to an application by POST, so that the token is in no address (SSO-02). The script submits the
    /// form; without scripts the button does.
    ///
    /// - Parameter hint: text beside the button.
    static func post(
        _ fields: [(String, String)], to target: RedirectTarget, hint: String = PageText.goOnHint
    ) -> Page {
        let inputs = fields.map { name, value in
            "<input type=\"hidden\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">\n"
        }
        var page = Page(
            title: PageText.goOn,
            content: """
                <form method="post" action="\(escaped(target.text))">
                \(inputs.joined())<p>\(escaped(hint))</p>
                <button type="submit">\(escaped(PageText.goOn))</button>
                </form>
                """)
        page.formAction = target.formAction
        page.script = "document.forms[0].submit()"
        // The application gets `Origin: null`, as from every sandbox.
        page.sandbox = " allow-forms allow-scripts"
        page.referrerPolicy = "no-referrer"
        return page
    }
}

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
        var page = Page(title: .text(.tokenFor, [.service: client])) { say in
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
        Page(title: .text(.captured)) { say in
            """
            <label for="response">SAMLResponse</label>
            <textarea id="response" rows="12" readonly spellcheck="false" dir="ltr" aria-describedby="hint">\
            \(escaped(response))</textarea>
            <p id="hint">\(say(.capturedHint))</p>
            """
        }
    }

    /// Sends fields to an application by POST, so that the token is in no address (SSO-02). The script submits the
    /// form; without scripts the button does.
    ///
    /// - Parameter hint: text beside the button.
    static func post(
        _ fields: [(String, String)], to target: RedirectTarget, hint: PageText = .goOnHint
    ) -> Page {
        var page = Page(title: .text(.goOn)) { say in
            """
            <form method="post" action="\(escaped(target.text))">
            \(hidden(fields))<p>\(say(hint))</p>
            <button type="submit">\(say(.goOn))</button>
            </form>
            """
        }
        page.formAction = target.formAction
        page.script = "document.forms[0].submit()"
        // The application gets `Origin: null`, as from every sandbox.
        page.sandbox = " allow-forms allow-scripts"
        page.referrerPolicy = "no-referrer"
        return page
    }
}

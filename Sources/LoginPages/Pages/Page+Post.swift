import HTTP
import Model

/// The page that leads on.
extension Page {
    /// Sends fields to an application by POST, so that the token is in no address (SSO-02). The script submits the
    /// form; without scripts the button does.
    ///
    /// - Parameter hint: text beside the button.
    package static func post(
        _ fields: [(String, String)], to target: RedirectTarget, hint: PageText = .goOnHint
    ) -> Page {
        var page = Page(title: .text(.goOn), way: .content) { say in
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

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

    /// Sends the fields of a logout to a provider by POST. Browsers check the redirects that follow as well, and the provider
    /// may have pages at other hosts.
    package static func logoutThere(_ fields: [(String, String)], at provider: WebURL) -> Page {
        var page = Page(title: .text(.signedOut), way: .content) { say in
            """
            <p>\(say(.signedOutHere))</p>
            <form method="post" action="\(escaped(provider.description))">
            \(hidden(fields))<button type="submit">\(say(.signOutThere))</button>
            </form>
            """
        }
        page.formAction = "'self' https: \(provider.origin)"
        return page
    }
}

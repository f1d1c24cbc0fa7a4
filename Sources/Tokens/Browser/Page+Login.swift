extension Page {
    /// What a login form says besides its fields.
    enum LoginNotice {
        case wrongPassword, tooManyAttempts, unavailable, expired

        var text: String {
            switch self {
            case .wrongPassword: PageText.wrongPassword
            case .tooManyAttempts: PageText.tooManyAttempts
            case .unavailable: PageText.unavailable
            case .expired: PageText.expired
            }
        }
    }

    /// The form that asks for user name and password (SCH-02).
    ///
    /// - Parameters:
    ///   - service: what people know the place by that they sign in to; nil for nothing.
    ///   - action: path and query that the form is sent to.
    ///   - ticket: the sealed `LoginTicket`.
    ///   - username: what was typed before.
    static func login(
        to service: String?, action: String, ticket: String, username: String = "", notice: LoginNotice? = nil
    ) -> Page {
        let title = service.map(PageText.signIn(to:)) ?? PageText.signIn
        // The field that is to be filled next has the cursor.
        let (nameFocus, passwordFocus) = username.isEmpty ? (" autofocus", "") : ("", " autofocus")
        // The notice is read out before the fields, and said to belong to the one that is to be filled again.
        let alert = notice.map { "<p role=\"alert\" id=\"notice\">\(escaped($0.text))</p>\n" } ?? ""
        let described = notice == nil ? "" : " aria-describedby=\"notice\""
        return Page(
            title: title,
            content: """
                \(alert)<form method="post" action="\(escaped(action))">
                <input type="hidden" name="ticket" value="\(escaped(ticket))">
                <label for="username">\(escaped(PageText.userName))</label>
                <input id="username" name="username" value="\(escaped(username))" autocomplete="username" \
                autocapitalize="none" spellcheck="false" maxlength="256" required\(nameFocus)>
                <label for="password">\(escaped(PageText.password))</label>
                <input id="password" name="password" type="password" autocomplete="current-password" \
                maxlength="1024" required\(described)\(passwordFocus)>
                <button type="submit">\(escaped(PageText.signIn))</button>
                </form>
                """)
    }

    /// A question whether to sign out, since a link from elsewhere must not do it.
    static func logout(action: String, ticket: String) -> Page {
        Page(
            title: PageText.signOutQuestion,
            content: """
                <form method="post" action="\(escaped(action))">
                <input type="hidden" name="ticket" value="\(escaped(ticket))">
                <button type="submit">\(escaped(PageText.signOut))</button>
                </form>
                """)
    }

    /// A title and a sentence.
    static func message(_ title: String, _ detail: String, isError: Bool = false) -> Page {
        Page(title: title, content: "<p\(isError ? " role=\"alert\"" : "")>\(escaped(detail))</p>")
    }
}

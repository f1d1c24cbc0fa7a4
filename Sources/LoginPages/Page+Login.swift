import Endpoints
import Model

extension Page {
    /// A message in a form about its previous submission.
    package struct Notice: Sendable, Equatable {
        let text: String
        /// Whether the message is about the last field, which must be filled in again.
        let isAboutField: Bool

        package static let wrongAnswer = Notice(text: PageText.wrongAnswer, isAboutField: true)
        package static let wrongDeviceCode = Notice(text: ConsentText.wrongDeviceCode, isAboutField: true)
        package static let wrongPassword = Notice(text: PageText.wrongPassword, isAboutField: true)
        package static let tooManyAttempts = Notice(text: PageText.tooManyAttempts, isAboutField: false)

        package init(text: String, isAboutField: Bool) {
            self.text = text
            self.isAboutField = isAboutField
        }

        package init(_ failure: BrowserLoginFailure) { self.init(text: failure.detail, isAboutField: false) }

        /// Announced before the fields, and linked to the field that must be filled in again.
        fileprivate var html: String { "<p role=\"alert\" id=\"notice\">\(escaped(text))</p>\n" }
    }

    /// The form for user name and password (SCH-02).
    ///
    /// - Parameters:
    ///   - service: title of the service that the user logs in to; nil for none.
    ///   - action: path and query that the form is posted to.
    ///   - ticket: the sealed `LoginTicket`.
    ///   - username: the previous input.
    ///   - link: another login option; nil for none.
    package static func login(
        to service: String?, action: String, ticket: String, username: String = "", notice: Notice? = nil,
        link: Link? = nil
    ) -> Page {
        // Focuses the next field to fill in.
        let (nameFocus, passwordFocus) = username.isEmpty ? (" autofocus", "") : ("", " autofocus")
        return Page(
            title: service.map(PageText.signIn(to:)) ?? PageText.signIn,
            content: """
                \(notice?.html ?? "")\(opening(action: action, ticket: ticket))
                <label for="username">\(escaped(PageText.userName))</label>
                <input id="username" name="username" value="\(escaped(username))" autocomplete="username" \
                autocapitalize="none" spellcheck="false" maxlength="256" required\(nameFocus)>
                <label for="password">\(escaped(PageText.password))</label>
                <input id="password" name="password" type="password" autocomplete="current-password" \
                maxlength="256" required\(reference(to: notice))\(passwordFocus)>
                <button type="submit">\(escaped(PageText.signIn))</button>
                </form>\(html(of: link))
                """)
    }

    /// The form for the second factor (OMS-14).
    ///
    /// - Parameters:
    ///   - question: the user's security question; nil to ask for a code.
    ///   - username: of the user who logs in.
    ///   - challenge: the sealed `PendingLogin`.
    package static func answer(
        to question: String?, of username: String, action: String, ticket: String, challenge: String,
        notice: Notice? = nil
    ) -> Page {
        let hint = question ?? PageText.codeHint
        let kind =
            question == nil
            ? "autocomplete=\"one-time-code\" inputmode=\"numeric\" maxlength=\"10\""
            : "autocomplete=\"off\" maxlength=\"256\""
        let described = notice == nil ? "hint" : "notice hint"
        let invalid = notice == nil ? "" : " aria-invalid=\"true\""
        return Page(
            title: PageText.oneMoreStep,
            content: """
                \(notice?.html ?? "")\(opening(action: action, ticket: ticket))
                <input type="hidden" name="challenge" value="\(escaped(challenge))">
                <p>\(escaped(PageText.signingIn(as: username)))</p>
                <p id="hint">\(escaped(hint))</p>
                <label for="answer">\(escaped(question == nil ? PageText.code : PageText.question))</label>
                <input id="answer" name="answer" \(kind) autocapitalize="none" spellcheck="false" required \
                aria-describedby="\(described)"\(invalid) autofocus>
                <button type="submit">\(escaped(PageText.next))</button>
                </form>
                """)
    }

    /// Asks for confirmation of a logout, because a link from another site must not log the user out.
    /// - Parameter fields: hidden fields.
    static func logout(
        action: String, ticket: String, notice: Notice? = nil, fields: [(String, String)] = []
    ) -> Page {
        let hidden = fields.map { name, value in
            "<input type=\"hidden\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">\n"
        }
        return Page(
            title: PageText.signOutQuestion,
            content: """
                \(notice?.html ?? "")\(opening(action: action, ticket: ticket))
                \(hidden.joined())<button type="submit">\(escaped(PageText.signOut))</button>
                </form>
                """)
    }

    /// A link at the end of a page.
    package struct Link: Sendable {
        let text: String
        let target: String

        package init(text: String, target: String) {
            self.text = text
            self.target = target
        }
    }

    /// A title and a sentence.
    ///
    /// - Parameter link: how to continue; nil for nothing.
    package static func message(_ title: String, _ detail: String, isError: Bool = false, link: Link? = nil) -> Page {
        Page(title: title, content: "<p\(isError ? " role=\"alert\"" : "")>\(escaped(detail))</p>\(html(of: link))")
    }

    private static func html(of link: Link?) -> String {
        link.map { "\n<p><a href=\"\(escaped($0.target))\">\(escaped($0.text))</a></p>" } ?? ""
    }

    /// A page that explains a failure.
    package static func failure(_ failure: some EndpointFailure) -> EndpointResponse {
        message(PageText.error, failure.detail, isError: true).response(status: failure.status, reason: failure.reason)
    }

    /// A page for failures that are not the user's fault.
    package static func unavailable(_ status: Int, _ reason: Reason) -> EndpointResponse {
        message(PageText.error, PageText.unavailable, isError: true).response(
            status: status, reason: reason, fields: [(name: "Retry-After", value: "1")])
    }

    private static func opening(action: String, ticket: String) -> String {
        """
        <form method="post" action="\(escaped(action))">
        <input type="hidden" name="ticket" value="\(escaped(ticket))">
        """
    }

    private static func reference(to notice: Notice?) -> String {
        notice?.isAboutField == true ? " aria-invalid=\"true\" aria-describedby=\"notice\"" : ""
    }
}

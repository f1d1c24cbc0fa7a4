import Endpoints
import Identity
import Model

extension Page {
    /// A message in a form about its previous submission.
    package struct Notice: Sendable, Equatable {
        let words: PageWords
        /// Whether the message is about the last field, which must be filled in again.
        let isAboutField: Bool

        package static let wrongAnswer = Notice(.wrongAnswer, isAboutField: true)
        package static let wrongDeviceCode = Notice(.wrongDeviceCode, isAboutField: true)
        package static let wrongPassword = Notice(.wrongPassword, isAboutField: true)

        package init(_ text: PageText, _ values: [PageValue: String] = [:], isAboutField: Bool = false) {
            words = .text(text, values)
            self.isAboutField = isAboutField
        }

        package init(_ failure: BrowserLoginFailure) { self.init(failure.text) }

        /// - Parameter seconds: of `Retry-After`; nil where none is known. Rounded up, so that no text needs a singular.
        package static func tooManyAttempts(retryAfter seconds: Int?) -> Notice {
            switch seconds {
            case nil: Notice(.tooManyAttempts)
            case .some(let seconds) where seconds <= 60:
                Notice(.tooManyAttemptsSeconds, [.seconds: "\(max(seconds + 4, 5) / 5 * 5)"])
            case .some(let seconds):
                Notice(.tooManyAttemptsMinutes, [.minutes: "\((seconds + 59) / 60)"])
            }
        }

        /// Announced before the fields, and linked to the field that must be filled in again.
        func html(_ say: PageLanguage) -> String { "<p role=\"alert\" id=\"notice\">\(say(words))</p>\n" }
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
        Page(title: title(of: service), way: .content) { say in
            // Focuses the next field to fill in.
            let (nameFocus, passwordFocus) = username.isEmpty ? (" autofocus", "") : ("", " autofocus")
            return """
                \(notice?.html(say) ?? "")\(opening(action: action, ticket: ticket))
                <label for="username">\(say(.userName))</label>
                <input id="username" name="username" value="\(escaped(username))" autocomplete="username" \
                autocapitalize="none" spellcheck="false" maxlength="256" dir="auto" required\(nameFocus)>
                \(passwordFields(say, notice, focus: passwordFocus))
                <button type="submit">\(say(.signIn))</button>
                </form>\(html(of: link, say))
                """
        }
    }

    static func title(of service: String?) -> PageWords {
        service.map { .text(.signInTo, [.service: $0]) } ?? .text(.signIn)
    }

    /// The field for the password, and one that shows what is typed. Without a script, a field cannot change from one to the
    /// other, so a style shows the one that the checkbox chooses. Neither is `required`: a browser would not send the form
    /// for the sake of the hidden one.
    private static func passwordFields(_ say: PageLanguage, _ notice: Notice?, focus: String) -> String {
        """
        <label class="typed" for="password">\(say(.password))</label>
        <input class="typed" id="password" name="password" type="password" autocomplete="current-password" \
        maxlength="256" dir="ltr" aria-required="true"\(reference(to: notice))\(focus)>
        <label class="shown" for="shown">\(say(.password))</label>
        <input class="shown" id="shown" name="\(LoginForm.shownPassword)" type="text" autocomplete="off" \
        autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="256" dir="ltr" aria-required="true" \
        aria-describedby="shown-hint">
        <p class="shown" id="shown-hint">\(say(.shownPasswordHint))</p>
        <div class="show"><input type="checkbox" id="show" name="\(LoginForm.show)" value="1" autocomplete="off">\
        <label for="show">\(say(.showPassword))</label></div>
        """
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
        let kind =
            question == nil
            ? "autocomplete=\"one-time-code\" inputmode=\"numeric\" maxlength=\"10\" dir=\"ltr\""
            : "autocomplete=\"off\" maxlength=\"256\" dir=\"auto\""
        let described = notice == nil ? "hint" : "notice hint"
        let invalid = notice == nil ? "" : " aria-invalid=\"true\""
        return Page(title: .text(.oneMoreStep), way: .content) { say in
            """
            \(notice?.html(say) ?? "")\(opening(action: action, ticket: ticket))
            <input type="hidden" name="challenge" value="\(escaped(challenge))">
            <p>\(say(.signingIn, [.user: username]))</p>
            <p id="hint" dir="auto">\(question.map(escaped) ?? say(.codeHint))</p>
            <label for="answer">\(say(question == nil ? .code : .question))</label>
            <input id="answer" name="answer" \(kind) autocapitalize="none" spellcheck="false" required \
            aria-describedby="\(described)"\(invalid) autofocus>
            <button type="submit">\(say(.next))</button>
            </form>
            """
        }
    }

    /// Asks for confirmation of a logout, because a link from another site must not log the user out.
    /// - Parameters:
    ///   - fields: hidden fields.
    ///   - back: where a user goes on who stays signed in.
    static func logout(
        action: String, ticket: String, notice: Notice? = nil, fields: [(String, String)] = [], back: ReturnTarget
    ) -> Page {
        Page(title: .text(.signOutQuestion), way: .link(Link(.cancel, to: back.text))) { say in
            """
            \(notice?.html(say) ?? "")\(opening(action: action, ticket: ticket))
            \(hidden(fields))<button type="submit">\(say(.signOut))</button>
            </form>
            """
        }
    }

    /// A link at the end of a page.
    package struct Link: Sendable {
        let words: PageWords
        let target: String

        package init(_ text: PageText, to target: String) { self.init(.text(text), to: target) }

        package init(_ words: PageWords, to target: String) {
            self.words = words
            self.target = target
        }

        /// To the start page of this host (`PageLook.start`), where nothing else is known.
        package static let start = Link(.startPage, to: "/")
        /// The address of the page itself, which a browser gets anew.
        package static let again = Link(.tryAgain, to: "")
    }

    /// A title and a sentence.
    ///
    /// - Parameter link: how to continue.
    package static func message(
        _ title: PageWords, _ detail: PageWords, isError: Bool = false, link: Link
    ) -> Page {
        var page = Page(title: title, way: .link(link)) { say in
            "<p\(isError ? " role=\"alert\"" : "")>\(say(detail))</p>"
        }
        page.isFailure = isError
        return page
    }

    package static func message(_ title: PageText, _ detail: PageText, link: Link) -> Page {
        message(.text(title), .text(detail), link: link)
    }

    /// The page for something that did not work.
    package static func failure(_ detail: PageText, link: Link) -> Page {
        var page = message(.text(.failed), .text(detail), isError: true, link: link)
        // Like the error pages of routes: any request can get one.
        page.hasLogo = false
        return page
    }

    static func html(of link: Link?, _ say: PageLanguage) -> String {
        link.map { "\n<p><a href=\"\(escaped($0.target))\">\(say($0.words))</a></p>" } ?? ""
    }

    /// A page for failures that are not the user's fault.
    package static func unavailable(_ status: Int, _ reason: Reason) -> EndpointResponse {
        failure(.unavailable, link: .again).response(
            status: status, reason: reason, fields: [(name: "Retry-After", value: "1")])
    }

    static func opening(action: String, ticket: String) -> String {
        """
        <form method="post" action="\(escaped(action))">
        <input type="hidden" name="ticket" value="\(escaped(ticket))">
        """
    }

    package static func hidden(_ fields: [(String, String)]) -> String {
        fields.map { name, value in
            "<input type=\"hidden\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">\n"
        }.joined()
    }

    private static func reference(to notice: Notice?) -> String {
        notice?.isAboutField == true ? " aria-invalid=\"true\" aria-describedby=\"notice\"" : ""
    }
}

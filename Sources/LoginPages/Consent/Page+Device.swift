import Model

extension Page {
    /// The form for the code that a device shows (RFC 8628 section 3.3).
    ///
    /// - Parameters:
    ///   - ticket: the sealed `LoginTicket`.
    ///   - code: for the field; the user still has to send it.
    package static func deviceCode(
        action: String, ticket: String, code: String = "", notice: Notice? = nil
    ) -> Page {
        let alert = notice.map { "<p role=\"alert\" id=\"notice\">\(escaped($0.text))</p>\n" } ?? ""
        let invalid = notice?.isAboutField == true ? " aria-invalid=\"true\"" : ""
        return Page(
            title: ConsentText.connectDevice,
            content: """
                \(alert)<form method="post" action="\(escaped(action))">
                <input type="hidden" name="ticket" value="\(escaped(ticket))">
                <p id="hint">\(escaped(ConsentText.deviceCodeHint))</p>
                <label for="user_code">\(escaped(ConsentText.deviceCode))</label>
                <input id="user_code" name="user_code" value="\(escaped(code))" autocomplete="off" \
                autocapitalize="characters" spellcheck="false" maxlength="64" required \
                aria-describedby="\(notice == nil ? "hint" : "notice hint")"\(invalid) autofocus>
                <button type="submit">\(escaped(PageText.next))</button>
                </form>
                """)
    }
}

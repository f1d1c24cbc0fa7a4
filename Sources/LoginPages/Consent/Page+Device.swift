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
        let invalid = notice?.isAboutField == true ? " aria-invalid=\"true\"" : ""
        return Page(title: .text(.connectDevice), way: .content) { say in
            """
            \(notice?.html(say) ?? "")\(opening(action: action, ticket: ticket))
            <p id="hint">\(say(.deviceCodeHint))</p>
            <label for="user_code">\(say(.deviceCode))</label>
            <input id="user_code" name="user_code" value="\(escaped(code))" autocomplete="off" \
            autocapitalize="characters" spellcheck="false" maxlength="64" dir="ltr" required \
            aria-describedby="\(notice == nil ? "hint" : "notice hint")"\(invalid) autofocus>
            <button type="submit">\(say(.next))</button>
            </form>
            """
        }
    }
}

import HTTP

/// The fields that a user has filled in on the page for user name and password.
package struct LoginForm: Sendable {
    /// Names of the checkbox that shows the password, and of the field that shows it.
    static let show = "show"
    static let shownPassword = "shownPassword"

    package let username: String
    package let password: String

    package init(_ fields: FormFields) {
        username = fields.first("username") ?? ""
        let hidden = fields.first("password") ?? ""
        // A password manager may have filled the hidden field in after the choice.
        let shown = fields.first(LoginForm.show) == nil ? "" : fields.first(LoginForm.shownPassword) ?? ""
        password = shown.isEmpty ? hidden : shown
    }
}

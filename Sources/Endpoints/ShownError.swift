/// An error of the gateway that a browser gets a page for.
package struct ShownError: Sendable {
    /// Who has logged in, and where another user does.
    package struct Account: Sendable {
        package let name: String
        package let other: String

        package init(name: String, other: String) {
            self.name = name
            self.other = other
        }
    }

    package let status: Int
    /// Id of the request in the log.
    package let requestID: String
    /// The value of `Accept-Language`; empty for none.
    package let languages: String
    /// Of the session that the browser has sent; nil for none.
    package let account: Account?
    /// URL at the host where browsers log in; nil unless they cannot log in at this one.
    package let home: String?

    package init(
        status: Int, requestID: String, languages: String, account: Account? = nil, home: String? = nil
    ) {
        self.status = status
        self.requestID = requestID
        self.languages = languages
        self.account = account
        self.home = home
    }
}

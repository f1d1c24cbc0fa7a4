import Model

/// A question whether an application gets access (RFC 6749 section 4.1.1).
package struct ConsentQuestion: Sendable {
    /// Display name of the application.
    package var client: String
    package var user: String
    /// What the application may do, in words; empty for no more than to know who the user is.
    package var rights: [String]
    /// Where the answer goes; nil for a program on the user's device.
    package var place: String?
    /// Address of the login with another account; nil for none.
    package var otherAccount: String?
    /// The code that a device shows, which gets the access in place of the browser; nil for none.
    package var deviceCode: String?
    /// Whether the application has registered itself, so that its name is only what it says.
    package var isUnverified = false

    package init(
        client: String, user: String, rights: [String], place: String?, otherAccount: String? = nil
    ) {
        self.client = client
        self.user = user
        self.rights = rights
        self.place = place
        self.otherAccount = otherAccount
    }
}

extension Page {
    /// Name and values of the buttons of the consent page.
    package enum Decision: String, Sendable {
        case approve, deny

        package static let name = "decision"
    }

    /// Asks the user for consent.
    ///
    /// - Parameters:
    ///   - action: path that the form is posted to.
    ///   - ticket: the sealed `LoginTicket`.
    ///   - fields: hidden fields.
    package static func consent(
        _ question: ConsentQuestion, action: String, ticket: String, fields: [(String, String)]
    ) -> Page {
        let hidden = fields.map { name, value in
            "<input type=\"hidden\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">\n"
        }
        let rights = question.rights.isEmpty ? [ConsentText.rightToKnow] : question.rights
        let items = rights.map { "<li>\(escaped($0))</li>\n" }
        let other = question.otherAccount.map {
            "\n<p><a href=\"\(escaped($0))\">\(escaped(PageText.otherAccount))</a></p>"
        }
        let place =
            if let code = question.deviceCode {
                "<p>\(escaped(ConsentText.deviceShows)) <strong>\(escaped(code))</strong></p>\n"
                    + "<p>\(escaped(ConsentText.deviceWarning))</p>"
            } else {
                "<p>\(escaped(question.place.map(ConsentText.answerGoes(to:)) ?? ConsentText.answerStaysHere))</p>"
            }
        let warning = question.isUnverified ? "<p>\(escaped(ConsentText.unverified))</p>\n" : ""
        return Page(
            title: ConsentText.title(of: question.client),
            content: """
                <p>\(escaped(ConsentText.signedIn(as: question.user)))</p>
                <p id="rights">\(escaped(ConsentText.rights))</p>
                <ul role="list" aria-labelledby="rights">
                \(items.joined())</ul>
                \(warning)\(place)
                <form method="post" action="\(escaped(action))">
                <input type="hidden" name="ticket" value="\(escaped(ticket))">
                \(hidden.joined())<button type="submit" name="\(Decision.name)" value="\(Decision.approve.rawValue)">\
                \(escaped(ConsentText.approve))</button>
                <button type="submit" name="\(Decision.name)" value="\(Decision.deny.rawValue)">\
                \(escaped(ConsentText.deny))</button>
                </form>\(other ?? "")
                """)
    }
}

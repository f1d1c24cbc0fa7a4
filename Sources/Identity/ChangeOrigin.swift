/// Whom a change comes from, for the audit log. Texts are empty where there is nothing to say.
package struct ChangeOrigin: Sendable, Equatable {
    /// The client's address.
    package var address: String
    package var requestID: String
    /// Name of the application whose client asked for it; empty for an administrator of the gateway.
    package var application: String
    /// Who had shown a password to it: a user's name, or `administrator` for the application's; empty for a sign-up.
    package var caller: String

    package init(address: String = "", requestID: String = "", application: String = "", caller: String = "") {
        self.address = address
        self.requestID = requestID
        self.application = application
        self.caller = caller
    }
}

/// Origin of a change, for the audit log. Empty texts do not apply.
package struct ChangeOrigin: Sendable, Equatable {
    /// The client's address.
    package var address: String
    package var requestID: String
    /// Name of the application whose client sent the change; empty for an administrator of the gateway.
    package var application: String
    /// The authenticated caller: a user name, or `administrator` for the application's; empty for a sign-up.
    package var caller: String

    package init(address: String = "", requestID: String = "", application: String = "", caller: String = "") {
        self.address = address
        self.requestID = requestID
        self.application = application
        self.caller = caller
    }
}

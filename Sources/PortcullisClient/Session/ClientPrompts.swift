/// How a client asks the person before it (OMS-18). What is not set is not asked, and fails with `login_required` or
/// `missing_answer`.
public struct ClientPrompts: Sendable {
    /// User name and password.
    public struct Credentials: Sendable {
        public var user: String
        public var password: String

        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// A further step of a login (OMS-14).
    public struct Question: Equatable, Sendable {
        /// `KBA`: a question that the person has chosen; `OTP`: a code of the person's device.
        public let type: String
        public let text: String?
    }

    /// Asked where a login is needed; nil ends the attempt.
    public var credentials: (@Sendable () async -> Credentials?)?
    /// Asked for further steps; nil ends the attempt.
    public var answer: (@Sendable (Question) async -> String?)?

    public init(
        credentials: (@Sendable () async -> Credentials?)? = nil,
        answer: (@Sendable (Question) async -> String?)? = nil
    ) {
        self.credentials = credentials
        self.answer = answer
    }
}

/// Hears what a client has done (OMS-05). In both events, no value or an error means failure.
public protocol GatewayClientDelegate: AnyObject, Sendable {
    func didReceiveApplicationProfile(_ profile: ApplicationProfile?, error: ClientError?)
    func didFinishAuthentication(_ context: AuthenticationContext?, error: ClientError?)
}

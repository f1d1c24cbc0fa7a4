import ClientStore

/// Callbacks that ask the user (OMS-18). Without one, the login fails with `login_required` or `missing_answer`.
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
        /// `KBA`: a security question; `OTP`: a one-time code.
        public let type: String
        public let text: String?
    }

    /// Asks for credentials; nil cancels the login.
    public var credentials: (@Sendable () async -> Credentials?)?
    /// Asks for an answer of a further step; nil cancels the login.
    public var answer: (@Sendable (Question) async -> String?)?

    public init(
        credentials: (@Sendable () async -> Credentials?)? = nil,
        answer: (@Sendable (Question) async -> String?)? = nil
    ) {
        self.credentials = credentials
        self.answer = answer
    }
}

/// Events of a client (OMS-05). An error or a missing value means failure.
public protocol GatewayClientDelegate: AnyObject, Sendable {
    func didReceiveApplicationProfile(_ profile: ApplicationProfile?, error: ClientError?)
    func didFinishAuthentication(_ context: AuthenticationContext?, error: ClientError?)
}

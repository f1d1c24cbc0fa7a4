import ClientStore
import Dispatch
import Reactor

/// The transport to the agent of single sign-on.
public protocol SSOAgentChannel: Sendable {
    /// Sends a request to the agent and returns its response.
    ///
    /// - Parameters:
    ///   - request: the URL of a request.
    /// - Returns: the URL of a response.
    func ask(_ request: String) async throws(ClientError) -> String
}

/// The socket of an agent on this machine (AGT-04): each connection has one line with the URL of a request, and one
/// with the URL of the response.
///
/// It is in a directory that only its owner can access, and both ends check the user of the peer, so that no other user
/// gets a token or impersonates the agent. Programs of the same user are not isolated; they could also read each
/// other's files.
public struct AgentSocket: SSOAgentChannel {
    static let callback = "portcullis-client://sso"
    private static let agent = "portcullis-agent://sso"
    /// Time-out of both ends in milliseconds, including the gateway's response.
    static let requestMilliseconds: Int32 = 5000
    private static let answerMilliseconds: Int32 = 120_000

    private let path: String
    private let queue = DispatchQueue(label: "portcullis.agent.channel", attributes: .concurrent)

    public init(path: String) { self.path = path }

    static func url(_ request: SSORequest) -> String { request.url(to: agent) }

    /// The directory of a file.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func address(_ path: String) throws(ClientError) -> SocketAddress {
        guard let address = SocketAddress(unixPath: path) else {
            throw ClientError(.invalidArgument, "\(path) cannot be the name of a socket; 107 bytes are the most")
        }
        return address
    }

    public func ask(_ request: String) async throws(ClientError) -> String {
        let result = await withCheckedContinuation {
            (waiting: CheckedContinuation<Result<String, ClientError>, Never>) in
            queue.async {
                waiting.resume(returning: Result { () throws(ClientError) in try exchange(request) })
            }
        }
        return try result.get()
    }

    private func exchange(_ request: String) throws(ClientError) -> String {
        let address = try AgentSocket.address(path)
        do throws(KernelError) {
            try PrivateDirectory.check(AgentSocket.directory(of: path))
            let connection = try BlockingConnection(address, timeoutMilliseconds: AgentSocket.answerMilliseconds)
            try connection.checkOwnUser()
            try connection.send(line: request)
            let line = try connection.receiveLine(
                longest: SSORequest.longest, milliseconds: Int64(AgentSocket.answerMilliseconds))
            return String(decoding: line, as: UTF8.self)
        } catch {
            throw ClientError(.unreachable, "no agent answers at \(path): \(error.text)")
        }
    }
}

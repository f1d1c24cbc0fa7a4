import Bytes
import Dispatch
import Reactor

/// The way to the agent of single sign-on.
public protocol SSOAgentChannel: Sendable {
    /// Brings a request to the agent, and answers with what comes back.
    ///
    /// - Parameters:
    ///   - request: the URL of a request.
    /// - Returns: the URL of a response.
    func ask(_ request: String) async throws(ClientError) -> String
}

/// The socket of an agent on this machine (AGT-04): a line with the URL of a request is answered with a line that has the
/// URL of the response, and the connection ends.
///
/// It lies in a directory that is its owner's alone, and both ends ask the kernel whose the other is: no other user gets a
/// token there, nor plays the agent. Programs of one user are not kept apart by that; they could read each other's files
/// as well.
public struct AgentSocket: SSOAgentChannel {
    static let callback = "portcullis-client://sso"
    private static let agent = "portcullis-agent://sso"
    /// How long each end waits for the other, in milliseconds; the application for the gateway's answer, too.
    static let requestMilliseconds: Int32 = 5000
    private static let answerMilliseconds: Int32 = 120_000

    private let path: String
    private let queue = DispatchQueue(label: "portcullis.agent.channel", attributes: .concurrent)

    public init(path: String) { self.path = path }

    static func url(_ request: SSORequest) -> String { request.url(to: agent) }

    /// The directory that a file lies in.
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

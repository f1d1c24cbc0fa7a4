import ClientStore
import Dispatch
import Reactor

/// The server of an `AgentSocket`: accepts connections of programs of the same user, with one request each.
public final class AgentServer: Sendable {
    /// Limit of concurrent requests.
    static let maximumRequests = 16

    private let listener: BoundListener
    private let file: SocketFile?
    private let places = DispatchSemaphore(value: AgentServer.maximumRequests)
    private let queue = DispatchQueue(label: "portcullis.agent", attributes: .concurrent)

    /// Listens on a socket of mode 0600. A missing directory is created with mode 0700.
    ///
    /// - Throws: `storeFailed` if the directory belongs to another user or is accessible to others, or if an agent
    ///   listens already.
    public init(path: String) throws(ClientError) {
        let address = try AgentSocket.address(path)
        let directory = AgentSocket.directory(of: path)
        do {
            try FileSystem.makeDirectory(directory, mode: 0o700)
            try PrivateDirectory.check(directory)
        } catch {
            throw ClientError(
                .storeFailed, "\(directory) cannot have the agent's socket: it must be this user's alone (chmod 700)")
        }
        do throws(KernelError) {
            listener = try BoundListener(address, backlog: 64, mode: 0o600)
        } catch {
            throw ClientError(
                .storeFailed,
                error.isAddressInUse
                    ? "an agent listens at \(path) already" : "\(path) cannot be listened at: \(error.text)")
        }
        file = SocketFile(address)
    }

    /// Serves requests until the time is over.
    ///
    /// - Parameters:
    ///   - milliseconds: time limit.
    ///   - client: creates the agent's client for each request, so that a login or logout meanwhile takes effect.
    ///   - report: called with the outcome of each request.
    /// - Throws: `storeFailed` if the listener fails.
    public func run(
        milliseconds: Int64, _ agent: SSOAgent,
        client: @escaping @Sendable () throws(ClientError) -> GatewayClient,
        report: @escaping @Sendable (SSOAgent.Record) -> Void
    ) throws(ClientError) {
        let end = Clock.monotonicMilliseconds + milliseconds
        while true {
            let left = end - Clock.monotonicMilliseconds
            guard left > 0, places.wait(timeout: .now() + .milliseconds(Int(left))) == .success else { return }
            do throws(KernelError) {
                let next = try BlockingConnection(
                    accepting: listener,
                    waitMilliseconds: Int32(clamping: max(end - Clock.monotonicMilliseconds, 0)),
                    timeoutMilliseconds: AgentSocket.requestMilliseconds)
                guard let next else {
                    places.signal()
                    continue
                }
                serve(Conversation(next), agent, client, report)
            } catch {
                throw ClientError(.storeFailed, "the agent's socket takes no connections: \(error.text)")
            }
        }
    }

    /// Removes the socket file. Call at the end.
    public func removeFile() {
        // Regardless of the open listener.
        file?.removeOwn()
    }

    /// A connection with a request.
    private final class Conversation: Sendable {
        let connection: BlockingConnection

        init(_ connection: consuming BlockingConnection) { self.connection = connection }

        /// Nil if none arrives in time, or if it belongs to another user, who gets no response.
        func request() -> String? {
            do throws(KernelError) {
                try connection.checkOwnUser()
                let line = try connection.receiveLine(
                    longest: SSORequest.longest, milliseconds: Int64(AgentSocket.requestMilliseconds))
                return String(decoding: line, as: UTF8.self)
            } catch {
                return nil
            }
        }

        func answer(_ response: String) {
            // A failure means that the program has gone.
            try? connection.send(line: response)
        }
    }

    private func serve(
        _ conversation: Conversation, _ agent: SSOAgent,
        _ client: @escaping @Sendable () throws(ClientError) -> GatewayClient,
        _ report: @escaping @Sendable (SSOAgent.Record) -> Void
    ) {
        queue.async { [self] in
            guard let request = conversation.request() else {
                places.signal()
                return
            }
            Task { [self] in
                let (response, record) = await agent.process(request, client)
                report(record)
                conversation.answer(response)
                places.signal()
            }
        }
    }
}

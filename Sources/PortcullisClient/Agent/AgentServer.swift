import Dispatch
import Foundation
import Reactor

/// The agent's end of an `AgentSocket`: takes connections of its own user's programs, one request each.
public final class AgentServer: Sendable {
    /// How many requests are answered at a time; a program of the same user that asks without end keeps others waiting
    /// for no more than that.
    static let maximumRequests = 16

    private let listener: BoundListener
    private let file: SocketFile?
    private let places = DispatchSemaphore(value: AgentServer.maximumRequests)
    private let queue = DispatchQueue(label: "portcullis.agent", attributes: .concurrent)

    /// Listens, with a socket of mode 0600. The directory is made where there is none, with mode 0700.
    ///
    /// - Throws: `storeFailed` where the directory is another user's or open to others, or where an agent listens already.
    public init(path: String) throws(ClientError) {
        let address = try AgentSocket.address(path)
        let directory = AgentSocket.directory(of: path)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
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

    /// Answers requests until the time is over.
    ///
    /// - Parameters:
    ///   - milliseconds: for how long.
    ///   - client: the agent's own, made for each request, so that a login or logout meanwhile counts.
    ///   - report: is told what has become of each request.
    /// - Throws: `storeFailed` where nothing can be accepted any more.
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

    /// Removes the socket's file. To be called at the end.
    public func removeFile() {
        // It counts as somebody's while the listener is open.
        file?.removeOwn()
    }

    /// A connection whose request is being answered.
    private final class Conversation: Sendable {
        let connection: BlockingConnection

        init(_ connection: consuming BlockingConnection) { self.connection = connection }

        /// Nil where none has come in time, or it is none of this user's: whoever got through the file's permissions
        /// nevertheless is not even answered.
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
            // Who does not take it has gone.
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

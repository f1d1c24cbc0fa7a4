import Bytes
import Gateway
import Glibc
import HTTP
import Model
import Reactor

/// Asks the admin listener of a running gateway, as commands do: one request, one connection.
struct AdminClient: Sendable {
    struct Failure: Error {
        let message: String
    }

    private let origin: WebOrigin
    /// Nil for what is open to everybody who reaches the listener.
    private let token: String?
    private let timeoutMilliseconds: Int32

    /// Longer than the gateway takes for its longest piece of work.
    static let longestMilliseconds: Int32 = 610_000
    private static let maximumAnswerBytes = 64 << 20

    /// - Parameter url: such as `http://127.0.0.1:9901`. The admin listener speaks no TLS.
    init(
        url: String, token: String?, timeoutMilliseconds: Int32 = AdminClient.longestMilliseconds
    ) throws(Failure) {
        let wrong = Failure(message: "--admin is to be like http://127.0.0.1:9901")
        guard let url = try? WebURL(url), !url.isSecure, url.target == "/" else { throw wrong }
        origin = url.origin
        // It goes into a field line.
        if let token, token.isEmpty || !token.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) {
            throw Failure(message: "the admin token is to be visible ASCII characters without blanks")
        }
        self.token = token
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// The status and the body of the answer.
    func send(_ request: AdminRequest) throws(Failure) -> (status: Int, body: [UInt8]) {
        let chunk = Chunk(capacity: 4096 + request.body.count)
        chunk.append(Array(head(of: request).utf8))
        chunk.append(request.body)
        var reason = "the name \(origin.host) has no address"
        for address in BlockingConnection.addresses(ofHost: origin.host, port: origin.port) {
            let connection: BlockingConnection
            do throws(KernelError) {
                connection = try BlockingConnection(address, timeoutMilliseconds: timeoutMilliseconds)
            } catch {
                reason = error.text
                continue
            }
            do throws(KernelError) {
                do throws(KernelError) {
                    try connection.send(chunk)
                } catch {
                    // A request that is refused before it is whole has an answer all the same.
                    guard let refusal = try? answer(from: connection) else { throw error }
                    return refusal
                }
                return try answer(from: connection)
            } catch {
                // Perhaps it was done, so that nobody else is asked to.
                throw Failure(message: "the gateway has not answered: \(error.text)")
            }
        }
        throw Failure(message: "the gateway cannot be asked: \(reason)")
    }

    private func head(of request: AdminRequest) -> String {
        var target = "/admin"
        for segment in request.path { target += "/" + PathSegment.encode(segment) }
        let query = request.parameters.map { PathSegment.encode($0.name) + "=" + PathSegment.encode($0.value) }
        if !query.isEmpty { target += "?" + query.joined(separator: "&") }
        var head =
            "\(request.method.text) \(target) HTTP/1.1\r\nHost: \(origin.urlHost):\(origin.port)\r\nConnection: close\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        head += "Content-Length: \(request.body.count)\r\n"
        head += "Content-Type: \(request.contentType ?? "application/json")\r\n"
        if let condition = request.condition { head += "If-Match: \(condition)\r\n" }
        return head + "\r\n"
    }

    /// The gateway closes behind its answer, which has a length.
    private func answer(from connection: borrowing BlockingConnection) throws(KernelError) -> (Int, [UInt8]) {
        let chunk = Chunk(capacity: 65_536)
        while chunk.count < AdminClient.maximumAnswerBytes {
            chunk.ensureFree(65_536)
            if try connection.receive(into: chunk) == 0 { break }
        }
        var parser = ResponseParser(limits: HTTPLimits())
        let table = HeaderTable()
        let bytes = chunk.readable
        guard case .head(let head) = parser.parse(bytes, into: table, requestMethod: .get) else {
            throw KernelError(EPROTO)
        }
        var body: [UInt8] = []
        for i in head.length..<bytes.count { body.append(bytes[i]) }
        guard head.declaredLength.map({ $0 == body.count }) ?? body.isEmpty else { throw KernelError(EPROTO) }
        return (head.status, body)
    }
}

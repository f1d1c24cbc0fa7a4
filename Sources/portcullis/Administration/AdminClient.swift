import Bytes
import Gateway
import Glibc
import HTTP
import Model
import Reactor

/// A client of the admin listener of a running gateway, with one connection for each request.
struct AdminClient: Sendable {
    /// The field of answers to a reload that names keys whose values wait for the next start.
    static let restartField = "X-Gateway-Restart"

    struct Failure: Error {
        let message: String
    }

    private let origin: WebOrigin
    /// Nil for resources that need none.
    private let token: String?
    private let timeoutMilliseconds: Int32

    /// Longer than the longest operation of the gateway.
    static let longestMilliseconds: Int32 = 610_000
    private static let maximumAnswerBytes = 64 << 20

    /// - Parameter url: such as `http://127.0.0.1:9901`. The admin listener speaks no TLS.
    init(
        url: String, token: String?, timeoutMilliseconds: Int32 = AdminClient.longestMilliseconds
    ) throws(Failure) {
        let wrong = Failure(message: "--admin must be like http://127.0.0.1:9901")
        guard let url = try? WebURL(url), !url.isSecure, url.target == "/" else { throw wrong }
        origin = url.origin
        // The token is sent in a header field.
        if let token, token.isEmpty || !token.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) {
            throw Failure(message: "the admin token must consist of visible ASCII characters without blanks")
        }
        self.token = token
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    struct Answer {
        let status: Int
        let body: [UInt8]
        /// Which gateways apply the change; nil if it does not say.
        var reach: Reach?
        /// The changed keys whose values wait for the next start, separated by commas; nil without any.
        var unapplied: String?
    }

    /// Sends a request and returns the response.
    func send(_ request: AdminRequest) throws(Failure) -> Answer {
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
                    // The gateway may refuse a request before it has received all of it.
                    guard let refusal = try? answer(from: connection) else { throw error }
                    return refusal
                }
                return try answer(from: connection)
            } catch {
                // The request may have been performed, so that no other address is tried.
                throw Failure(message: "the gateway has not answered: \(error.text)")
            }
        }
        throw Failure(message: "the gateway cannot be reached: \(reason)")
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

    /// The gateway closes the connection after its response, which has a length.
    private func answer(from connection: borrowing BlockingConnection) throws(KernelError) -> Answer {
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
        return Answer(
            status: head.status, body: body,
            reach: AdminClient.value(of: Reach.field, table, bytes).flatMap(Reach.init),
            unapplied: AdminClient.value(of: AdminClient.restartField, table, bytes))
    }

    private static func value(of name: String, _ table: HeaderTable, _ bytes: Span<UInt8>) -> String? {
        func text(_ range: ByteRange) -> String {
            String(decoding: [UInt8](copying: bytes.slice(range)), as: UTF8.self)
        }
        for index in 0..<table.count where text(table[index].name).lowercased() == name.lowercased() {
            return text(table[index].value)
        }
        return nil
    }
}

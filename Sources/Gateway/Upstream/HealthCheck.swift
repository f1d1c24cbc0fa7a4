import Bytes
import HTTP
import Reactor

/// An active check in progress: its own connection, a request, the head of the answer. Objects are reused.
final class HealthCheck: SlabElement {
    let index: Int
    var nextVacant: HealthCheck?
    var generation: UInt32 = 0
    var socket: Socket?
    /// The HTTP/2 connection, if the server speaks it.
    var link: H2Link?
    var group: UpstreamGroup?
    var server: UpstreamServer?
    var parser = ResponseParser(limits: UpstreamConnection.headLimits)
    /// Whether the request was sent.
    var isAsked = false

    init(index: Int) { self.index = index }

    func reset() {
        generation &+= 1
        socket = nil
        link = nil
        group = nil
        server = nil
        parser.reset()
        isAsked = false
    }

    /// Writes the request. The answer's body is ignored, and the connection is not reused.
    static func appendRequest(path: [UInt8], authority: [UInt8], to chunk: Chunk) {
        chunk.ensureFree(path.count + authority.count + 128)
        chunk.append("GET ")
        chunk.append(path)
        chunk.append(" HTTP/1.1\r\nHost: ")
        chunk.append(authority)
        chunk.append("\r\n")
        chunk.append(fields)
        chunk.append("Connection: close\r\n\r\n")
    }

    /// The field lines of every check.
    static let fields = Array("User-Agent: portcullis-health-check\r\nAccept: */*\r\n".utf8)
}

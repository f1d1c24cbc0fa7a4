import Bytes
import HTTP
import Model
import Outbound

/// Serialises an outbound call.
struct CallRequest {
    let bytes: [UInt8]
    let method: Method

    /// Fields written by this type, or that affect message framing.
    private static let ownFields: Set<String> = [
        "host", "user-agent", "accept-encoding", "connection", "content-length", "transfer-encoding", "te", "trailer",
        "upgrade", "expect", "keep-alive", "proxy-connection",
    ]

    /// Nil if the method or a field is invalid in HTTP: values may come from a token.
    ///
    /// - Parameter keepsAlive: whether the connection will be reused.
    init?(_ call: OutboundCall, keepsAlive: Bool) {
        let name = Array(call.method.utf8)
        method = Method(name.span)
        guard FieldSyntax.isToken(name.span), method != .connect else { return nil }
        let chunk = Chunk(capacity: 1024 + call.body.count)
        chunk.ensureFree(name.count + call.url.target.utf8.count + call.url.authority.utf8.count + 256)
        chunk.append(name)
        chunk.append(ASCII.space)
        chunk.append(Array(call.url.target.utf8))
        chunk.append(" HTTP/1.1\r\nHost: ")
        chunk.append(Array(call.url.authority.utf8))
        // Decompression is not supported.
        chunk.append("\r\nUser-Agent: portcullis\r\nAccept-Encoding: identity\r\n")
        for (name, value) in call.headers {
            guard !CallRequest.ownFields.contains(name.lowercased()),
                HeadWriter.appendUntrusted(Array(name.utf8).span, Array(value.utf8).span, to: chunk)
            else { return nil }
        }
        // RFC 9110 section 8.6: methods that define content always send a length, even 0.
        if !call.body.isEmpty || [.post, .put, .patch].contains(method) {
            HeadWriter.appendField("Content-Length", decimal: call.body.count, to: chunk)
        }
        if !keepsAlive { HeadWriter.appendField("Connection", "close", to: chunk) }
        HeadWriter.appendEnd(to: chunk)
        chunk.ensureFree(call.body.count)
        chunk.append(call.body)
        var bytes: [UInt8] = []
        bytes.append(copying: chunk.readable)
        self.bytes = bytes
    }
}

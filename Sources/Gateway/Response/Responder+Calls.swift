import Bytes
import HTTP
import Identity
import Model

/// Refusals of gRPC calls.
extension Responder {
    static let contentType = Array("content-type".utf8)

    /// Refuses a gRPC call in the form that its clients read: 200 with `grpc-status` in a head that ends the response
    /// ("Trailers-Only" of gRPC over HTTP/2). Logs and metrics have the status that other requests get.
    func refuseCall(_ exchange: Exchange, status: Int, _ detail: String) {
        let message = FieldValue.encode(detail)
        let chunk = beginReply(exchange, status: status, bodyLength: message.count)
        exchange.response.isOfCall = true
        HeadWriter.appendStatusLine(200, to: chunk)
        chunk.append("Content-Type: application/grpc\r\nCache-Control: no-store\r\n")
        HeadWriter.appendField("grpc-status", decimal: Responder.callStatus(status), to: chunk)
        HeadWriter.appendField("grpc-message", message.span, to: chunk)
        let nothing: [UInt8] = []
        endReply(exchange, chunk, nothing.span)
    }

    /// Whether a request is a gRPC call, on a listener for clients.
    ///
    /// - Parameter field: the value of `Content-Type`, which a blank may precede.
    static func isCall(_ field: Span<UInt8>, _ exchange: Exchange) -> Bool {
        let type = field.isEmpty || field[0] != ASCII.space ? field : field.extracting(droppingFirst: 1)
        let name = callType.count
        // A call is a POST over HTTP/2. Others could get 200 in place of a refusal, which proxies take for a permission.
        guard exchange.stream != nil, exchange.head.method == .post, exchange.client?.role == .proxy,
            exchange.endpoint == nil, type.count >= name,
            bytesEqualIgnoringCase(type.extracting(0..<name), callType.span)
        else { return false }
        return type.count == name || type[name] == UInt8(ascii: "+") || type[name] == UInt8(ascii: ";")
    }

    private static let callType = Array("application/grpc".utf8)

    /// The code of a call for a status (gRPC, "HTTP to gRPC Status Code Mapping").
    private static func callStatus(_ status: Int) -> Int {
        switch status {
        case 400: 13
        case 401: 16
        case 403: 7
        case 404: 12
        case 429, 502, 503, 504: 14
        default: 2
        }
    }
}

import Bytes
import HTTP

/// What a client's end has for the rest of the worker.
enum ClientEvent {
    /// A request head was parsed into `requestHeaders`; it stands in the buffer, which holds its bytes.
    case request(Exchange, Chunk)
    /// The peer has sent something that is no request, or too much of it. The exchange is for the answer alone.
    case malformed(Exchange, HTTPParseError)
    /// A head did not come to its end in time. The exchange is for the answer alone.
    case slowHead(Exchange)
    /// Bytes of the request's body have come, or its end.
    case body(Exchange)
    /// The client has taken what waited for it of the response.
    case room(Exchange)
    /// The exchange has not gone on in time.
    case timedOut(Exchange)
}

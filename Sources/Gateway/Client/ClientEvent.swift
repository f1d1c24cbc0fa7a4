import Bytes
import HTTP

/// Events of a client connection for the rest of the worker.
enum ClientEvent {
    /// A request head was parsed into `requestHeaders`; the buffer holds its bytes.
    case request(Exchange, Chunk)
    /// The input is not a valid request, or exceeds a limit. The exchange serves to answer it.
    case malformed(Exchange, HTTPParseError)
    /// A request head was not completed in time. The exchange serves to answer it.
    case slowHead(Exchange)
    /// Bytes or the end of the request's body arrived.
    case body(Exchange)
    /// The client has taken the pending part of the response.
    case room(Exchange)
    /// The exchange made no progress in time.
    case timedOut(Exchange)
}

import Bytes

/// Trailer fields that stood in `trailerLines` behind a piece of a body, kept for the frame behind all of it.
extension Worker {
    /// The sender of a body has said its last byte, and its trailer fields where it is a stream. Answers false where the
    /// body was cut off.
    func end(_ body: inout BodyRelay, received: Chunk?, into output: Chunk) -> Bool {
        guard let received else { return body.end(into: output) }
        return body.end(into: output, received: received.readable, trailers: trailerLines)
    }

    func keepRequestTrailers(_ exchange: Exchange) {
        let lines = trailerLines
        exchange.requestTrailers.append(copying: lines.readable)
        lines.reset()
    }

    func keepResponseTrailers(_ exchange: Exchange) {
        let lines = trailerLines
        exchange.responseTrailers.append(copying: lines.readable)
        lines.reset()
    }
}

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
        exchange.requestTrailers = exchange.requestTrailers + takeTrailerLines()
    }

    func keepResponseTrailers(_ exchange: Exchange) {
        exchange.responseTrailers = exchange.responseTrailers + takeTrailerLines()
    }

    private func takeTrailerLines() -> [UInt8] {
        let lines = trailerLines
        defer { lines.reset() }
        return [UInt8](copying: lines.readable)
    }
}

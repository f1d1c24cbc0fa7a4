import Bytes

extension PolicySnapshot {
    /// The CORS lines of a reply whose request head is gone: a forwarded response (CORS-07).
    ///
    /// - Parameter origin: the value of `Origin` of an allowed cross-site request; empty for any other request.
    package func appendCORSFields(to chunk: Chunk, origin: Span<UInt8>, status: Int) {
        cors.appendFields(to: chunk, origin: origin, status: status)
    }
}

extension CORSPolicy {
    func appendFields(to chunk: Chunk, origin: Span<UInt8>, status: Int) {
        if origin.isEmpty {
            chunk.ensureFree(16)
            chunk.append("Vary: Origin\r\n")
            return
        }
        let tail = status == 401 ? afterOriginOfChallenge.span : afterOrigin.span
        chunk.ensureFree(64 + origin.count + tail.count)
        chunk.append("Vary: Origin\r\nAccess-Control-Allow-Origin: ")
        chunk.append(origin)
        chunk.append(tail)
    }
}

import Bytes
import Model

extension H2Session {
    /// Whether `produce` has something to write. Bodies that wait for the peer's window do not count.
    package var wantsToSend: Bool {
        if failure != nil { return owesGoAway || spill != nil }
        return spill != nil || callbacks.wantsWrite
    }

    /// Appends frames to the chunk, which does not grow, up to `limit` bytes.
    ///
    /// - Returns: false if the connection has failed; the appended frames must be sent nevertheless.
    package func produce(into chunk: Chunk, upTo limit: Int) -> Bool {
        output = chunk
        outputEnd = min(limit, chunk.count &+ chunk.free)
        defer { output = nil }
        takeSpill(chunk)
        if failure == nil {
            let goesOn = callbacks.produce({ outputEnd &- chunk.count }, { write($0, to: chunk) })
            if !goesOn { fail(cause ?? .internalError) }
            if let sentFailure {
                fail(sentFailure)
                owesGoAway = false
            }
        }
        if owesGoAway { writeGoAway(chunk) }
        return failure == nil
    }

    private func takeSpill(_ chunk: Chunk) {
        guard let rest = spill else { return }
        let count = min(rest.count, outputEnd &- chunk.count)
        if count > 0 {
            chunk.append(rest.readable.extracting(0..<count))
            rest.consume(count)
        }
        guard rest.isEmpty else { return }
        chunks.give(rest)
        spill = nil
    }

    private func write(_ bytes: Span<UInt8>, to chunk: Chunk) {
        let count = min(bytes.count, outputEnd &- chunk.count)
        chunk.append(bytes.extracting(0..<count))
        guard count < bytes.count else { return }
        let rest = spill ?? chunks.take()
        rest.append(bytes.extracting(count..<bytes.count))
        spill = rest
    }

    /// Writes a GOAWAY with the reason (RFC 9113 section 6.8) without the library, which was interrupted by the
    /// failure.
    private func writeGoAway(_ chunk: Chunk) {
        guard let failure, outputEnd &- chunk.count >= 17, spill == nil else { return }
        chunk.append([0, 0, 8, H2FrameType.goAway.rawValue, 0, 0, 0, 0, 0])
        append(UInt32(bitPattern: callbacks.lastStream), to: chunk)
        append(failure.code, to: chunk)
        owesGoAway = false
    }

    private func append(_ number: UInt32, to chunk: Chunk) {
        for shift in [24, 16, 8, 0] as [UInt32] { chunk.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Sends a response head.
    ///
    /// - Parameters:
    ///   - fields: HTTP/1 field lines; names are converted to lower case, connection-specific fields dropped.
    ///   - ended: whether there is no body.
    /// - Returns: false if a line is invalid; the stream is then reset.
    @discardableResult
    package func respond(_ stream: H2Stream, status: Int, fields: Span<UInt8>, ended: Bool) -> Bool {
        guard canSend(stream), !stream.marks.contains(.hasAnswered) else { return true }
        var vector = H2FieldVector(fields, pseudoBytes: 3, chunks: chunks)
        append(status, to: &vector)
        guard vector.appendBlock(fields.count, for: .response), callbacks.respond(stream, vector, ended: ended) else {
            reset(stream, code: H2Code.internalError)
            return false
        }
        stream.marks.insert(ended ? [.hasAnswered, .isFinishing] : .hasAnswered)
        return true
    }

    /// Sends an interim response (1xx except 101).
    @discardableResult
    package func interim(_ stream: H2Stream, status: Int, fields: Span<UInt8>) -> Bool {
        guard canSend(stream), !stream.marks.contains(.hasAnswered) else { return true }
        var vector = H2FieldVector(fields, pseudoBytes: 3, chunks: chunks)
        append(status, to: &vector)
        guard vector.appendBlock(fields.count, for: .response) else { return false }
        return callbacks.interim(stream, vector)
    }

    private func append(_ status: Int, to vector: inout H2FieldVector) {
        precondition(status >= 100 && status < 600)
        let digits: InlineArray<3, UInt8> = [
            UInt8(48 &+ status / 100), UInt8(48 &+ status / 10 % 10), UInt8(48 &+ status % 10),
        ]
        vector.append(":status", digits.span)
    }

    /// The peer's limit of concurrent streams; practically unlimited before its SETTINGS.
    package var peerStreams: Int { callbacks.peerStreams }

    /// Whether a request may be sent now: the peer's limit is not reached and no GOAWAY was received.
    package var mayOpen: Bool {
        !isServer && failure == nil && !peerSentGoAway && callbacks.requestAllowed
            && activeStreams < callbacks.peerStreams
    }

    /// Whether the peer accepts requests with `protocol` (RFC 8441).
    package var mayTunnel: Bool { !isServer && failure == nil && callbacks.peerTakesExtendedConnect }

    /// Opens a stream with a request.
    ///
    /// - Parameters:
    ///   - fields: HTTP/1 field lines; names are converted to lower case, `Host` and connection-specific fields
    ///     dropped.
    ///   - ended: whether there is no body.
    ///   - protocol: the protocol of an extended CONNECT.
    /// - Returns: nil if no stream may be opened or a line is invalid.
    package func request(
        method: Span<UInt8>, scheme: Span<UInt8>, authority: Span<UInt8>, path: Span<UInt8>, fields: Span<UInt8>,
        ended: Bool, protocol: Span<UInt8>? = nil
    ) -> H2Stream? {
        guard mayOpen else { return nil }
        let pseudoBytes = method.count &+ scheme.count &+ authority.count &+ path.count &+ (`protocol`?.count ?? 0)
        var vector = H2FieldVector(fields, pseudoBytes: pseudoBytes, chunks: chunks)
        vector.append(":method", method)
        if let `protocol` { vector.append(":protocol", `protocol`) }
        vector.append(":scheme", scheme)
        vector.append(":authority", authority)
        vector.append(":path", path)
        guard vector.appendBlock(fields.count, for: .request) else { return nil }
        let stream = makeStream()
        stream.marks.insert(ended ? [.isReported, .hasAnswered, .isFinishing] : [.isReported, .hasAnswered])
        guard let id = callbacks.request(stream, vector, ended: ended) else {
            discard(stream)
            return nil
        }
        stream.number = id
        return stream
    }

    /// Sends a piece of a body. The session takes over the chunk and returns it to the pool once it is framed.
    package func send(_ stream: H2Stream, _ chunk: Chunk) {
        guard canSend(stream), !stream.marks.contains(.isFinishing), !chunk.isEmpty else {
            chunks.give(chunk)
            return
        }
        stream.outbox.append(chunk)
        if stream.outbox.byteCount >= limits.lowWater { stream.marks.insert(.isAboveLowWater) }
        wake(stream)
    }

    /// Requests `drained` once some of the body was framed and less than `lowWater` is left. By default it is only
    /// reported if more than that was pending.
    package func notifyOfRoom(_ stream: H2Stream) {
        if stream.pendingBytes > 0 { stream.marks.insert(.isAboveLowWater) }
    }

    /// Ends the outgoing message.
    ///
    /// - Parameter trailers: field lines, or empty. For an invalid line the stream is reset.
    package func finish(_ stream: H2Stream, trailers: Span<UInt8>) {
        guard canSend(stream), !stream.marks.contains(.isFinishing) else { return }
        stream.marks.insert(.isFinishing)
        if !trailers.isEmpty {
            let kept = chunks.take()
            kept.append(trailers)
            stream.lastFields = kept
        }
        wake(stream)
    }

    private func canSend(_ stream: H2Stream) -> Bool {
        stream.marks.isDisjoint(with: [.isClosed, .endsByUs, .breaksOff]) && failure == nil
    }

    private func wake(_ stream: H2Stream) {
        guard stream.marks.contains(.isDeferred) else { return }
        stream.marks.remove(.isDeferred)
        callbacks.resume(stream)
    }

    /// The next part of a body for the library to frame, limited by the room in `output`.
    func nextBody(of stream: H2Stream, limit: Int) -> H2BodyPiece {
        guard let output else { return .later }
        let room = outputEnd &- output.count &- 9
        let pending = stream.outbox.byteCount
        if pending == 0, !stream.marks.contains(.isFinishing) || stream.marks.contains(.endsByUs) {
            stream.marks.insert(.isDeferred)
            return .nothing
        }
        // Avoids a tiny frame at the end of a chunk.
        guard room >= min(pending, 256) || (output.isEmpty && room > 0) else { return .later }
        let count = min(limit, room, pending)
        guard stream.marks.contains(.isFinishing), count == pending else { return .piece(count, .open) }
        return .piece(count, sendTrailers(stream) ? .trailers : .end)
    }

    /// Submits pending trailers to the library.
    private func sendTrailers(_ stream: H2Stream) -> Bool {
        guard let kept = stream.lastFields else { return false }
        stream.lastFields = nil
        defer { chunks.give(kept) }
        let lines = kept.readable
        var vector = H2FieldVector(lines, pseudoBytes: 0, chunks: chunks)
        guard vector.appendBlock(lines.count, for: .trailers) else {
            reset(stream, code: H2Code.internalError)
            return false
        }
        return vector.count > 0 && callbacks.trailers(stream, vector)
    }

    /// Writes a frame header and moves a piece of body behind it.
    func frameBody(of stream: H2Stream, header: Span<UInt8>, count: Int) {
        guard let output else { return }
        output.append(header)
        stream.outbox.move(count, to: output, pool: chunks)
        framed &+= count
        floods.earned(byStream: false)
        guard stream.marks.contains(.isAboveLowWater), stream.outbox.byteCount < limits.lowWater else { return }
        stream.marks.remove(.isAboveLowWater)
        post(.drained, stream)
    }

    /// Handles a frame that was written.
    func frameSent(_ header: H2FrameHeader, _ stream: H2Stream?) -> Bool {
        switch header.type {
        case .headers, .data:
            guard let stream else { return true }
            if header.type == .headers { stream.marks.insert(.isSent) }
            if header.endsStream {
                endFramed(stream)
            } else if stream.marks.contains(.breaksOff), stream.pendingBytes == 0 {
                reset(stream, code: H2Code.internalError)
            }
        case .reset:
            cause = resetSent(stream, code: header.code)
        case .goAway:
            if header.code != H2Code.noError { sentFailure = H2Failure(code: header.code) }
            guard announcement == .queued else { break }
            // Only now, since the library lets a PING overtake a queued GOAWAY.
            announcement = .sent
            callbacks.sendPing()
        default: break
        }
        return cause == nil
    }

    /// Handles a frame that the library could not write, such as a head above its limit: a response is then reset as an
    /// internal error. The library closes unsent requests itself.
    func frameNotSent(_ header: H2FrameHeader, _ stream: H2Stream) {
        guard isServer, header.type == .headers, !stream.isClosed, !stream.marks.contains(.endsByUs) else { return }
        reset(stream, code: H2Code.internalError)
        stream.errorCode = H2Code.internalError
        post(.reset, stream)
    }

    private func endFramed(_ stream: H2Stream) {
        stream.marks.insert(.endSent)
        guard isServer, !stream.ended else { return }
        // The response is complete, and the rest of the request is not needed (RFC 9113 section 8.1).
        stream.marks.insert(.endsByUs)
        stream.inbox.removeAll(pool: chunks)
        callbacks.reset(stream.id, code: H2Code.noError)
    }

    /// Counts the resets that the peer has provoked (CVE-2025-8671).
    private func resetSent(_ stream: H2Stream?, code: UInt32) -> H2Failure? {
        guard isServer, !(stream?.marks.contains(.endsByUs) ?? false) else { return nil }
        // The peer may not know the limit of streams yet, so that excess streams are tolerated within a budget.
        if code == H2Code.refusedStream { return floods.emptyMessage(now: receivedAt) }
        return floods.provokedReset(now: receivedAt)
    }
}

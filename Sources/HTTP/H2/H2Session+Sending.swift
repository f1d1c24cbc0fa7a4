import Bytes

extension H2Session {
    /// There is something for `produce`. Bodies that wait for the peer's window do not count.
    package var wantsToSend: Bool {
        if failure != nil { return owesFarewell || spill != nil }
        return spill != nil || callbacks.wantsWrite
    }

    /// Appends frames to the chunk until it holds `limit` bytes or is full; it does not grow.
    ///
    /// - Returns: false when the connection has failed; what was appended is sent all the same.
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
                owesFarewell = false
            }
        }
        if owesFarewell { sayFarewell(chunk) }
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

    /// GOAWAY with the reason (RFC 9113 section 6.8), by hand: the library has been left in the middle of its work.
    private func sayFarewell(_ chunk: Chunk) {
        guard let failure, outputEnd &- chunk.count >= 17, spill == nil else { return }
        chunk.append([0, 0, 8, H2FrameType.goAway.rawValue, 0, 0, 0, 0, 0])
        append(UInt32(bitPattern: callbacks.lastStream), to: chunk)
        append(failure.code, to: chunk)
        owesFarewell = false
    }

    private func append(_ number: UInt32, to chunk: Chunk) {
        for shift in [24, 16, 8, 0] as [UInt32] { chunk.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - fields: HTTP/1 field lines; names are put in lower case, those of the connection left out.
    ///   - ended: there is no body.
    /// - Returns: false where a line is not valid; the stream is reset then.
    @discardableResult
    package func respond(_ stream: H2Stream, status: Int, fields: Span<UInt8>, ended: Bool) -> Bool {
        guard canSend(stream), !stream.marks.contains(.hasAnswered) else { return true }
        var vector = H2Callbacks.FieldVector(fields, pseudoBytes: 3, chunks: chunks)
        append(status, to: &vector)
        guard vector.appendBlock(fields.count, for: .response), callbacks.respond(stream, vector, ended: ended) else {
            reset(stream, code: H2Code.internalError)
            return false
        }
        stream.marks.insert(ended ? [.hasAnswered, .isFinishing] : .hasAnswered)
        return true
    }

    /// Sends an interim response, status 100 to 199 but 101, ahead of the final one.
    @discardableResult
    package func interim(_ stream: H2Stream, status: Int, fields: Span<UInt8>) -> Bool {
        guard canSend(stream), !stream.marks.contains(.hasAnswered) else { return true }
        var vector = H2Callbacks.FieldVector(fields, pseudoBytes: 3, chunks: chunks)
        append(status, to: &vector)
        guard vector.appendBlock(fields.count, for: .response) else { return false }
        return callbacks.interim(stream, vector)
    }

    private func append(_ status: Int, to vector: inout H2Callbacks.FieldVector) {
        precondition(status >= 100 && status < 600)
        let digits: InlineArray<3, UInt8> = [
            UInt8(48 &+ status / 100), UInt8(48 &+ status / 10 % 10), UInt8(48 &+ status % 10),
        ]
        vector.append(":status", digits.span)
    }

    /// How many streams the peer lets us open at a time; very many until its SETTINGS have come.
    package var peerStreams: Int { callbacks.peerStreams }

    /// Whether a request may be opened now: streams are left of those the peer allows, and no GOAWAY has come.
    package var mayOpen: Bool {
        !isServer && failure == nil && !peerIsLeaving && callbacks.requestAllowed
            && activeStreams < callbacks.peerStreams
    }

    /// Whether the peer takes requests with `protocol` (RFC 8441).
    package var mayTunnel: Bool { !isServer && failure == nil && callbacks.peerTakesExtendedConnect }

    /// Opens a stream with a request.
    ///
    /// - Parameters:
    ///   - fields: HTTP/1 field lines; names are put in lower case, `Host` and those of the connection left out.
    ///   - ended: there is no body.
    ///   - protocol: of an extended CONNECT.
    /// - Returns: nil when no stream may be opened, or where a line is not valid.
    package func request(
        method: Span<UInt8>, scheme: Span<UInt8>, authority: Span<UInt8>, path: Span<UInt8>, fields: Span<UInt8>,
        ended: Bool, protocol: Span<UInt8>? = nil
    ) -> H2Stream? {
        guard mayOpen else { return nil }
        let pseudoBytes = method.count &+ scheme.count &+ authority.count &+ path.count &+ (`protocol`?.count ?? 0)
        var vector = H2Callbacks.FieldVector(fields, pseudoBytes: pseudoBytes, chunks: chunks)
        vector.append(":method", method)
        if let `protocol` { vector.append(":protocol", `protocol`) }
        vector.append(":scheme", scheme)
        vector.append(":authority", authority)
        vector.append(":path", path)
        guard vector.appendBlock(fields.count, for: .request) else { return nil }
        let stream = makeStream()
        stream.marks.insert(ended ? [.isAnnounced, .hasAnswered, .isFinishing] : [.isAnnounced, .hasAnswered])
        guard let id = callbacks.request(stream, vector, ended: ended) else {
            discard(stream)
            return nil
        }
        stream.number = id
        return stream
    }

    /// Sends a piece of body. The chunk is the session's from now on and goes back to the pool when it is framed.
    package func send(_ stream: H2Stream, _ chunk: Chunk) {
        guard canSend(stream), !stream.marks.contains(.isFinishing), !chunk.isEmpty else {
            chunks.give(chunk)
            return
        }
        stream.outbox.append(chunk)
        if stream.outbox.byteCount >= limits.lowWater { stream.marks.insert(.isAboveLowWater) }
        wake(stream)
    }

    /// Has `drained` told of as soon as something of the body was framed and less than `lowWater` is left, however little
    /// waits now. Without being asked it is told of only where as much as that has waited.
    package func tellOfRoom(_ stream: H2Stream) {
        if stream.pendingBytes > 0 { stream.marks.insert(.isAboveLowWater) }
    }

    /// Ends our message.
    ///
    /// - Parameter trailers: field lines, or nothing. Where one is not valid, the stream is reset.
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
        stream.marks.isDisjoint(with: [.isClosed, .endsByUs]) && failure == nil
    }

    private func wake(_ stream: H2Stream) {
        guard stream.marks.contains(.isDeferred) else { return }
        stream.marks.remove(.isDeferred)
        callbacks.resume(stream)
    }

    /// What of a body the library is to frame next, as far as there is room for it in `output`.
    func nextBody(of stream: H2Stream, limit: Int) -> H2BodyPiece {
        guard let output else { return .later }
        let room = outputEnd &- output.count &- 9
        let pending = stream.outbox.byteCount
        if pending == 0, !stream.marks.contains(.isFinishing) || stream.marks.contains(.endsByUs) {
            stream.marks.insert(.isDeferred)
            return .nothing
        }
        // A frame of a few bytes at the end of a chunk is not worth its header.
        guard room >= min(pending, 256) || (output.isEmpty && room > 0) else { return .later }
        let count = min(limit, room, pending)
        guard stream.marks.contains(.isFinishing), count == pending else { return .piece(count, .open) }
        return .piece(count, sendTrailers(stream) ? .trailers : .end)
    }

    /// Hands the trailers to the library, if there are any.
    private func sendTrailers(_ stream: H2Stream) -> Bool {
        guard let kept = stream.lastFields else { return false }
        stream.lastFields = nil
        defer { chunks.give(kept) }
        let lines = kept.readable
        var vector = H2Callbacks.FieldVector(lines, pseudoBytes: 0, chunks: chunks)
        guard vector.appendBlock(lines.count, for: .trailers) else {
            reset(stream, code: H2Code.internalError)
            return false
        }
        return vector.count > 0 && callbacks.trailers(stream, vector)
    }

    /// Moves a piece of body behind its frame header.
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

    /// A frame has been written.
    func frameSent(_ header: H2FrameHeader, _ stream: H2Stream?) -> Bool {
        switch header.type {
        case .headers, .data:
            guard let stream else { return true }
            if header.type == .headers { stream.marks.insert(.isSent) }
            if header.endsStream { endFramed(stream) }
        case .reset:
            cause = resetSent(stream, code: header.code)
        case .goAway:
            if header.code != H2Code.noError { sentFailure = H2Failure(code: header.code) }
            guard announcement == .queued else { break }
            // Not before: the library lets a PING overtake a GOAWAY that waits.
            announcement = .sent
            callbacks.ping()
        default: break
        }
        return cause == nil
    }

    /// The library could not write a frame, such as a head that is larger than it takes: a response that never comes is
    /// an error of ours. Requests that are not sent the library closes itself.
    func frameNotSent(_ header: H2FrameHeader, _ stream: H2Stream) {
        guard isServer, header.type == .headers, !stream.isClosed, !stream.marks.contains(.endsByUs) else { return }
        reset(stream, code: H2Code.internalError)
        stream.errorCode = H2Code.internalError
        post(.reset, stream)
    }

    private func endFramed(_ stream: H2Stream) {
        stream.marks.insert(.endSent)
        guard isServer, !stream.ended else { return }
        // The response is whole and the rest of the request is of no use (RFC 9113 section 8.1).
        stream.marks.insert(.endsByUs)
        stream.inbox.removeAll(pool: chunks)
        callbacks.reset(stream.id, code: H2Code.noError)
    }

    /// Counts the resets that the peer has provoked (CVE-2025-8671).
    private func resetSent(_ stream: H2Stream?, code: UInt32) -> H2Failure? {
        guard isServer, !(stream?.marks.contains(.endsByUs) ?? false) else { return nil }
        // Streams beyond the limit that it has not yet heard of are no fault of the peer, up to a point.
        if code == H2Code.refusedStream { return floods.emptyMessage(now: now) }
        return floods.provokedReset(now: now)
    }
}

import Bytes
import Model

/// Handlers of the library's callbacks. Those with a Bool return false to fail the connection, with `cause`.
extension H2Session {
    /// Handles the header of a frame before its payload.
    func frameBegan(_ header: H2FrameHeader, _ stream: H2Stream?) -> Bool {
        // A client that resets its requests causes useless work, and so may a reset of a stream that is gone.
        let isReset = isServer && !(stream?.endSent ?? false)
        frameHasBody = false
        cause = floods.frame(header, isReset: isReset, now: receivedAt)
        return cause == nil
    }

    /// Handles the start of a HEADERS frame, which opens a stream that the server does not know.
    func blockBegan(_ id: Int32, _ known: H2Stream?) {
        if let known {
            guard known.marks.contains(.hasHead) else {
                return fieldBlock.begin(.head, known, into: known.head, chunks)
            }
            let trailers = known.trailers ?? chunks.take()
            known.receivedTrailers = trailers
            return fieldBlock.begin(.trailers, known, into: trailers, chunks)
        }
        guard isServer else { return fieldBlock.abandon(chunks) }
        let stream = makeStream()
        stream.number = id
        callbacks.adopt(stream)
        floods.earned(byStream: true)
        fieldBlock.begin(.head, stream, into: stream.head, chunks)
    }

    /// Returns false to fail the connection, with `cause`.
    func fieldReceived(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        guard fieldBlock.withinLimits(name, value, limits.head) else {
            cause = .blockTooLarge
            return false
        }
        fieldBlock.add(name, value, limits.head, chunks)
        return true
    }

    /// Refuses a block with an invalid field (RFC 9113 section 8.2.1), which the library would skip.
    func fieldRefused() { fieldBlock.refuse(.malformedFieldValue) }

    /// Handles a complete frame that the library has accepted.
    func frameReceived(_ header: H2FrameHeader, _ stream: H2Stream?) -> Bool {
        switch header.type {
        case .headers:
            if let stream { cause = blockEnded(stream, endsStream: header.endsStream) }
        case .data:
            if header.endsStream {
                guard let stream else { break }
                stream.marks.insert(.ended)
                post(.ended, stream)
            } else if header.length > 0, !frameHasBody {
                // Frames with only padding count as empty (CVE-2019-9518).
                cause = floods.emptyMessage(now: receivedAt)
            }
        case .settings:
            if header.isAcknowledgement { settingsAcknowledged = true }
        case .ping:
            if header.isAcknowledgement, announcement == .sent { announcement = .acknowledged }
        case .goAway:
            peerSentGoAway = true
            announcesGoAway = true
        default: break
        }
        return cause == nil
    }

    private func blockEnded(_ stream: H2Stream, endsStream: Bool) -> H2Failure? {
        guard fieldBlock.stream === stream else { return nil }
        fieldBlock.end(chunks)
        defer { stream.chargeHeads(chunks) }
        let error = fieldBlock.error
        let kind = fieldBlock.kind
        fieldBlock.abandon(chunks)
        if kind == .trailers {
            guard error == nil else { return refuse(stream, code: H2Code.protocolError) }
            stream.marks.insert(.ended)
            post(.ended, stream)
            return nil
        }
        if !isServer, error == nil, isInterim(stream) {
            guard stream.interims.count < H2Stream.maximumInterims else {
                return refuse(stream, code: H2Code.enhanceYourCalm)
            }
            // The final head gets another chunk.
            var waiting = stream.interims
            stream.interims = []
            waiting.append(stream.head)
            stream.interims = waiting
            stream.receivedHead = Chunk(capacity: H2Stream.headCapacity)
            post(.interim, stream)
            return floods.emptyMessage(now: receivedAt)
        }
        stream.headError = error
        stream.marks.insert(endsStream ? [.hasHead, .ended, .endedWithHead] : .hasHead)
        post(.head, stream)
        // A refused head costs as much as a reset stream (CVE-2025-8671).
        return error == nil || !isServer ? nil : floods.provokedReset(now: receivedAt)
    }

    /// Resets a stream for an error of the peer, and reports it.
    private func refuse(_ stream: H2Stream, code: UInt32) -> H2Failure? {
        reset(stream, code: code)
        stream.errorCode = code
        post(.reset, stream)
        return isServer ? floods.provokedReset(now: receivedAt) : nil
    }

    private func isInterim(_ stream: H2Stream) -> Bool {
        let head = stream.head
        guard let line = StatusLine(digits: head.readable) else { return false }
        return line.status < 200
    }

    /// Handles a piece of a body.
    func bodyReceived(_ stream: H2Stream, _ bytes: Span<UInt8>) {
        frameHasBody = true
        if stream.marks.contains(.endsByUs) || failure != nil {
            callbacks.consume(stream.id, bytes.count)
            return
        }
        stream.owed &+= bytes.count
        stream.inbox.append(bytes, from: chunks)
        post(.body, stream)
    }

    /// Handles the end of a stream in the library.
    func streamClosed(_ stream: H2Stream, code: UInt32) {
        if fieldBlock.stream === stream { fieldBlock.abandon(chunks) }
        close(stream, code: code)
    }
}

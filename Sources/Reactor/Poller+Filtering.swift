import Bytes
import CLinux

/// Sockets with a filter, which transforms received and sent bytes.
extension Poller {
    /// Adds a filter to an accepted connection. Bytes in its inbox, after a PROXY header, are the filter's first input.
    /// `.secured` or `.failed` follows.
    package func secure(_ socket: Socket, with filter: any StreamFilter) {
        guard socket.descriptor >= 0, socket.failure == 0, socket.stream == nil else { return }
        let stream = FilteredStream(filter)
        releaseEmptyInbox(socket)
        stream.received = takeInbox(socket)
        socket.holdsMore = stream.received != nil
        socket.stream = stream
        start(socket, stream)
    }

    /// Connects with a filter; `.connected` and `.secured`, or `.failed`, follow.
    package func connect(to address: SocketAddress, filter: any StreamFilter) throws(KernelError) -> Socket {
        let socket = try connect(to: address)
        let stream = FilteredStream(filter)
        socket.stream = stream
        // Kept until the connection is established, and then sent in the same turn.
        start(socket, stream)
        return socket
    }

    private func start(_ socket: Socket, _ stream: FilteredStream) {
        let state = stream.filter.start(replying: wireBuffer)
        transmitWire(socket)
        enter(state, socket, stream)
        queueIfMore(socket, stream)
    }

    // MARK: Receiving

    func progress(_ socket: Socket, through stream: FilteredStream) -> Completion? {
        if let completion = report(socket, stream) { return completion }
        guard !socket.failureReported, !socket.sawEnd else { return nil }
        if socket.mayHaveMore, stream.state == .opening || stream.state == .open {
            if stream.isOpening, !opens {
                postponeOpening(socket)
            } else if !socket.readingPaused {
                pull(socket, stream)
                if let completion = report(socket, stream) { return completion }
            } else if socket.hangup, socket.failure == 0 {
                return .hungUp(socket)
            }
        } else if socket.readingPaused, stream.owesEnd {
            return .hungUp(socket)
        }
        return socket.failure != 0 ? fail(socket, socket.failure) : nil
    }

    /// The next unreported completion; reads are not reported while reading is paused.
    private func report(_ socket: Socket, _ stream: FilteredStream) -> Completion? {
        if stream.owesSecured {
            stream.owesSecured = false
            queueIfMore(socket, stream)
            return .secured(socket)
        }
        if stream.owesSent {
            stream.owesSent = false
            queueIfMore(socket, stream)
            return .sent(socket)
        }
        if socket.readingPaused { return nil }
        if stream.owesReceived {
            stream.owesReceived = false
            if socket.unread > 0 {
                queueIfMore(socket, stream)
                current = socket.index
                return .received(socket)
            }
        }
        if stream.owesEnd, socket.failure == 0 {
            stream.owesEnd = false
            socket.readable = false
            socket.holdsMore = false
            socket.sawEnd = true
            return .ended(socket)
        }
        return nil
    }

    private func queueIfMore(_ socket: Socket, _ stream: FilteredStream) {
        let owes = stream.owesSecured || stream.owesSent || stream.owesReceived || stream.owesEnd
        if owes || socket.mayHaveMore || socket.failure != 0 { queue(socket) }
    }

    /// Receives and filters, unless the filter has unprocessed input. Does nothing while the inbox is full, which slows
    /// the peer down.
    private func pull(_ socket: Socket, _ stream: FilteredStream) {
        if let unread = socket.received {
            if unread.free == 0 { unread.compact() }
            if unread.free == 0 { return }
        }
        if !socket.holdsMore {
            let n = receive(socket, for: stream)
            guard n > 0 else {
                releaseReceived(stream)
                stopped(socket, stream, n)
                return
            }
        }
        let received = stream.received ?? chunks.take()
        stream.received = received
        filter(received, socket, stream)
        releaseReceived(stream)
    }

    /// Appends received bytes to the filter's unprocessed input. Returns a count, 0 at the end, or -errno.
    private func receive(_ socket: Socket, for stream: FilteredStream) -> Int {
        var received = stream.received.take()
        received?.ensureFree(1)
        let n = receive(socket, into: &received)
        stream.received = received.take()
        return n
    }

    private func releaseReceived(_ stream: FilteredStream) {
        guard let received = stream.received, received.isEmpty || stream.state == .ended else { return }
        stream.received = nil
        chunks.give(received)
    }

    /// Handles a receive without bytes: the end, nothing yet, or an error.
    private func stopped(_ socket: Socket, _ stream: FilteredStream, _ result: Int) {
        socket.readable = false
        if result == 0 {
            if stream.isOpening { socket.failure = ECONNRESET } else { stream.owesEnd = true }
        } else if result != -Int(EAGAIN), socket.failure == 0 {
            socket.failure = Int32(-result)
        }
    }

    private func filter(_ received: Chunk, _ socket: Socket, _ stream: FilteredStream) {
        let plain = socket.received ?? chunks.take()
        socket.received = plain
        let unread = plain.count
        var state = stream.state
        var waits = true
        var moved = true
        // A filter may process one record at a time.
        while moved, waits, plain.free > 0, state == .opening || state == .open {
            let before = (received.count, plain.count)
            state = stream.filter.receive(received, into: plain, replying: wireBuffer)
            moved = before != (received.count, plain.count)
            waits = !received.isEmpty || stream.filter.hasMore
        }
        socket.holdsMore = waits && plain.free == 0
        if plain.count > unread { stream.owesReceived = true }
        releaseEmptyInbox(socket)
        transmitWire(socket)
        enter(state, socket, stream)
        if socket.readable { queue(socket) }
    }

    private func enter(_ state: StreamFilterState, _ socket: Socket, _ stream: FilteredStream) {
        let wasOpening = stream.isOpening
        guard stream.state != state else { return }
        stream.state = state
        if state == .failed {
            if socket.failure == 0 { socket.failure = EPROTO }
            socket.holdsMore = false
            return
        }
        if wasOpening {
            stream.owesSecured = true
            sendKept(socket, stream)
        }
        if state == .ended {
            stream.owesEnd = true
            // From now on treated like a hang-up of the peer.
            socket.hangup = true
            socket.holdsMore = false
        }
    }

    // MARK: Sending

    /// Sends through the filter and takes ownership of the chunks.
    func send(_ socket: Socket, through stream: FilteredStream, _ first: Chunk, _ second: Chunk?) {
        if stream.isOpening {
            keepPlain(first, socket, stream)
            if let second { keepPlain(second, socket, stream) }
            return
        }
        seal(first, socket, stream)
        if let second { seal(second, socket, stream) }
        transmitWire(socket)
    }

    /// Encrypts a chunk into the wire buffer.
    private func seal(_ plain: Chunk, _ socket: Socket, _ stream: FilteredStream) {
        if socket.failure == 0, !plain.isEmpty, stream.filter.send(plain, into: wireBuffer) == .failed {
            socket.failure = EPROTO
            queue(socket)
        }
        chunks.give(plain)
    }

    private func keepPlain(_ chunk: Chunk, _ socket: Socket, _ stream: FilteredStream) {
        socket.keptCount += chunk.count
        if chunk.isEmpty {
            chunks.give(chunk)
        } else if let last = stream.kept.last, !last.isHeld, last.free >= chunk.count {
            last.append(chunk.readable)
            chunk.consume(chunk.count)
            chunks.give(chunk)
        } else {
            stream.kept.append(chunk)
        }
    }

    private func sendKept(_ socket: Socket, _ stream: FilteredStream) {
        guard !stream.kept.isEmpty else { return }
        for chunk in stream.kept {
            seal(chunk, socket, stream)
            transmitWire(socket)
        }
        stream.kept = []
        socket.keptCount = 0
        // The owner has seen pending bytes, and no event of the kernel follows.
        if socket.outboxCount == 0, socket.failure == 0 { stream.owesSent = true }
    }

    /// Sends the wire buffer and keeps the rest in chunks of the pool. The wire buffer belongs to the loop, so that
    /// records that the kernel accepts at once need no memory of their own.
    private func transmitWire(_ socket: Socket) {
        if wireBuffer.isEmpty { return }
        if socket.outboxCount == 0, !socket.connecting, socket.failure == 0 {
            let requested = wireBuffer.count
            attempt(socket, Kernel.send(socket.descriptor, wireBuffer), of: requested)
        }
        if socket.failure == 0 {
            while !wireBuffer.isEmpty {
                let part = chunks.take()
                let count = min(part.free, wireBuffer.count)
                part.append(wireBuffer.readable.extracting(0..<count))
                wireBuffer.consume(count)
                keep(part, for: socket)
            }
        }
        wireBuffer.reset()
        if wireBuffer.capacity > Poller.largestWire { wireBuffer = Chunk(capacity: Poller.initialWireCapacity) }
    }

    /// Ends the sending side of a filtered connection, if possible at once.
    func finishStream(_ socket: Socket, _ stream: FilteredStream) {
        guard !stream.isOpening, stream.state != .failed, socket.failure == 0, !stream.isFinished else { return }
        guard socket.outboxCount == 0, !socket.connecting else { return }
        stream.isFinished = true
        stream.filter.finish(into: wireBuffer)
        if !wireBuffer.isEmpty {
            let requested = wireBuffer.count
            counted.count(sent: Kernel.send(socket.descriptor, wireBuffer), of: requested)
        }
        wireBuffer.reset()
    }

    /// Releases the buffers of a filter.
    func discard(_ stream: FilteredStream) {
        if let received = stream.received { chunks.give(received) }
        stream.received = nil
        for chunk in stream.kept { chunks.give(chunk) }
        stream.kept = []
    }

    static let initialWireCapacity = 20 * 1024
    static let largestWire = 256 * 1024
}

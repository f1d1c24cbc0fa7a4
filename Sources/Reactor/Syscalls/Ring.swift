import Bytes
import CLinux

/// A completion of the ring: the user data of the request, the count or -errno, and flags.
struct RingResult {
    let data: UInt64
    let value: Int32
    fileprivate let flags: UInt32

    /// Whether further results of the request follow.
    var continues: Bool { clinux_result_continues(flags) != 0 }
    /// Id of the filled buffer.
    var buffer: Int? {
        let number = clinux_result_buffer(flags)
        return number < 0 ? nil : Int(number)
    }
}

/// A ring of io_uring(7): requests are queued and submitted with the wait for results, in one system call. Receives
/// into chunks of the loop without copying. For one thread, from its first wait on.
@safe
final class Ring {
    // SAFETY: both blocks are allocated in `init` and freed in `deinit`. `lent` is initialised throughout: a chunk that is
    // moved out is replaced at once. The kernel writes into a lent chunk only while `wait` or `submit` is in it, and the
    // chunk is neither moved nor freed before it is taken back or the ring is closed.
    private let ring: UnsafeMutablePointer<clinux_ring>
    private let lent: UnsafeMutablePointer<Chunk>
    private let chunks: ChunkPool
    private var isStarted = false
    /// Results of this turn that are not handled yet.
    private var remaining: UInt32 = 0

    /// Size of the submission queue.
    private static let entryCount: UInt32 = 1024
    /// Size of the completion queue.
    private static let all = entryCount * 8
    /// Number of receive buffers; without a free one, sockets are read one by one.
    private static let bufferCount = 64

    /// Throws if the kernel does not support such a ring (`ENOSYS`, `EINVAL`) or forbids it (`EPERM`).
    init(chunks: ChunkPool) throws(KernelError) {
        self.chunks = chunks
        let ring = UnsafeMutablePointer<clinux_ring>.allocate(capacity: 1)
        let made = unsafe clinux_ring_make(ring, Ring.entryCount, UInt32(Ring.bufferCount))
        if made < 0 {
            unsafe ring.deallocate()
            throw KernelError(-made)
        }
        unsafe self.ring = ring
        unsafe lent = .allocate(capacity: Ring.bufferCount)
        for number in 0..<Ring.bufferCount {
            unsafe (lent + number).initialize(to: chunks.lend())
            lend(number)
        }
    }

    deinit {
        // Completes requested closes, so that no connection outlives the loop.
        if isStarted {
            if unsafe clinux_ring_cancel_all(ring, .max) == -EBUSY {
                try? enter()
                _ = unsafe clinux_ring_cancel_all(ring, .max)
            }
            try? enter(results: Ring.all, timeout: 0)
        }
        unsafe clinux_ring_stop(ring)
        unsafe clinux_ring_free(ring)
        unsafe ring.deallocate()
        unsafe lent.deinitialize(count: Ring.bufferCount)
        unsafe lent.deallocate()
    }

    /// Tests receiving by a ring: a sandbox may allow for the calls but not for all requests, and some kernels did not
    /// report an end or a reset that arrived with the last bytes.
    static func check() throws(KernelError) {
        // A signal, or a connection that is lost before it is accepted, says nothing of the ring.
        for _ in 0..<3 {
            do throws(KernelError) { return try checkOnce() } catch { continue }
        }
        try checkOnce()
    }

    private static func checkOnce() throws(KernelError) {
        var pair: [Int32] = [-1, -1]
        // SAFETY: two numbers are written before the call returns.
        _ = try Kernel.check(unsafe clinux_socket_pair(&pair))
        try check(Descriptor(pair[0]), Descriptor(pair[1])) { _ = clinux_shutdown_write($0.number) }
        guard let any = SocketAddress(literal: "127.0.0.1", port: 0) else { return }
        let listener = try BoundListener(any)
        let far = Descriptor(try Kernel.check(clinux_stream_socket(listener.address.family)))
        let result = Kernel.connect(far.number, listener.address)
        guard result == 0 || result == -EINPROGRESS || result == -EINTR else { throw KernelError(-result) }
        _ = clinux_wait_readable(listener.descriptor.number, 1000)
        let near = Descriptor(try Kernel.check(Kernel.accept(listener.descriptor.number).descriptor))
        try check(near, far) { _ = clinux_linger_reset($0.number) }
    }

    /// A byte and the end, in one wait.
    private static func check(
        _ near: consuming Descriptor, _ far: consuming Descriptor, end: (consuming Descriptor) -> Void
    ) throws(KernelError) {
        let ring = try Ring(chunks: ChunkPool(chunkSize: 64, keep: 0))
        guard ring.receive(near.number, waits: true, data: 1) else { throw KernelError(ENOMEM) }
        try ring.enter()
        let sent = Chunk(capacity: 1)
        sent.append(1)
        guard Kernel.send(far.number, sent) == 1 else { throw KernelError(EIO) }
        end(far)
        let received = try ring.first()
        if received.value < 0 { throw KernelError(-received.value) }
        guard received.data == 1, received.value == 1, received.continues, let buffer = received.buffer,
            ring.takeBuffer(buffer, count: 1).readable[0] == 1
        else { throw KernelError(ENOSYS) }
        let ended = try ring.first()
        guard ended.data == 1, ended.value == 0 || ended.value == -ECONNRESET, !ended.continues else {
            throw KernelError(ENOSYS)
        }
    }

    /// The next result of any turn. A signal may interrupt the wait.
    private func first() throws(KernelError) -> RingResult {
        for _ in 0..<10 {
            if let result = next() { return result }
            wait(timeoutMilliseconds: 1000)
        }
        guard let result = next() else { throw KernelError(ETIME) }
        return result
    }

    // MARK: Waiting

    /// Submits requests and waits for results, which form the next turn.
    func wait(timeoutMilliseconds: Int32) {
        mustEnter(results: timeoutMilliseconds == 0 ? 0 : 1, timeout: timeoutMilliseconds)
        remaining = unsafe clinux_ring_results(ring)
    }

    /// Submits requests. Results belong to the next turn.
    func submit() { mustEnter() }

    /// The same, and completes all possible work, so that cancelled requests hold no descriptor open.
    func submitAndFinish() { mustEnter(results: Ring.all, timeout: 0) }

    private func mustEnter(results: UInt32 = 0, timeout: Int32 = 0) {
        // It would fail again forever.
        do throws(KernelError) { try enter(results: results, timeout: timeout) } catch {
            preconditionFailure("io_uring_enter: \(error.text)")
        }
    }

    /// Ignores temporary conditions: interrupts, time-outs and lack of memory.
    private func enter(results: UInt32 = 0, timeout: Int32 = 0) throws(KernelError) {
        if !isStarted {
            _ = try Kernel.check(unsafe clinux_ring_start(ring))
            isStarted = true
        }
        let error = unsafe -clinux_ring_enter(ring, results, timeout)
        if error != 0, ![ETIME, EINTR, EAGAIN, EBUSY].contains(error) { throw KernelError(error) }
    }

    /// Whether all results so far are handled.
    var isDrained: Bool { unsafe clinux_ring_results(ring) == 0 }

    /// The next result of this turn.
    func next() -> RingResult? {
        guard remaining > 0 else { return nil }
        remaining &-= 1
        let result = unsafe clinux_ring_result(ring)
        unsafe clinux_ring_advance(ring)
        return RingResult(data: result.user_data, value: result.res, flags: result.flags)
    }

    // MARK: Buffers

    /// Takes a filled chunk and gives the kernel another one.
    func takeBuffer(_ number: Int, count: Int) -> Chunk {
        precondition(number < Ring.bufferCount)
        let chunk = unsafe (lent + number).move()
        unsafe (lent + number).initialize(to: chunks.lend())
        lend(number)
        chunks.charge(chunk)
        // SAFETY: the kernel has written so many bytes to where `lend` said.
        _ = unsafe chunk.fill { _, _ in count }
        return chunk
    }

    /// Returns a buffer whose bytes are not needed.
    func releaseBuffer(_ number: Int) {
        precondition(number < Ring.bufferCount)
        lend(number)
    }

    private func lend(_ number: Int) {
        // SAFETY: the address is that of the chunk's free part, of the given length.
        _ = unsafe (lent + number).pointee.fill { memory, size in
            unsafe clinux_ring_lend(ring, UInt16(number), memory, size)
            return 0
        }
    }

    // MARK: Asking

    /// A multishot receive into buffers.
    ///
    /// - Parameter waits: whether no bytes are expected to be there yet.
    /// - Returns: false if the kernel accepts no more requests, as the others do.
    func receive(_ descriptor: Int32, waits: Bool, data: UInt64) -> Bool {
        ask { unsafe clinux_ring_receive(ring, descriptor, waits ? 1 : 0, data) }
    }

    /// Waits for events of poll(2).
    func poll(_ descriptor: Int32, _ events: UInt32, again: Bool = false, data: UInt64) -> Bool {
        ask { unsafe clinux_ring_poll(ring, descriptor, events, again ? 1 : 0, data) }
    }

    /// Cancels a request, or all requests, with the user data `target`.
    func cancel(_ target: UInt64, all: Bool = false, data: UInt64) -> Bool {
        ask { unsafe clinux_ring_cancel(ring, target, all ? 1 : 0, data) }
    }

    /// Closes a descriptor after earlier requests.
    func close(_ descriptor: Int32, data: UInt64) -> Bool { ask { unsafe clinux_ring_close(ring, descriptor, data) } }

    private func ask(_ entry: () -> Int32) -> Bool {
        if entry() == 0 { return true }
        submit()
        return entry() == 0
    }
}

@available(*, unavailable)
extension Ring: Sendable {}

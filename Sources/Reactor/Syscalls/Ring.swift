import Bytes
import CLinux
import Model

/// What a ring has done: what it was asked for (`data`), the count or -errno, and flags.
struct RingResult {
    let data: UInt64
    let value: Int32
    fileprivate let flags: UInt32

    /// Further results follow for what was asked for.
    var continues: Bool { clinux_result_continues(flags) != 0 }
    /// Number of the buffer that was filled.
    var buffer: Int? {
        let number = clinux_result_buffer(flags)
        return number < 0 ? nil : Int(number)
    }
}

/// A ring of io_uring(7): what is asked for is written down and handed in with the wait for results, in one system call.
/// It receives into chunks of the loop, so that nothing is copied. For one thread, from its first wait on.
@safe
final class Ring {
    // SAFETY: both blocks are allocated in `init` and freed in `deinit`. `lent` is initialised throughout: a chunk that is
    // moved out is replaced at once. The kernel writes into a lent chunk only while `wait` or `submit` is in it, and the
    // chunk is neither moved nor freed before it is taken back or the ring is closed.
    private let ring: UnsafeMutablePointer<clinux_ring>
    private let lent: UnsafeMutablePointer<Chunk>
    private let chunks: ChunkPool
    private var isStarted = false
    /// Results of this turn that were not looked at.
    private var remaining: UInt32 = 0

    /// How much may be asked for at once.
    private static let entryCount: UInt32 = 1024
    /// As many results as there is room for.
    private static let all = entryCount * 8
    /// As many messages as may come in one turn; those beyond it are read one by one.
    private static let bufferCount = 64

    /// Throws where the kernel has no such ring (`ENOSYS`, `EINVAL`), or forbids it (`EPERM`).
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
        // Descriptors whose closing was asked for are closed now, and nobody's connection outlives the loop.
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

    /// Receives by a ring, as the loops will: a sandbox may know the calls and not all that is asked by them, and there
    /// were kernels that did not tell of an end, or a reset, that came together with the last bytes.
    static func check() throws(KernelError) {
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

    /// The next result, whichever turn it is of. A signal may end a wait.
    private func first() throws(KernelError) -> RingResult {
        for _ in 0..<10 {
            if let result = next() { return result }
            wait(timeoutMilliseconds: 1000)
        }
        guard let result = next() else { throw KernelError(ETIME) }
        return result
    }

    // MARK: Waiting

    /// Hands in what was asked for and waits for results: of those that are there then, the turn consists.
    func wait(timeoutMilliseconds: Int32) {
        mustEnter(results: timeoutMilliseconds == 0 ? 0 : 1, timeout: timeoutMilliseconds)
        remaining = unsafe clinux_ring_results(ring)
    }

    /// Hands in what was asked for. Results belong to the next turn.
    func submit() { mustEnter() }

    /// The same, and nothing is left to do that can be done: what was cancelled holds no descriptor open any more.
    func submitAndFinish() { mustEnter(results: Ring.all, timeout: 0) }

    private func mustEnter(results: UInt32 = 0, timeout: Int32 = 0) {
        // It would fail again at once, and for ever.
        do throws(KernelError) { try enter(results: results, timeout: timeout) } catch {
            preconditionFailure("io_uring_enter: \(error.text)")
        }
    }

    /// Lets what passes be: it was interrupted, the time is over, or there is no memory at the moment.
    private func enter(results: UInt32 = 0, timeout: Int32 = 0) throws(KernelError) {
        if !isStarted {
            _ = try Kernel.check(unsafe clinux_ring_start(ring))
            isStarted = true
        }
        let error = unsafe -clinux_ring_enter(ring, results, timeout)
        if error != 0, ![ETIME, EINTR, EAGAIN, EBUSY].contains(error) { throw KernelError(error) }
    }

    /// Everything that was done so far was looked at.
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

    /// The chunk that was filled with so many bytes; the kernel gets another in its place.
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

    /// Gives a buffer back whose bytes nobody wants.
    func releaseBuffer(_ number: Int) {
        precondition(number < Ring.bufferCount)
        lend(number)
    }

    private func lend(_ number: Int) {
        // SAFETY: the address is of the chunk's free part, which is as long as is said.
        _ = unsafe (lent + number).pointee.fill { memory, size in
            unsafe clinux_ring_lend(ring, UInt16(number), memory, size)
            return 0
        }
    }

    // MARK: Asking

    /// Receives again and again, into buffers.
    ///
    /// - Parameter waits: nothing is thought to be there yet.
    /// - Returns: false where the kernel takes nothing more; so do the others.
    func receive(_ descriptor: Int32, waits: Bool, data: UInt64) -> Bool {
        ask { unsafe clinux_ring_receive(ring, descriptor, waits ? 1 : 0, data) }
    }

    /// Waits for events of poll(2).
    func poll(_ descriptor: Int32, _ events: UInt32, again: Bool = false, data: UInt64) -> Bool {
        ask { unsafe clinux_ring_poll(ring, descriptor, events, again ? 1 : 0, data) }
    }

    /// Ends what was asked for with `target`, once or as often as it was.
    func cancel(_ target: UInt64, all: Bool = false, data: UInt64) -> Bool {
        ask { unsafe clinux_ring_cancel(ring, target, all ? 1 : 0, data) }
    }

    /// Closes, behind what was asked for before.
    func close(_ descriptor: Int32, data: UInt64) -> Bool { ask { unsafe clinux_ring_close(ring, descriptor, data) } }

    private func ask(_ entry: () -> Int32) -> Bool {
        if entry() == 0 { return true }
        submit()
        return entry() == 0
    }
}

@available(*, unavailable)
extension Ring: Sendable {}

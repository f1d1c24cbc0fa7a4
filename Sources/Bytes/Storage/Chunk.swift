/// A block of memory with a read and a write position: bytes are appended at the end and consumed from the front.
///
/// Sockets receive into chunks and send from them. Writers reserve room with `ensureFree`, so that a chunk moves at
/// most once. Not Sendable: a chunk belongs to one worker.
@safe
package final class Chunk {
    // SAFETY: `base` is allocated in `init`, freed in `deinit` and never leaves this file except as a span or for the
    // time of a closure; every access is within `capacity`, checked by precondition.
    private var base: UnsafeMutablePointer<UInt8>
    private var size: Int
    private var readPosition = 0
    private var writePosition = 0

    /// Whether the contents are still needed for a retry, so that a pool must not reuse the chunk.
    package var isHeld: Bool {
        get { held }
        set { held = newValue }
    }
    private var held = false
    /// The next chunk in the free list of a pool.
    var nextSpare: Chunk?

    /// The counter of a pool's memory, for a chunk in use.
    private let account: ChunkAccount?

    /// A chunk of `capacity` bytes, uninitialised.
    package convenience init(capacity: Int) { self.init(capacity: capacity, account: nil) }

    init(capacity: Int, account: ChunkAccount?) {
        precondition(capacity > 0)
        unsafe base = .allocate(capacity: capacity)
        size = capacity
        self.account = account
    }

    deinit { unsafe base.deallocate() }

    /// Size of the block in bytes.
    package var capacity: Int { size }
    /// Bytes appended and not yet consumed.
    package var count: Int { writePosition &- readPosition }
    package var isEmpty: Bool { readPosition == writePosition }
    /// Bytes that can be appended without moving or growing.
    package var free: Int { size &- writePosition }
    /// Offset of the first unconsumed byte from the start of the block.
    package var readIndex: Int { readPosition }

    /// The unconsumed bytes.
    package var readable: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            // SAFETY: the bytes between the positions are initialised, and live as long as the chunk.
            let span = unsafe Span(_unsafeStart: UnsafePointer(base + readPosition), count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Drops `n` bytes from the front; an emptied chunk starts over at offset 0.
    package func consume(_ n: Int) {
        precondition(n >= 0 && n <= count)
        readPosition &+= n
        if readPosition == writePosition {
            readPosition = 0
            writePosition = 0
        }
    }

    /// Makes the first `n` bytes of the block readable again, after they were consumed.
    package func rewind(to n: Int) {
        precondition(n >= 0 && n <= size)
        readPosition = 0
        writePosition = n
    }

    /// The first `n` bytes of the block, consumed or not.
    @_lifetime(borrow self)
    package borrowing func beginning(_ n: Int) -> Span<UInt8> {
        precondition(n >= 0 && n <= size)
        // SAFETY: within the block, which lives as long as the chunk; the caller has written that many bytes.
        let span = unsafe Span(_unsafeStart: UnsafePointer(base), count: n)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Removes all bytes.
    package func reset() {
        readPosition = 0
        writePosition = 0
    }

    /// Truncates the unconsumed bytes to the first `n`.
    package func truncate(to n: Int) {
        precondition(n >= 0 && n <= count)
        writePosition = readPosition &+ n
    }

    /// Moves the unconsumed bytes to the start of the block.
    package func compact() {
        guard readPosition > 0 else { return }
        let n = count
        unsafe base.update(from: base + readPosition, count: n)
        readPosition = 0
        writePosition = n
    }

    /// Makes room for `n` more bytes, by moving or growing the block.
    package func ensureFree(_ n: Int) {
        if free >= n { return }
        compact()
        if free >= n { return }
        let larger = max(size &* 2, writePosition &+ n)
        let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe fresh.initialize(from: base, count: writePosition)
        unsafe base.deallocate()
        unsafe base = fresh
        account?.add(larger - size)
        size = larger
    }

    /// Writers reserve their room in advance. If one does not, the block grows, since a client's length must never end
    /// the process.
    @inline(__always)
    private func makeRoom(_ n: Int) {
        if size &- writePosition < n { ensureFree(n) }
    }

    /// Appends one byte.
    package func append(_ byte: UInt8) {
        makeRoom(1)
        unsafe base[writePosition] = byte
        writePosition &+= 1
    }

    /// Appends a copy of the bytes.
    package func append(_ bytes: Span<UInt8>) {
        let n = bytes.count
        guard n > 0 else { return }
        makeRoom(n)
        unsafe bytes.withUnsafeBufferPointer { source in
            unsafe (base + writePosition).update(from: source.baseAddress!, count: n)
        }
        writePosition &+= n
    }

    /// Appends the ASCII text of a literal.
    package func append(_ text: StaticString) {
        let n = text.utf8CodeUnitCount
        makeRoom(n)
        unsafe (base + writePosition).update(from: text.utf8Start, count: n)
        writePosition &+= n
    }

    /// Appends a copy of another chunk.
    package func append(_ other: Chunk) { append(other.readable) }

    /// Appends bytes, off the hot path.
    package func append(_ bytes: [UInt8]) { append(bytes.span) }

    /// Appends a number in decimal.
    package func append(decimal value: Int) {
        precondition(value >= 0)
        if value < 10 {
            append(UInt8(48 &+ value))
            return
        }
        var digits = 0
        var rest = value
        while rest > 0 {
            digits &+= 1
            rest /= 10
        }
        makeRoom(digits)
        var position = writePosition &+ digits
        writePosition = position
        rest = value
        while rest > 0 {
            position &-= 1
            unsafe base[position] = UInt8(truncatingIfNeeded: 48 &+ rest % 10)
            rest /= 10
        }
    }

    /// Appends a number in lower-case hexadecimal without leading zeros.
    package func append(hexadecimal value: Int) {
        precondition(value >= 0)
        var shift = 60
        while shift > 0 && value >> shift == 0 { shift &-= 4 }
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: (value >> shift) & 15)
            append(digit < 10 ? 48 &+ digit : 87 &+ digit)
            shift &-= 4
        }
    }

    /// Lets a system call write into the free part; `body` returns the number of bytes written.
    @unsafe
    package func fill(_ body: (UnsafeMutableRawPointer, Int) -> Int) -> Int {
        let n = unsafe body(UnsafeMutableRawPointer(base + writePosition), free)
        if n > 0 {
            precondition(n <= free)
            writePosition &+= n
        }
        return n
    }

    /// Address of the unconsumed bytes, for a system call; valid until the chunk changes.
    @unsafe
    package var readablePointer: UnsafeRawPointer { unsafe UnsafeRawPointer(base + readPosition) }
}

@available(*, unavailable)
extension Chunk: Sendable {}

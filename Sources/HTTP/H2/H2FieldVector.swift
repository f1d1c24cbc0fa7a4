import Bytes
import CNghttp2

/// A field list for libnghttp2, built from pseudo-header fields and a block of HTTP/1 field lines in two chunks of
/// the pool, without allocation.
@safe
struct H2FieldVector: ~Copyable {
    // SAFETY: the entries point to literals and into `text`, which gets all the room it needs at the start and so does
    // not move; they are in the free part of `list`, which is not appended to. Both chunks are ours until `deinit`.
    private let text: Chunk
    private let list: Chunk
    private let chunks: ChunkPool
    let base: UnsafeMutablePointer<nghttp2_nv>
    private(set) var count = 0

    /// - Parameters:
    ///   - fieldLines: field lines, with or without the empty line that ends them.
    ///   - pseudoBytes: total length of the values for `append`.
    init(_ fieldLines: Span<UInt8>, pseudoBytes: Int, chunks: ChunkPool) {
        self.chunks = chunks
        text = chunks.take()
        list = chunks.take()
        text.ensureFree(fieldLines.count &+ pseudoBytes &+ 1)
        text.append(fieldLines)
        var (lines, position) = (6, ByteScan.first(ASCII.lineFeed, in: fieldLines, from: 0))
        while position < fieldLines.count {
            lines &+= 1
            position = ByteScan.first(ASCII.lineFeed, in: fieldLines, from: position &+ 1)
        }
        list.ensureFree(lines &* (unsafe MemoryLayout<nghttp2_nv>.stride))
        var start: UnsafeMutableRawPointer?
        // A chunk begins where the allocator says, which is aligned for every type of C.
        _ = unsafe list.fill { pointer, _ in
            unsafe start = pointer
            return 0
        }
        unsafe base = start!.bindMemory(to: nghttp2_nv.self, capacity: lines)
    }

    deinit {
        chunks.give(text)
        chunks.give(list)
    }

    /// Adds a pseudo-header field.
    mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        let start = text.count
        text.append(value)
        unsafe push(
            UnsafeMutablePointer(mutating: name.utf8Start), name.utf8CodeUnitCount, start, value.count, false)
    }

    /// Adds the field lines of the block without those that HTTP/2 forbids (RFC 9113 section 8.2.2). Returns false
    /// if a line is invalid.
    mutating func appendBlock(_ length: Int, for message: H2MessageKind) -> Bool {
        let text = text
        let bytes = text.readable
        var position = 0
        while position < length, bytes[position] != ASCII.carriageReturn {
            guard case .line(let field, let end) = FieldSection.parseLine(bytes, from: position), end <= length
            else {
                return false
            }
            position = end
            guard message.takes(field, bytes) else { continue }
            let name = unsafe mutable(Int(field.name.start))
            unsafe push(
                name, Int(field.name.count), Int(field.value.start), Int(field.value.count), isSecret(field))
        }
        return true
    }

    /// Fields that must not enter a compression table, which attackers could probe (RFC 7541 section 7.1.3).
    private func isSecret(_ field: HeaderField) -> Bool {
        switch field.token {
        case .authorization, .proxyAuthorization, .cookie, .setCookie: true
        default: false
        }
    }

    private func mutable(_ offset: Int) -> UnsafeMutablePointer<UInt8> {
        unsafe UnsafeMutableRawPointer(mutating: text.readablePointer).assumingMemoryBound(to: UInt8.self) + offset
    }

    /// The library copies names and values, and converts names to lower case.
    private mutating func push(
        _ name: UnsafeMutablePointer<UInt8>, _ nameCount: Int, _ value: Int, _ valueCount: Int, _ secret: Bool
    ) {
        let flags = secret ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : NGHTTP2_NV_FLAG_NONE.rawValue
        unsafe (base + count).initialize(
            to: nghttp2_nv(
                name: name, value: mutable(value), namelen: nameCount, valuelen: valueCount, flags: UInt8(flags)))
        count &+= 1
    }
}

/// The kind of message of a field block.
enum H2MessageKind {
    case request, response, trailers

    /// Whether the field is allowed in this kind of message.
    func takes(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        switch field.token {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade: false
        // Replaced by :authority.
        case .host: self == .response
        case .te: self == .request && matches(bytes.slice(field.value), "trailers")
        // RFC 9110 section 6.5.1
        case .contentLength: self != .trailers
        default: true
        }
    }
}

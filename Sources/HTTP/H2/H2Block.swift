import Bytes
import Model

/// The field block that is being received: one at a time for each connection (RFC 9113 section 4.3).
final class H2Block {
    enum Kind {
        case none, head, trailers
    }

    private(set) var kind = Kind.none
    private(set) var stream: H2Stream?
    /// The pseudo-header fields so far, which the stream gets at the end.
    private var fields = H2FieldRanges()
    private var present: H2PseudoFields = []
    /// Why the block is refused; further fields are not stored.
    private(set) var error: HTTPParseError?
    /// Whether the method is HEAD, also for a refused block.
    private var asksForHead = false
    private var target: Chunk?
    private var hasLines = false
    /// Size of the field list as RFC 9113 section 6.5.2 counts it.
    private var listBytes = 0
    /// Fields of the block, refused or not.
    private var fieldCount = 0
    private var lineCount = 0
    /// The cookie pairs so far, which are joined to one field (RFC 9113 section 8.2.3).
    private var crumbs: Chunk?

    func begin(_ kind: Kind, _ stream: H2Stream, into target: Chunk, _ chunks: ChunkPool) {
        self.kind = kind
        self.stream = stream
        self.target = target
        target.reset()
        error = nil
        asksForHead = false
        hasLines = false
        listBytes = 0
        fieldCount = 0
        lineCount = 0
        fields = H2FieldRanges()
        present = []
        forgetCrumbs(chunks)
    }

    /// Abandons the block, since its stream is gone.
    func abandon(_ chunks: ChunkPool) {
        kind = .none
        stream = nil
        target = nil
        forgetCrumbs(chunks)
    }

    private func forgetCrumbs(_ chunks: ChunkPool) {
        if let crumbs = crumbs.take() { chunks.give(crumbs) }
    }

    func refuse(_ reason: HTTPParseError) { error = error ?? reason }

    /// Counts a field. Returns false for a list several times over the limits of bytes or fields, which is an HPACK
    /// bomb and not decoded further.
    func withinLimits(_ name: Span<UInt8>, _ value: Span<UInt8>, _ limits: HTTPLimits) -> Bool {
        listBytes &+= name.count &+ value.count &+ 32
        fieldCount &+= 1
        return listBytes <= H2Block.bearableFactor &* limits.maximumHeadBytes
            && fieldCount <= H2Block.bearableFactor &* limits.maximumFields
    }

    private static let bearableFactor = 4

    /// Adds a field that `withinLimits` has counted.
    func add(_ name: Span<UInt8>, _ value: Span<UInt8>, _ limits: HTTPLimits, _ chunks: ChunkPool) {
        // Taken out, since a reference that stays in the block would be counted for each field.
        guard error == nil, !name.isEmpty, let target = target.take() else {
            // The response to a refused head depends on its method.
            if matches(name, ":method") { noteMethod(value) }
            return
        }
        defer { self.target = target }
        if listBytes > limits.maximumHeadBytes { return refuse(.headTooLarge) }
        if name[0] == ASCII.colon { return addPseudo(name, value, target) }
        guard FieldSyntax.isToken(name) else { return refuse(.malformedFieldName) }
        // A line end in the value would split the field line.
        guard FieldSyntax.isValue(value) else { return refuse(.malformedFieldValue) }
        beginLines(target)
        if kind == .head, matches(name, "cookie") { return addCrumb(value, limits, chunks) }
        lineCount &+= 1
        if lineCount > limits.maximumFields { return refuse(.tooManyFields) }
        HeadWriter.appendField(name, value, to: target)
    }

    private func beginLines(_ target: Chunk) {
        guard !hasLines else { return }
        hasLines = true
        fields.lines = target.count
    }

    private func addPseudo(_ name: Span<UInt8>, _ value: Span<UInt8>, _ target: Chunk) {
        let range = ByteRange(start: target.count, count: value.count)
        target.ensureFree(value.count &+ 2)
        target.append(value)
        target.append("\r\n")
        // Dispatches on the length, so that each field is compared with at most two names.
        switch name.count {
        case 5 where matches(name, ":path"):
            fields.path = range
            present.insert(.path)
        case 7 where matches(name, ":method"):
            noteMethod(value)
            fields.method = range
            present.insert(.method)
        case 7 where matches(name, ":scheme"):
            fields.scheme = range
            present.insert(.scheme)
        case 7 where matches(name, ":status"):
            fields.status = range
            present.insert(.status)
        case 9 where matches(name, ":protocol"):
            fields.protocol = range
            present.insert(.protocol)
        case 10 where matches(name, ":authority"):
            fields.authority = range
            present.insert(.authority)
        default: refuse(.malformedFieldName)
        }
    }

    private func noteMethod(_ value: Span<UInt8>) { asksForHead = bytesEqual(value, StaticString("HEAD").span) }

    private func addCrumb(_ value: Span<UInt8>, _ limits: HTTPLimits, _ chunks: ChunkPool) {
        if let crumbs {
            crumbs.ensureFree(value.count &+ 2)
            crumbs.append("; ")
            crumbs.append(value)
            return
        }
        lineCount &+= 1
        if lineCount > limits.maximumFields { return refuse(.tooManyFields) }
        let first = chunks.take()
        first.append(value)
        crumbs = first
    }

    /// Ends the field lines. The state of the block is kept until the next one begins.
    func end(_ chunks: ChunkPool) {
        if let target {
            if error == nil {
                beginLines(target)
                if let crumbs { HeadWriter.appendField("cookie", crumbs.readable, to: target) }
                HeadWriter.appendEnd(to: target)
            } else {
                target.reset()
            }
        }
        forgetCrumbs(chunks)
        guard kind == .head, let stream else { return }
        stream.fields = error == nil ? fields : H2FieldRanges()
        stream.present = error == nil ? present : []
        if asksForHead { stream.marks.insert(.asksForHead) }
    }
}

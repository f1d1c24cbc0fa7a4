import Bytes

/// Looks for the end of a head that arrives piece by piece, so that a drip-fed head costs time in proportion to its
/// length and not to its square.
struct HeadSearch: Sendable {
    /// Bytes that hold no end of head.
    private var searched = 0
    /// Whether bytes were seen before: the first piece, mostly the whole head, is parsed without a search.
    private var begun = false

    /// Whether the head is worth parsing now.
    ///
    /// It is on the first call, when an empty line or a line feed that cannot be right has come in, and when the limit
    /// is reached: then the parser says whether the head is wrong or only too long.
    mutating func isDue(_ bytes: Span<UInt8>, limit: Int) -> Bool {
        guard begun else {
            begun = true
            return !bytes.isEmpty
        }
        let end = min(bytes.count, limit)
        var position = searched
        while position < end {
            if bytes[position] == ASCII.lineFeed, endsHead(bytes, at: position) { return true }
            position &+= 1
        }
        searched = end
        return end == limit
    }

    private func endsHead(_ bytes: Span<UInt8>, at lineFeed: Int) -> Bool {
        guard lineFeed >= 1, bytes[lineFeed &- 1] == ASCII.carriageReturn else { return true }
        return lineFeed >= 2 && bytes[lineFeed &- 2] == ASCII.lineFeed
    }

    /// What has been parsed in vain need not be searched: no end of head is in it.
    mutating func foundNothing(in bytes: Span<UInt8>, limit: Int) {
        searched = max(searched, min(bytes.count, limit))
    }

    mutating func reset() { self = HeadSearch() }
}

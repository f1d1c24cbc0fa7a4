import Bytes

/// Searches for the end of a head that arrives in pieces, in linear instead of quadratic time.
struct HeadSearch: Sendable {
    /// Bytes that were searched for the end of the head.
    private var searched = 0
    /// Whether a piece was searched before: the first piece, usually the whole head, is parsed without a search.
    private var begun = false

    /// Whether the head should be parsed now.
    ///
    /// True for the first call, after an empty line or an invalid line feed, and at the limit, where the parser decides
    /// whether the head is malformed or too long.
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

    /// Marks bytes that were parsed without finding the end of the head as searched.
    mutating func foundNothing(in bytes: Span<UInt8>, limit: Int) {
        searched = max(searched, min(bytes.count, limit))
    }

    mutating func reset() { self = HeadSearch() }
}

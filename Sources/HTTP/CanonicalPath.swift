import Bytes
import Model

/// The one spelling of a request path that is both matched and forwarded (ROLE-05).
///
/// Escapes of unreserved characters are decoded, other escapes written in upper case; characters that are not allowed
/// in a path are escaped; dot segments are removed and repeated slashes merged. Ambiguous paths are refused, not
/// repaired. Canonicalisation is idempotent.
package enum CanonicalPath {
    package enum Outcome: Equatable, Sendable {
        /// The path is already canonical.
        case unchanged
        /// The chunk holds the canonical path.
        case rewritten
        /// The path is ambiguous: 400.
        case ambiguous(PathAmbiguity)
    }

    /// Canonicalises the path of a target, without its query.
    ///
    /// - Parameters:
    ///   - kept: spellings that stay as they came instead of being refused or merged. Only `PathReadings` tells whether such
    ///     a path has one meaning.
    ///   - scratch: emptied; holds the canonical path after `rewritten`, otherwise undefined content.
    package static func canonicalise(
        _ path: Span<UInt8>, keeping kept: PathSpellings = [], into scratch: Chunk
    ) -> Outcome {
        guard !path.isEmpty, path[0] == ASCII.slash else { return .ambiguous(.notAbsolute) }
        if isPlain(path) { return .unchanged }
        scratch.reset()
        // Escaping a byte takes three bytes; nothing else makes a segment longer.
        scratch.ensureFree(path.count &* 3 &+ 1)
        do throws(PathAmbiguity) {
            try appendSegments(of: path, keeping: kept, to: scratch)
        } catch {
            return .ambiguous(error)
        }
        if !kept.contains(.encodedPercent), hasDoubleEncoding(scratch.readable) { return .ambiguous(.doubleEncoding) }
        return bytesEqual(scratch.readable, path) ? .unchanged : .rewritten
    }

    /// The canonical form of a path, off the hot path; nil for an ambiguous path.
    package static func canonical(_ path: [UInt8], keeping kept: PathSpellings = []) -> [UInt8]? {
        let scratch = Chunk(capacity: path.count * 3 + 1)
        switch canonicalise(path.span, keeping: kept, into: scratch) {
        case .unchanged: return path
        case .rewritten:
            let bytes = scratch.readable
            return [UInt8](copying: bytes)
        case .ambiguous: return nil
        }
    }

    /// The spellings in a canonical path that its route has to keep.
    package static func spellings(in path: Span<UInt8>) -> PathSpellings {
        var found: PathSpellings = hasDoubleEncoding(path) ? .encodedPercent : []
        for i in path.indices {
            if path[i] == ASCII.slash {
                if i &+ 1 < path.count, path[i &+ 1] == ASCII.slash { found.insert(.emptySegments) }
            } else if path[i] == ASCII.percent {
                let value = ASCII.percentDecoded(path, at: i)
                if value == ASCII.slash { found.insert(.encodedSlash) }
                if value == ASCII.backslash { found.insert(.encodedBackslash) }
            }
        }
        return found
    }

    /// Whether two canonical paths are the same but for the case of kept escapes.
    package static func areSame(_ path: [UInt8], _ other: [UInt8]) -> Bool {
        guard path.count == other.count else { return false }
        var digits = 0
        for (one, two) in zip(path, other) {
            guard one == two || digits > 0 && ASCII.lowercased(one) == ASCII.lowercased(two) else { return false }
            digits = one == ASCII.percent ? 2 : max(0, digits - 1)
        }
        return true
    }

    /// Whether canonicalisation removes dot segments or merges slashes: an upstream that gets the path as received may
    /// interpret it differently.
    ///
    /// - Parameter kept: spellings that stay as they came.
    package static func changesSegments(_ path: Span<UInt8>, keeping kept: PathSpellings = []) -> Bool {
        let merges = !kept.contains(.emptySegments)
        var start = 1
        for end in 1...max(1, path.count) where end >= path.count || path[end] == ASCII.slash {
            let segment = path.extracting(min(start, path.count)..<min(end, path.count))
            if merges && segment.isEmpty && end < path.count || isDots(segment, 1) || isDots(segment, 2) { return true }
            start = end + 1
        }
        return false
    }

    /// Whether the path is canonical at first sight: only literal characters, and no slash before a slash or a dot.
    private static func isPlain(_ path: Span<UInt8>) -> Bool {
        var afterSlash = false
        for i in path.indices {
            let byte = path[i]
            guard PathSyntax.isPlain(byte) else { return false }
            if afterSlash, byte == ASCII.slash || byte == ASCII.dot { return false }
            afterSlash = byte == ASCII.slash
        }
        return true
    }

    private static func appendSegments(
        of path: Span<UInt8>, keeping kept: PathSpellings, to output: Chunk
    ) throws(PathAmbiguity) {
        var position = 0
        // Whether slashes were or may be merged: the effect of a later `..` then depends on the order of both steps.
        var merged = false
        while position < path.count {
            let start = position &+ 1
            var end = start
            while end < path.count, path[end] != ASCII.slash { end &+= 1 }
            let isLast = end == path.count
            let segment = path.extracting(start..<end)
            if segment.isEmpty {
                if !isLast { merged = true }
                if isLast || kept.contains(.emptySegments) { output.append(ASCII.slash) }
            } else if isDots(segment, 1) {
                if isLast { output.append(ASCII.slash) }
            } else if isDots(segment, 2) {
                if merged { throw .dotsAfterEmptySegment }
                try removeLastSegment(of: output)
                if isLast { output.append(ASCII.slash) }
            } else {
                output.append(ASCII.slash)
                try PathSyntax.append(segment, keeping: kept, to: output)
            }
            position = end
        }
    }

    private static func isDots(_ segment: Span<UInt8>, _ count: Int) -> Bool {
        guard segment.count == count else { return false }
        for i in segment.indices where segment[i] != ASCII.dot { return false }
        return true
    }

    private static func removeLastSegment(of output: Chunk) throws(PathAmbiguity) {
        var length = output.count
        guard length > 0 else { throw .aboveRoot }
        repeat { length &-= 1 } while output.readable[length] != ASCII.slash
        output.truncate(to: length)
    }

    /// Whether decoding twice yields a separator, a dot, a NUL or another escape.
    private static func hasDoubleEncoding(_ path: Span<UInt8>) -> Bool {
        var position = 0
        while position &+ 4 < path.count {
            if path[position] == ASCII.percent, path[position &+ 1] == 50, path[position &+ 2] == 53,
                let high = ASCII.hexadecimalValue(path[position &+ 3]),
                let low = ASCII.hexadecimalValue(path[position &+ 4])
            {
                switch high << 4 | low {
                case 0, ASCII.percent, ASCII.dot, ASCII.slash, ASCII.backslash: return true
                default: break
                }
            }
            position &+= 1
        }
        return false
    }
}

/// Why a path is ambiguous; each is a known way to bypass the rules of a gateway.
package enum PathAmbiguity: Error, Sendable {
    case notAbsolute, encodedSlash, encodedBackslash, encodedDot, encodedControl, doubleEncoding, malformedEscape
    case malformedText, backslash, illegalByte, dotSegmentParameter, aboveRoot, dotsAfterEmptySegment, emptySegment
}

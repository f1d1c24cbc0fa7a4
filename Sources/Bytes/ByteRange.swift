/// A piece of a buffer, as offset and length. The hot path passes text in this form instead of as `String`.
@usableFromInline
package struct ByteRange: Equatable, Sendable {
    /// Offset of the first byte.
    @usableFromInline
    package var start: Int32
    /// Length in bytes.
    @usableFromInline
    package var count: Int32

    @inlinable
    package init(start: Int, count: Int) {
        self.start = Int32(truncatingIfNeeded: start)
        self.count = Int32(truncatingIfNeeded: count)
    }

    @inlinable
    package init(_ range: Range<Int>) { self.init(start: range.lowerBound, count: range.count) }

    /// No bytes at offset 0.
    @inlinable
    package static var empty: ByteRange { ByteRange(start: 0, count: 0) }

    @inlinable
    package var end: Int { Int(start) &+ Int(count) }

    @inlinable
    package var isEmpty: Bool { count == 0 }

    /// The range as the standard library wants it, for `Span.extracting`.
    @inlinable
    package var range: Range<Int> { Int(start)..<end }
}

extension Span where Element == UInt8 {
    /// The bytes of a range of this buffer.
    @inlinable
    @_lifetime(copy self)
    package func slice(_ range: ByteRange) -> Span<UInt8> { extracting(range.range) }
}

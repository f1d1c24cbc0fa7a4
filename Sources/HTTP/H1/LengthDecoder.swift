import Bytes

/// A body with a `Content-Length`: counts it down.
package struct LengthDecoder: Equatable, Sendable {
    /// Bytes of the body still to come.
    package private(set) var remaining: Int

    package init(length: Int) { remaining = length }

    package var isDone: Bool { remaining == 0 }

    /// How many of `available` bytes belong to the body; they are taken as consumed.
    package mutating func take(_ available: Int) -> Int {
        let piece = min(remaining, available)
        remaining &-= piece
        return piece
    }
}

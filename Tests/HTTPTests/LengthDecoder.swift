/// Counts down a body with a `Content-Length`.
struct LengthDecoder: Equatable, Sendable {
    /// Remaining bytes of the body.
    private(set) var remaining: Int

    init(length: Int) { remaining = length }

    var isDone: Bool { remaining == 0 }

    /// Consumes and returns the number of `available` bytes that belong to the body.
    mutating func take(_ available: Int) -> Int {
        let piece = min(remaining, available)
        remaining &-= piece
        return piece
    }
}

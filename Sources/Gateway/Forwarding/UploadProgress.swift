/// What is known of the body of a request that waits, or that holds a place others wait for.
final class UploadProgress {
    /// Whether the beginning of the body has to arrive before the request waits for room.
    var isArriving = false
    /// Bytes that have arrived and are not relayed yet, framing included.
    var there = 0
    /// Reads the framing of the bytes that are there, to find the end of the body.
    var reader: BodyRelay
    /// How many of these bytes it has read.
    var read = 0
    /// The bytes that were relayed, or there, when the time of the upload began.
    var mark: Delivery

    /// - Parameter start: when the request was forwarded, in milliseconds.
    init(_ reader: BodyRelay, since start: Int64) {
        self.reader = reader
        mark = Delivery(bytes: 0, since: start)
    }
}

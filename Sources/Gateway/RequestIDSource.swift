import Bytes
import HTTP

/// Gives every request an id: the client's own `X-Request-Id` where it is harmless, else one of ours.
struct RequestIDSource {
    private static let maximumLength = 128
    private var counter: UInt64 = 0
    private let prefix: UInt64

    init(worker: Int) {
        prefix = UInt64.random(in: .min ... .max) &+ UInt64(worker)
    }

    /// Takes the id of the head, or makes one.
    mutating func take(_ headers: HeaderTable, _ bytes: Span<UInt8>, into id: inout [UInt8]) {
        if headers.occurrences(.xRequestID) == 1, let range = headers.value(.xRequestID) {
            let value = bytes.slice(range)
            if RequestIDSource.isHarmless(value) {
                id.append(copying: value)
                return
            }
        }
        make(into: &id)
    }

    /// Sixteen hexadecimal digits that differ between processes and workers, then a count.
    mutating func make(into id: inout [UInt8]) {
        counter &+= 1
        RequestIDSource.append(prefix, to: &id)
        RequestIDSource.append(counter, digits: 8, to: &id)
    }

    private static func append(_ value: UInt64, digits: Int = 16, to id: inout [UInt8]) {
        var shift = UInt64(digits * 4)
        while shift > 0 {
            shift -= 4
            let digit = UInt8((value >> shift) & 15)
            id.append(digit < 10 ? 48 + digit : 87 + digit)
        }
    }

    private static func isHarmless(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty, value.count <= maximumLength else { return false }
        for i in value.indices {
            let byte = value[i]
            guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 45 || byte == 46 || byte == 95 || byte == 58
            else { return false }
        }
        return true
    }
}

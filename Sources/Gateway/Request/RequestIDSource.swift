import Bytes
import HTTP

/// Gives every request an id: the client's `X-Request-Id` if harmless, otherwise a generated one.
struct RequestIDSource {
    private static let maximumLength = 128
    /// Sixteen hexadecimal digits unique to process and worker, then an eight-digit counter.
    private var text: InlineArray<24, UInt8>

    init(worker: Int) {
        let prefix = UInt64.random(in: .min ... .max) &+ UInt64(worker)
        text = InlineArray { place in
            place < 16 ? RequestIDSource.digit(UInt8(truncatingIfNeeded: prefix >> UInt64(60 - 4 * place))) : 48
        }
    }

    /// Takes the id from the head, or generates one; `id` must be empty.
    mutating func take(_ headers: HeaderTable, _ bytes: Span<UInt8>, into id: Chunk) {
        if headers.occurrences(.xRequestID) == 1, let range = headers.value(.xRequestID) {
            let value = bytes.slice(range)
            if RequestIDSource.isHarmless(value) {
                id.ensureFree(value.count)
                id.append(value)
                return
            }
        }
        make(into: id)
    }

    /// Generates the next id; `id` must be empty.
    mutating func make(into id: Chunk) {
        // Increments in place: usually one digit changes.
        var place = 23
        while place >= 16, text[place] == UInt8(ascii: "f") {
            text[place] = 48
            place &-= 1
        }
        if place >= 16 { text[place] = text[place] == 57 ? 97 : text[place] &+ 1 }
        id.ensureFree(24)
        id.append(text.span)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        let digit = value & 15
        return digit < 10 ? 48 + digit : 87 + digit
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

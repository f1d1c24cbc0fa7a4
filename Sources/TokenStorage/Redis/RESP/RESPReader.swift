import Bytes

/// Why what a server says is no reply. The connection is of no use any more: where the next reply begins is unknown.
package enum RESPFault: Error, Equatable, Sendable {
    case malformed
    /// Longer, or of more elements, than any reply that was asked for.
    case tooLarge
    /// More arrays in arrays than any reply has.
    case tooDeep
}

/// Reads replies from a stream of bytes, however it is cut.
///
/// A server that was taken over, or something else that listens at its port, may send anything. What it announces is
/// refused before memory is taken for it, and memory grows only with what has come.
package struct RESPReader {
    package struct Limits: Sendable {
        /// Bytes of one reply.
        package var bytes = 16 * 1024 * 1024
        /// Bytes of a line: a status, an error, a number.
        package var line = 16 * 1024
        /// Values of one reply, those in arrays included.
        package var elements = 256 * 1024
        /// Arrays in each other.
        package var depth = 8

        package init() {}
    }

    /// An array whose elements have not all come yet.
    private struct OpenArray {
        var missing: Int
        var elements: [RESPValue] = []
    }

    private static let types = Array("+-:$*".utf8)

    private let limits: Limits
    private var received: [UInt8] = []
    /// Up to here `received` is read.
    private var position = 0
    /// Up to here the end of the line at `position` was looked for.
    private var searched = 0
    /// Outermost first.
    private var open: [OpenArray] = []
    /// Of the reply that is being read.
    private var bytesRead = 0
    private var elementsAnnounced = 1
    private var fault: RESPFault?

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Adds what has come. `next` is to be asked until it answers nil before more is added.
    package mutating func append(_ bytes: Span<UInt8>) {
        if position > 0 {
            received.removeFirst(position)
            searched -= position
            position = 0
        }
        received.reserveCapacity(received.count + bytes.count)
        for i in bytes.indices { received.append(bytes[i]) }
    }

    /// The next reply that has come whole; nil where there is none. A fault is final.
    package mutating func next() throws(RESPFault) -> RESPValue? {
        if let fault { throw fault }
        do {
            while let value = try readValue() {
                if let reply = place(value) {
                    bytesRead = 0
                    elementsAnnounced = 1
                    return reply
                }
            }
            return nil
        } catch {
            fault = error
            received = []
            open = []
            throw error
        }
    }

    // MARK: Arrays

    /// Puts a value into the array that it belongs to, and this one, once it is complete, into its own. Answers what
    /// belongs to none: a whole reply.
    private mutating func place(_ value: RESPValue) -> RESPValue? {
        var value = value
        while var array = open.popLast() {
            array.elements.append(value)
            array.missing -= 1
            if array.missing > 0 {
                open.append(array)
                return nil
            }
            value = .array(array.elements)
        }
        return value
    }

    /// The next value that is no array, or an empty one. Arrays with elements are opened on the way.
    private mutating func readValue() throws(RESPFault) -> RESPValue? {
        while let end = try lineEnd() {
            let type = received[position]
            let line = Array(received[position + 1..<end])
            switch type {
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                try take(end + 2 - position)
                return type == UInt8(ascii: "+") ? .status(line) : .error(line)
            case UInt8(ascii: ":"):
                guard let number = RESPReader.integer(line.span) else { throw .malformed }
                try take(end + 2 - position)
                return .integer(number)
            case UInt8(ascii: "$"):
                guard let length = RESPReader.length(line.span) else { throw .malformed }
                return try readBytes(length, behind: end + 2)
            case UInt8(ascii: "*"):
                guard let count = RESPReader.length(line.span) else { throw .malformed }
                try take(end + 2 - position)
                guard let count else { return .null }
                if count == 0 { return .array([]) }
                try begin(count)
            default: throw .malformed
            }
        }
        return nil
    }

    private mutating func begin(_ count: Int) throws(RESPFault) {
        guard open.count < limits.depth else { throw .tooDeep }
        guard count <= limits.elements - elementsAnnounced else { throw .tooLarge }
        elementsAnnounced += count
        open.append(OpenArray(missing: count))
    }

    /// A bulk string; nil while it is not all there.
    ///
    /// - Parameter length: nil for the null string.
    private mutating func readBytes(_ length: Int?, behind start: Int) throws(RESPFault) -> RESPValue? {
        guard let length else {
            try take(start - position)
            return .null
        }
        guard length <= limits.bytes - bytesRead - (start - position) else { throw .tooLarge }
        let end = start + length
        // What stands where the line must end is looked at as soon as it is there.
        if received.count > end, received[end] != ASCII.carriageReturn { throw .malformed }
        guard received.count >= end + 2 else { return nil }
        guard received[end + 1] == ASCII.lineFeed else { throw .malformed }
        let bytes = Array(received[start..<end])
        try take(end + 2 - position)
        return .bytes(bytes)
    }

    // MARK: Lines

    /// Where the CRLF of the line at `position` stands; nil while it is not there.
    private mutating func lineEnd() throws(RESPFault) -> Int? {
        // Whoever speaks something else is not waited for until it ends a line.
        guard position == received.count || RESPReader.types.contains(received[position]) else { throw .malformed }
        searched = max(searched, position)
        while searched < received.count {
            let byte = received[searched]
            guard byte != ASCII.lineFeed else { throw .malformed }
            guard searched - position <= limits.line else { throw .tooLarge }
            if byte == ASCII.carriageReturn {
                guard searched + 1 < received.count else { return nil }
                guard received[searched + 1] == ASCII.lineFeed, searched > position else { throw .malformed }
                return searched
            }
            searched += 1
        }
        return nil
    }

    private mutating func take(_ count: Int) throws(RESPFault) {
        bytesRead += count
        guard bytesRead <= limits.bytes else { throw .tooLarge }
        position += count
        searched = position
    }

    /// A number with at most one sign before its digits.
    static func integer(_ text: Span<UInt8>) -> Int64? {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        let isSigned = isNegative || (!text.isEmpty && text[0] == UInt8(ascii: "+"))
        let digits = text.extracting((isSigned ? 1 : 0)..<text.count)
        guard !digits.isEmpty else { return nil }
        // Summed up below zero, where there is room for one more than above.
        var value: Int64 = 0
        for i in digits.indices {
            guard ASCII.isDigit(digits[i]) else { return nil }
            let (tens, tooMany) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooMuch) = tens.subtractingReportingOverflow(Int64(digits[i] &- 48))
            if tooMany || tooMuch { return nil }
            value = sum
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// A length: `.some(nil)` for `-1`, which stands for null; nil for what is none.
    private static func length(_ text: Span<UInt8>) -> Int?? {
        if text.count == 2, text[0] == UInt8(ascii: "-"), text[1] == UInt8(ascii: "1") { return .some(nil) }
        return Decimal.parse(text).map { .some($0) }
    }
}

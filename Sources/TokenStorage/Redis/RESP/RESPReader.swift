import Bytes

/// A protocol violation by the server. The connection is unusable: the start of the next reply is unknown.
package enum RESPFault: Error, Equatable, Sendable {
    case malformed
    /// Exceeds the size or number of elements of any expected reply.
    case tooLarge
    /// Exceeds the nesting depth of any expected reply.
    case tooDeep
}

/// Parses replies from a byte stream, however it is segmented.
///
/// A compromised server, or another service on its port, may send anything. Announced sizes are checked before memory
/// is allocated, and memory grows only with received bytes.
package struct RESPReader {
    package struct Limits: Sendable {
        /// Bytes of one reply.
        package var bytes = 16 * 1024 * 1024
        /// Bytes of a line: a status, an error or a number.
        package var line = 16 * 1024
        /// Values of one reply, including those in arrays.
        package var elements = 256 * 1024
        /// Nesting depth of arrays.
        package var depth = 8

        package init() {}
    }

    /// An incomplete array.
    private struct OpenArray {
        var missing: Int
        var elements: [RESPValue] = []
    }

    private static let types = Array("+-:$*".utf8)

    private let limits: Limits
    private var received: [UInt8] = []
    /// Start of the unread part of `received`.
    private var position = 0
    /// Position up to which the end of the line at `position` was searched.
    private var searched = 0
    /// Outermost first.
    private var open: [OpenArray] = []
    /// Size of the current reply so far.
    private var bytesRead = 0
    private var elementsAnnounced = 1
    private var fault: RESPFault?

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Adds received bytes. Call `next` until it returns nil before adding more.
    package mutating func append(_ bytes: Span<UInt8>) {
        if position > 0 {
            received.removeFirst(position)
            searched -= position
            position = 0
        }
        received.reserveCapacity(received.count + bytes.count)
        for i in bytes.indices { received.append(bytes[i]) }
    }

    /// The next complete reply; nil if there is none. Errors are final.
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

    /// Adds a value to the innermost open array, closing arrays that become complete. Returns the reply if it is
    /// complete.
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

    /// The next value other than a non-empty array. Opens the arrays before it.
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

    /// A bulk string; nil while incomplete.
    ///
    /// - Parameter length: nil for the null string.
    private mutating func readBytes(_ length: Int?, behind start: Int) throws(RESPFault) -> RESPValue? {
        guard let length else {
            try take(start - position)
            return .null
        }
        guard length <= limits.bytes - bytesRead - (start - position) else { throw .tooLarge }
        let end = start + length
        // Checks the line terminator as soon as it has arrived.
        if received.count > end, received[end] != ASCII.carriageReturn { throw .malformed }
        guard received.count >= end + 2 else { return nil }
        guard received[end + 1] == ASCII.lineFeed else { throw .malformed }
        let bytes = Array(received[start..<end])
        try take(end + 2 - position)
        return .bytes(bytes)
    }

    // MARK: Lines

    /// Position of the CRLF of the line at `position`; nil if not yet received.
    private mutating func lineEnd() throws(RESPFault) -> Int? {
        // Refuses other protocols without waiting for the end of a line.
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

    /// A number with an optional sign.
    static func integer(_ text: Span<UInt8>) -> Int64? {
        let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
        let isSigned = isNegative || (!text.isEmpty && text[0] == UInt8(ascii: "+"))
        let digits = text.extracting((isSigned ? 1 : 0)..<text.count)
        guard !digits.isEmpty else { return nil }
        // Accumulates negatively: the negative range is larger by one.
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

    /// A length: `.some(nil)` for `-1`, which means null; nil if invalid.
    private static func length(_ text: Span<UInt8>) -> Int?? {
        if text.count == 2, text[0] == UInt8(ascii: "-"), text[1] == UInt8(ascii: "1") { return .some(nil) }
        return Decimal.parse(text).map { .some($0) }
    }
}

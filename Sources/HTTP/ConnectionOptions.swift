import Bytes

/// The options of the `Connection` fields of a head (RFC 9110 section 7.6.1).
package struct ConnectionOptions: Sendable {
    package private(set) var close = false
    package private(set) var keepAlive = false
    package private(set) var upgrade = false
    /// Whether hop-by-hop fields are listed; otherwise `names` need not be called.
    package private(set) var namesFields = false

    /// The number of options, known ones included, and the length of their fields.
    private var count = 0
    private var length = 0

    /// Whether they are few and short enough to search them for each forwarded field.
    package var isBounded: Bool { count <= 32 && length <= 1024 }

    package init(_ headers: HeaderTable, _ bytes: Span<UInt8>) {
        guard headers.occurrences(.connection) > 0 else { return }
        if headers.occurrences(.connection) == 1, let value = headers.value(.connection) {
            read(value, bytes)
            return
        }
        for i in 0..<headers.count where headers[i].token == .connection { read(headers[i].value, bytes) }
    }

    private mutating func read(_ value: ByteRange, _ bytes: Span<UInt8>) {
        length &+= Int(value.count)
        var list = FieldList(value)
        while let element = list.next(bytes) {
            let option = bytes.slice(element)
            count &+= 1
            if matches(option, "close") {
                close = true
            } else if matches(option, "keep-alive") {
                keepAlive = true
            } else if matches(option, "upgrade") {
                upgrade = true
            } else {
                namesFields = true
            }
        }
    }

    /// Whether a `Connection` field of the head lists this field name.
    package static func names(_ name: Span<UInt8>, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        for i in 0..<headers.count where headers[i].token == .connection {
            if FieldList.contains(headers[i].value, name, in: bytes) { return true }
        }
        return false
    }
}

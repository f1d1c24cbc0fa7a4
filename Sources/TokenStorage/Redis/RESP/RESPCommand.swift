/// Encodes commands: an array of binary-safe bulk strings.
package enum RESPCommand {
    /// Appends a command of these words, the name first.
    package static func append(_ words: [[UInt8]], to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + words.reduce(16) { $0 + $1.count + 16 })
        append(UInt8(ascii: "*"), words.count, to: &bytes)
        for word in words {
            append(UInt8(ascii: "$"), word.count, to: &bytes)
            bytes += word
            bytes += lineEnd
        }
    }

    private static func append(_ type: UInt8, _ count: Int, to bytes: inout [UInt8]) {
        bytes.append(type)
        bytes += String(count).utf8
        bytes += lineEnd
    }

    private static let lineEnd: [UInt8] = [13, 10]
}

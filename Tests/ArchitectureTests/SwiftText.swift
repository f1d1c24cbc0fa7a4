/// As much of Swift's lexical grammar as it takes to tell code from comments and string literals.
struct SwiftText {
    private let input: [UInt8]
    /// The text without comments and literals, and the comments without the rest; both line for line.
    private var (output, comments): ([UInt8], [UInt8]) = ([], [])
    private var position = 0

    /// The text with comments and the contents of string literals replaced by blanks, where line ends stay, and so does the
    /// code inside `\( )`; and the comments, with everything else replaced.
    static func parts(_ text: String) -> (code: String, comments: String) {
        var scanner = SwiftText(input: Array(text.utf8))
        scanner.code(inInterpolation: false)
        return (String(decoding: scanner.output, as: UTF8.self), String(decoding: scanner.comments, as: UTF8.self))
    }

    private init(input: [UInt8]) {
        self.input = input
        output.reserveCapacity(input.count)
        comments.reserveCapacity(input.count)
    }

    private func starts(with text: String) -> Bool {
        input[position...].starts(with: text.utf8)
    }

    /// The byte here, or a blank of its place.
    private var blanked: UInt8 {
        input[position] == UInt8(ascii: "\n") ? input[position] : UInt8(ascii: " ")
    }

    private mutating func keep() {
        output.append(input[position])
        comments.append(blanked)
        position += 1
    }

    private mutating func blank(_ count: Int = 1, isComment: Bool = false) {
        for _ in 0..<count where position < input.count {
            output.append(blanked)
            comments.append(isComment ? input[position] : blanked)
            position += 1
        }
    }

    /// Copies code up to the parenthesis that closes an interpolation, or to the end of the text.
    private mutating func code(inInterpolation: Bool) {
        var depth = 0
        while position < input.count {
            switch input[position] {
            case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "#"): break
            case UInt8(ascii: "("):
                depth += 1
                keep()
                continue
            case UInt8(ascii: ")"):
                if depth == 0 && inInterpolation { return }
                depth -= 1
                keep()
                continue
            default:
                keep()
                continue
            }
            if starts(with: "//") {
                while position < input.count, input[position] != UInt8(ascii: "\n") { blank(isComment: true) }
            } else if starts(with: "/*") {
                blockComment()
            } else if let hashes = stringStart() {
                string(hashes: hashes)
            } else {
                keep()
            }
        }
    }

    /// Block comments nest in Swift.
    private mutating func blockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                blank(2, isComment: true)
            } else if starts(with: "*/") {
                depth -= 1
                blank(2, isComment: true)
            } else {
                blank(isComment: true)
            }
        } while depth > 0 && position < input.count
    }

    /// The number of `#` before the quote if a string literal starts here.
    private func stringStart() -> Int? {
        var at = position
        while at < input.count, input[at] == UInt8(ascii: "#") { at += 1 }
        return at < input.count && input[at] == UInt8(ascii: "\"") ? at - position : nil
    }

    private mutating func string(hashes: Int) {
        let pounds = String(repeating: "#", count: hashes)
        for _ in 0..<hashes { keep() }
        let quote = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        for _ in quote.utf8 { keep() }
        while position < input.count {
            if starts(with: quote + pounds) {
                for _ in 0..<(quote.utf8.count + hashes) { keep() }
                return
            }
            if starts(with: "\\" + pounds + "(") {
                blank(2 + hashes)
                code(inInterpolation: true)
                blank()
            } else if starts(with: "\\" + pounds) {
                blank(2 + hashes)
            } else if quote == "\"" && input[position] == UInt8(ascii: "\n") {
                return
            } else {
                blank()
            }
        }
    }

    /// The identifiers and keywords of a text.
    static func words(_ text: String) -> Set<Substring> {
        Set(
            text.utf8.split { byte in
                !((byte | 32) &- 97 < 26 || byte &- 48 < 10 || byte == UInt8(ascii: "_"))
            }.map { Substring($0) })
    }
}

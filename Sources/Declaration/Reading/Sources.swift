import Bytes

/// A parsed file of the configuration.
package struct SourceFile: Sendable {
    /// Relative to the directory.
    package let name: String
    package private(set) var root: JSONNode
    private let lineStarts: [Int]

    package init(name: String, text: [UInt8], root: JSONNode) {
        self.name = name
        self.root = root
        lineStarts = SourceFile.lineStarts(of: text)
    }

    /// The same file with a part of its value.
    package func part(_ root: JSONNode) -> SourceFile {
        var part = self
        part.root = root
        return part
    }

    /// Line of an offset, from 1.
    package func line(at offset: Int) -> Int { SourceFile.line(at: offset, lineStarts) }

    /// Line of an offset in a text, from 1.
    package static func line(at offset: Int, in text: [UInt8]) -> Int { line(at: offset, lineStarts(of: text)) }

    /// Column of an offset in a text, in characters from 1.
    package static func column(at offset: Int, in text: [UInt8]) -> Int {
        let start = lineStarts(of: text).last { $0 <= offset } ?? 0
        return String(decoding: text[start..<min(offset, text.count)], as: UTF8.self).count + 1
    }

    private static func line(at offset: Int, _ starts: [Int]) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private static func lineStarts(of text: [UInt8]) -> [Int] {
        var starts = [0]
        let text = text.span
        for i in text.indices where text[i] == ASCII.lineFeed { starts.append(i + 1) }
        return starts
    }
}

/// The files of all sections; resolves pointers to file and line.
package struct Sources: Sendable {
    /// `gateway.json`, if it is readable.
    package var gateway: SourceFile?
    /// Sections in files of their own.
    package var sections: [String: SourceFile] = [:]
    /// Variables of the environment by the pointers of the options that they set.
    package var variables: [String: String] = [:]
    /// Sections whose own file is unreadable.
    package var unreadable: Set<String> = []

    package init() {}

    package static let gatewayFile = "gateway.json"
    package static let gatewayFiles = [gatewayFile, "gateway.jsonc"]

    /// The value of a section, in its own file or in `gateway.json`.
    package func node(of section: String) -> JSONNode? { sections[section]?.root ?? gateway?.root[section] }

    /// The variable that sets the option at a place or above it.
    package func variable(of pointer: String) -> String? {
        if variables.isEmpty { return nil }
        return variables.first { pointer == $0.key || pointer.hasPrefix("\($0.key)/") }?.value
    }

    /// File and line of a place, or of the nearest enclosing one that exists.
    package func location(of pointer: String) -> (file: String, line: Int) {
        if let variable = variable(of: pointer) { return (variable, 0) }
        var segments = JSONPointer.segments(pointer)[...]
        var file = gateway
        if let section = segments.first, let own = sections[section] {
            file = own
            segments = segments.dropFirst()
        }
        guard let file else { return (Sources.gatewayFile, 1) }
        var node = file.root
        var offset = node.offset
        for segment in segments {
            if let member = node.members?.first(where: { $0.name == segment }) {
                offset = member.nameOffset
                node = member.node
            } else if let elements = node.array, let index = Int(segment), elements.indices.contains(index) {
                node = elements[index]
                offset = node.offset
            } else {
                break
            }
        }
        return (file.name, file.line(at: offset))
    }
}

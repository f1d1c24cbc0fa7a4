import Bytes
import Model
import Reactor

/// Lines of a log as people read them on a terminal: time, level and event, or status, method and path, then `key=value`.
struct LogText: Sendable {
    let hasColour: Bool

    /// - Parameter block: whole lines of JSON. Others stay as they are.
    func text(of block: [UInt8]) -> [UInt8] {
        let lines = block.split(separator: ASCII.lineFeed).map { line in
            (try? JSONNode.parse(Array(line).span))?.members.map(text) ?? String(decoding: line, as: UTF8.self)
        }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    private func text(of members: [JSONMember]) -> String {
        func value(_ name: String) -> String? { members.first { $0.name == name }.map { LogText.value($0.node) } }
        var words: [String] = []
        if let time = members.first(where: { $0.name == "time" })?.node.number {
            let (seconds, rest) = Int64((time * 1000).rounded()).quotientAndRemainder(dividingBy: 1000)
            let digits = String(1000 + rest).dropFirst()
            words.append(
                TextStyle.faint.applied(to: "\(InternetDate.text(seconds).dropLast()).\(digits)Z", if: hasColour))
        }
        if let level = value("level") {
            let style: TextStyle? = ["error": .red, "warning": .yellow][level]
            let padded = level.uppercased() + String(repeating: " ", count: max(0, 7 - level.count))
            words.append(style?.applied(to: padded, if: hasColour) ?? padded)
        }
        if let event = value("event") { words.append(TextStyle.bold.applied(to: event, if: hasColour)) }
        let isRequest = value("event") == nil && value("status") != nil
        let leading = isRequest ? ["status", "method", "path"] : []
        words += leading.compactMap(value)
        let shown = Set(["time", "level", "event"] + leading)
        words += members.filter { !shown.contains($0.name) }.map {
            TextStyle.faint.applied(to: "\($0.name)=", if: hasColour) + LogText.value($0.node)
        }
        return words.joined(separator: " ")
    }

    /// Quoted where it could be taken for more than one value. Clients choose some, so a terminal must not act on them.
    private static func value(_ node: JSONNode) -> String {
        guard let text = node.string else {
            return Evidence.printable(node.onOneLine)
        }
        let isWord = !text.isEmpty && !text.contains { $0 == " " || $0 == "\"" || $0 == "=" || $0.isNewline }
        let quoted = text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return Evidence.printable(isWord ? text : "\"\(quoted)\"")
    }
}

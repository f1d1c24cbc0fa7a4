import Bytes
import Model
import Reactor

/// Answers as commands print them: on a terminal lists as tables and objects indented, and elsewhere a line for each element:
/// JSON, or the text where it is one.
enum Listing {
    /// Characters of a cell that a table shows.
    private static let longestCell = 48
    private static let gap = "  "

    /// - Parameter asJSON: whether each line is JSON, on a terminal too.
    static func show(_ answer: JSONNode?, asJSON: Bool = false) {
        guard let answer else { return }
        let elements = answer.array ?? [answer]
        let isForPeople = StandardStream.output.isTerminal && !asJSON
        if isForPeople, answer.array != nil, !elements.isEmpty, elements.allSatisfy({ $0.members != nil }) {
            for line in table(elements, hasColour: StandardStream.output.hasColour) { Terminal.print(line) }
            return
        }
        for element in elements {
            switch (isForPeople, element.string) {
            case (true, let text?): Terminal.print(Evidence.printable(text))
            case (true, nil):
                let lines = (try? JSONLayout.indented(element.serialized, by: 2)) ?? element.serialized
                Terminal.print(Evidence.printable(String(decoding: lines, as: UTF8.self)))
            case (false, let text?) where !asJSON: Terminal.print(text)
            case (false, _): Terminal.print(element.onOneLine)
            }
        }
    }

    /// Columns are as wide as their widest cell, and have the names of the members.
    static func table(_ rows: [JSONNode], hasColour: Bool) -> [String] {
        let names = rows.flatMap { $0.members ?? [] }.map(\.name).unique()
        let cells = rows.map { row in names.map { cell(row[$0]) } }
        let widths = names.indices.map { column in ([names] + cells).map { $0[column].count }.max() ?? 0 }
        let lines = ([names] + cells).map { line in
            let last = line.lastIndex { !$0.isEmpty } ?? 0
            return line.prefix(last + 1).enumerated().map { column, text in
                text + String(repeating: " ", count: column == last ? 0 : widths[column] - text.count)
            }.joined(separator: gap)
        }
        return lines.enumerated().map {
            $0.offset == 0 ? TextStyle.bold.applied(to: $0.element, if: hasColour) : $0.element
        }
    }

    /// A whole number of seconds since 1970 is shown as a date.
    private static func cell(_ node: JSONNode?) -> String {
        guard let node, !node.isNull else { return "" }
        let parts = node.array?.map { $0.string ?? $0.onOneLine }
        let date = node.integer.flatMap { (1_000_000_000..<10_000_000_000).contains($0) ? InternetDate.text($0) : nil }
        let text = parts?.joined(separator: ",") ?? date ?? node.string ?? node.onOneLine
        let shown = Evidence.printable(text.replacing("\n", with: " "))
        return shown.count > longestCell ? shown.prefix(longestCell - 1) + "…" : shown
    }
}

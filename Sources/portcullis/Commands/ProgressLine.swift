import Reactor

/// The progress of a long command, in a line that replaces itself; on capable terminals only.
struct ProgressLine {
    private let count: Int?
    private let noun: String
    private let start = Clock.monotonicMilliseconds
    private var shown = Clock.monotonicMilliseconds
    private var hasShown = false
    private let isScreen = StandardStream.errors.isScreen

    /// - Parameters:
    ///   - count: of all; nil where it is not known.
    ///   - noun: what is counted, and what is done with it.
    init(of count: Int? = nil, _ noun: String) { (self.count, self.noun) = (count, noun) }

    mutating func show(_ done: Int) {
        guard isScreen else { return }
        let now = Clock.monotonicMilliseconds
        guard done == 0 || now - shown >= 500 else { return }
        shown = now
        hasShown = true
        var text = "\(done)"
        if let count {
            let left = (now - start) * Int64(count - done) / Int64(max(1, done)) / 1000
            text += " of \(count) \(noun)" + (done == 0 ? "" : ", \(left / 60) min \(left % 60) s left")
        } else {
            text += " \(noun)"
        }
        write("\r\u{1B}[K\(text)")
    }

    func end() {
        if hasShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) { StandardStream.errors.write(Array(text.utf8)) }
}

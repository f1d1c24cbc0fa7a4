/// Answers of another server by the question, and the waiters for calls in progress, so that equal questions at the same
/// time are one call. A pure value; the caller says how long an answer counts.
package struct AnswerTable<Answer: Sendable, Waiter: Sendable>: Sendable {
    private let capacity: Int
    private var known: [[UInt8]: Answer] = [:]
    /// The keys of `known`, oldest first; some may already be removed there.
    private var order: [[UInt8]] = []
    private var waiting: [[UInt8]: [Waiter]] = [:]

    /// - Parameter capacity: maximum number of kept answers; 0 for none.
    package init(capacity: Int) { self.capacity = capacity }

    /// Number of kept answers, expired ones included.
    package var count: Int { known.count }
    /// Number of questions with a call in progress.
    package var callsUnderWay: Int { waiting.count }

    /// - Parameter question: a digest of all that the answer depends on.
    package subscript(question: [UInt8]) -> Answer? { known[question] }

    /// Waits for a call in progress; false if there is none.
    package mutating func follow(_ question: [UInt8], _ waiter: Waiter) -> Bool {
        guard waiting[question] != nil else { return false }
        waiting[question]?.append(waiter)
        return true
    }

    /// The caller makes a call, and waits for it, too.
    package mutating func lead(_ question: [UInt8], _ waiter: Waiter) { waiting[question] = [waiter] }

    /// The call has ended. Returns all who wait for it.
    package mutating func settle(_ question: [UInt8]) -> [Waiter] { waiting.removeValue(forKey: question) ?? [] }

    package mutating func forget(_ question: [UInt8]) { known.removeValue(forKey: question) }

    package mutating func keep(_ question: [UInt8], _ answer: Answer) {
        guard capacity > 0 else { return }
        if known.updateValue(answer, forKey: question) == nil { order.append(question) }
        guard order.count > capacity else { return }
        // Removes an eighth at once, which amortises the cost of shifting the rest.
        let count = max(1, capacity / 8)
        for question in order.prefix(count) { known.removeValue(forKey: question) }
        order.removeFirst(count)
    }
}

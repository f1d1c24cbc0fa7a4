import Model

/// Waiting work in the order of its priority, and of one priority in turns of the parties that it is for, so that a party
/// waits for one piece of each other party and not for all that others have asked for.
package struct TurnQueue<Element> {
    /// The work of one priority.
    private struct Line {
        var parties: [IPAddress?: FirstInFirstOut<Element>] = [:]
        /// Parties with work, by the turn.
        var turns = FirstInFirstOut<IPAddress?>()

        mutating func append(_ element: Element, of party: IPAddress?) {
            if parties[party] == nil { turns.append(party) }
            parties[party, default: FirstInFirstOut()].append(element)
        }

        var first: Element? {
            guard let party = turns.front else { return nil }
            return parties[party]?.front
        }

        mutating func next() -> Element? {
            guard let party = turns.removeFirst(), let element = parties[party]?.removeFirst() else { return nil }
            if parties[party]?.count == 0 { parties[party] = nil } else { turns.append(party) }
            return element
        }

        /// Takes the latest of the party that has most.
        /// - Parameter least: how many the party must have.
        mutating func removeOfLongest(least: Int) -> Element? {
            guard let longest = parties.max(by: { $0.value.count < $1.value.count }), longest.value.count >= least
            else {
                return nil
            }
            let element = parties[longest.key]?.removeLast()
            if parties[longest.key]?.count == 0 {
                parties[longest.key] = nil
                _ = turns.removeAll { $0 == longest.key }
            }
            return element
        }

        mutating func remove(of party: IPAddress?, where isMeant: (Element) -> Bool) -> Int {
            let removed = parties[party]?.removeAll(where: isMeant).count ?? 0
            if parties[party]?.count == 0 {
                parties[party] = nil
                _ = turns.removeAll { $0 == party }
            }
            return removed
        }

        mutating func removeAll(where isUnwanted: (Element) -> Bool) -> [Element] {
            var removed: [Element] = []
            for party in parties.keys {
                removed += parties[party]?.removeAll(where: isUnwanted) ?? []
                if parties[party]?.count == 0 { parties[party] = nil }
            }
            _ = turns.removeAll { parties[$0] == nil }
            return removed
        }
    }

    /// From the first priority to the last.
    private var lines: [Line]
    /// How many pieces were taken.
    private var taken = 0
    package private(set) var count = 0

    package init(priorities: Int) { lines = Array(repeating: Line(), count: priorities) }

    /// - Parameter party: nil for work of no address, which is one party.
    package mutating func append(_ element: Element, of party: IPAddress?, priority: Int) {
        lines[priority].append(element, of: party)
        count += 1
    }

    /// Of four pieces one, and of sixteen one more, is of the next priority if there is any, so that none waits in vain.
    package mutating func next() -> Element? {
        guard let line = nextLine else { return nil }
        taken &+= 1
        count -= 1
        return lines[line].next()
    }

    /// What `next` takes.
    package var first: Element? { nextLine.flatMap { lines[$0].first } }

    private var nextLine: Int? {
        let number = taken &+ 1
        let preferred = number % 16 == 0 ? 2 : number % 4 == 0 ? 1 : 0
        for index in lines.indices {
            let line = (index + preferred) % lines.count
            if lines[line].turns.count > 0 { return line }
        }
        return nil
    }

    /// Takes out what has to make room for work of a party: the latest of a later priority, or of a party that has more;
    /// nil if there is none.
    package mutating func displaced(by party: IPAddress?, priority: Int) -> Element? {
        for index in lines.indices.reversed() where index >= priority {
            let least = index > priority ? 1 : (lines[index].parties[party]?.count ?? 0) + 2
            if let element = lines[index].removeOfLongest(least: least) {
                count -= 1
                return element
            }
        }
        return nil
    }

    /// Takes out work of a party; the order of the rest stays.
    package mutating func remove(of party: IPAddress?, priority: Int, where isMeant: (Element) -> Bool) {
        count -= lines[priority].remove(of: party, where: isMeant)
    }

    /// Takes out the work that is not wanted any more.
    mutating func removeAll(where isUnwanted: (Element) -> Bool) -> [Element] {
        let removed = lines.indices.flatMap { lines[$0].removeAll(where: isUnwanted) }
        count -= removed.count
        return removed
    }
}

/// A queue that releases what is taken at once, since it may hold a password.
private struct FirstInFirstOut<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var count: Int { elements.count - first }

    /// What `removeFirst` takes.
    var front: Element? { count > 0 ? elements[first] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first * 2 > elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    mutating func removeLast() -> Element? { count > 0 ? elements.removeLast() : nil }

    mutating func removeAll(where isUnwanted: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var kept: [Element?] = []
        // Asked once for each, since the answer may change meanwhile.
        for case let element? in elements[first...] {
            if isUnwanted(element) { removed.append(element) } else { kept.append(element) }
        }
        (elements, first) = (kept, 0)
        return removed
    }
}

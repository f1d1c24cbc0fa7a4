import Bytes

/// A page that a browser has asked for and needs a login for.
package struct RequestedPage: Sendable, Equatable {
    /// Where the browser returns to.
    package var target: ReturnTarget
    /// The authentication level that is required (CHAL-06).
    package var level: Int
    /// What else is required of the login; nil for nothing.
    package var demand: RequiredLogin?
    /// The ways to log in that count there, as `LoginChoice.name`; empty where the address of the login says them.
    package var ways: [String]
    /// The host of the page; nil for one where browsers log in.
    package var host: VisitedHost?

    package init(
        _ target: ReturnTarget, level: Int = 0, demand: RequiredLogin? = nil, ways: [String] = [],
        at host: VisitedHost? = nil
    ) {
        self.host = host
        self.target = target
        self.level = level
        self.demand = demand
        self.ways = ways
    }

    /// Texts for a sealed record. Names of ways have no blanks.
    package var texts: [String] {
        [target.text, "\(level)", ways.joined(separator: " ")] + (host?.texts ?? ["", ""]) + (demand?.texts ?? [])
    }

    /// Nil for input that `texts` does not produce.
    package init?(texts: [String]) {
        guard [5, 7].contains(texts.count), let target = ReturnTarget(texts[0]),
            let level = Decimal.parse(Array(texts[1].utf8).span)
        else { return nil }
        self.init(
            target, level: level, demand: RequiredLogin(texts.dropFirst(5)),
            ways: texts[2].split(separator: " ").map(String.init), at: VisitedHost(texts[3..<5]))
    }
}

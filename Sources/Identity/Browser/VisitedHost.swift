import Bytes
import Crypto
import Model

/// The host of an application that a browser has asked, while it logs in at another one: it comes back with a code that counts
/// there, in that browser, once.
package struct VisitedHost: Sendable, Equatable {
    /// As the browser knows it, in its canonical form.
    package let origin: String
    /// The browser's half, in its cookie `BrowserCookie.visit` of that host: 128 random bits.
    package let mark: String

    private init(origin: String, mark: String) {
        self.origin = origin
        self.mark = mark
    }

    /// - Parameters:
    ///   - authority: as in `Host`; nil is the result for one that is none.
    ///   - held: the values of its cookies `visit`: other tabs may be under way.
    package init?(authority: String, secure: Bool, held: [String]) {
        guard let origin = VisitedHost.origin(authority, secure: secure) else { return nil }
        self.init(origin: origin, mark: held.first(where: VisitedHost.isMark) ?? SecureRandom.text(16))
    }

    /// The origin of a request; nil for an authority that is none.
    package static func origin(_ authority: String, secure: Bool) -> String? {
        (try? WebOrigin("\(secure ? "https" : "http")://\(authority)"))?.description
    }

    private static func isMark(_ text: String) -> Bool {
        text.utf8.count == 22
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_".utf8.contains($0) }
    }

    /// Gives the browser its half.
    package func cookie(secure: Bool) -> String { BrowserCookie.visit.setting(mark, secure: secure) }

    /// Texts for a sealed record.
    package var texts: [String] { [origin, mark] }

    /// Nil for other texts.
    package init?(_ texts: some Collection<String>) {
        let texts = Array(texts)
        guard texts.count == 2, !texts[0].isEmpty, VisitedHost.isMark(texts[1]) else { return nil }
        self.init(origin: texts[0], mark: texts[1])
    }
}

import Bytes
import Model

/// A named protection space: its routes share a level, a challenge and a token for the upstream (CHAL-01, CACHE-03).
package final class Webgate: Sendable {
    /// `[A-Za-z0-9._-]{1,64}`, so that it needs no quoting (CHAL-08).
    package let name: String
    /// 0 to 10.
    package let level: Int
    /// The agents that get the Webgate's challenge; empty for all clients (AMB-22).
    package let userAgents: [UserAgentPattern]
    /// Nil if not configured: `redirect` if the scheme has a form, otherwise `bearer`.
    package let mismatch: UserAgentMismatch?
    package let injections: [InjectionRule]
    /// How its users log in; nil if not configured (SCH-01).
    package let scheme: AuthenticationScheme?

    /// - Parameter userAgents: values of `userDefinedParameters.User-Agent`.
    package init(
        name: String, level: Int, userAgents: [String] = [], mismatch: UserAgentMismatch? = nil,
        injections: [InjectionRule] = [], scheme: AuthenticationScheme? = nil
    ) {
        self.scheme = scheme
        self.name = name
        self.level = level
        self.userAgents = userAgents.map(UserAgentPattern.init)
        self.mismatch = mismatch
        self.injections = injections
    }

    /// Whether a client with this `User-Agent` supports the Webgate's challenge (CHAL-04).
    ///
    /// - Parameter userAgent: value of the field; empty if absent.
    package func recognises(_ userAgent: Span<UInt8>) -> Bool {
        if userAgents.isEmpty { return true }
        for i in userAgents.indices where userAgents[i].matches(userAgent) { return true }
        return false
    }
}

/// A value of `userDefinedParameters.User-Agent`: an exact, case-sensitive match, or a prefix if it ends in `*`
/// (DEC-07).
package struct UserAgentPattern: Equatable, Sendable {
    let text: [UInt8]
    let isPrefix: Bool

    package init(_ text: String) {
        isPrefix = text.hasSuffix("*")
        self.text = Array((isPrefix ? text.dropLast() : Substring(text)).utf8)
    }

    package func matches(_ userAgent: Span<UInt8>) -> Bool {
        if !isPrefix { return bytesEqual(userAgent, text.span) && !text.isEmpty }
        return userAgent.count >= text.count && bytesEqual(userAgent.extracting(first: text.count), text.span)
    }
}

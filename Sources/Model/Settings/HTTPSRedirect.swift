/// How a plain listener sends its clients to `https`.
package struct HTTPSRedirect: Hashable, Sendable {
    /// The port of the URL; 443 is left out.
    package var port = 443
    /// 301 or 308.
    package var status = 308

    package init() {}
}

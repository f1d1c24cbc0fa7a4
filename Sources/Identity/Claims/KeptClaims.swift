import Bytes
import Model

/// The claims of a login at a provider that the session keeps. They are sealed in its cookie, whose length browsers limit.
package struct KeptClaims: Sendable, Equatable {
    package let paths: [ClaimPath]
    /// Those of them that routes use. Where not all fit into a cookie, these must.
    package let needed: [ClaimPath]

    package init(_ paths: [ClaimPath], needed: [ClaimPath] = []) {
        self.paths = paths
        self.needed = needed.filter(paths.covers)
    }
}

extension BrowserSeals {
    /// Lets a session keep claims of its login at a provider, as far as its cookie holds them.
    package func keep(_ kept: KeptClaims, of claims: JSONNode, in session: inout Session) {
        for paths in [kept.paths, kept.needed] {
            session.claims = claims.limited(to: paths)?.serialized ?? []
            if cookie(of: session).holds(seal(session)) { return }
        }
    }
}

import Bytes
import Identity
import JOSE
import Model

/// The constant parts of a route's challenges, rendered once. A class, since a challenge would count the references of each
/// part of a copy.
final class ChallengeText: Sendable {
    /// `OAM-Auth realm="<WebGateName>:<level> `; empty without a Webgate (CHAL-05).
    let beforeTarget: [UInt8]
    let beforeContext: [UInt8]
    let afterContext: [UInt8]
    /// `Bearer realm="..."` (CHAL-04, CHAL-05).
    let bearer: [UInt8]
    /// `DPoP realm="...", algs="..."` (RFC 9449 section 7.1).
    let dpop: [UInt8]
    /// `Basic realm="..."` (SCH-01).
    let basic: [UInt8]
    /// ` realm="..."`, behind the scheme of a kind of credential that has its own.
    let realm: [UInt8]
    /// Name of the Webgate, which the context is bound to.
    let webgateName: [UInt8]
    let level: Int

    /// `, scope="..."`: what the route requires (RFC 6750 section 3); empty for none.
    let scope: [UInt8]
    /// `, acr_values="...", max_age=...`: the login that the route requires (RFC 9470 section 3); empty for none.
    let login: [UInt8]

    /// `, resource_metadata="..."` by the authority that was asked (RFC 9728 section 5.1), the first for all others; empty
    /// for none. Texts of the configuration alone: the client controls `Host`.
    let metadata: [(authority: [UInt8], text: [UInt8])]
    /// Identifiers of the resource that the route is (RFC 9728); empty for none.
    let resources: [String]
    /// Challenges in place of `Bearer` and `Basic`; nil for these.
    let own: OwnChallenges?

    init(
        webgate: Webgate?, level: Int, scopes: RoleNames = RoleNames(), login: [UInt8] = [], resources: [WebURL] = [],
        own: [ChallengeRule] = []
    ) {
        self.own =
            own.isEmpty
            ? nil
            : OwnChallenges(
                own, realm: webgate?.name ?? "portcullis", level: level,
                scope: (scopes.all + (scopes.any ?? [])).joined(separator: " "))
        self.login = login
        self.resources = resources.map(ProtectedResource.identifier)
        metadata = resources.map { url in
            let text = #", resource_metadata="\#(ProtectedResource.metadataURL(url))""#
            return (Array(url.authority.utf8), Array(text.utf8))
        }
        self.level = level
        let name = webgate?.name ?? ""
        webgateName = Array(name.utf8)
        // DEC-04: one blank between level and target. Names need no quoting (CHAL-08).
        beforeTarget = webgate == nil ? [] : Array(#"OAM-Auth realm="\#(name):\#(level) "#.utf8)
        beforeContext = Array(#"", request-ctx=""#.utf8) + RequestContext.opening
        afterContext = RequestContext.closing(webgate: webgateName) + [ASCII.quote]
        basic = Array(#"Basic realm="\#(webgate?.name ?? "portcullis")", charset="UTF-8""#.utf8)
        realm = Array(#" realm="\#(webgate?.name ?? "portcullis")""#.utf8)
        scope = ChallengeText.scope(scopes.all + (scopes.any ?? []))
        let algorithms = SignatureAlgorithm.allCases.filter(PossessionProof.algorithms.contains).map(\.rawValue)
        dpop = Array(
            #"DPoP realm="\#(webgate?.name ?? "portcullis")", algs="\#(algorithms.joined(separator: " "))""#.utf8)
        bearer = Array(#"Bearer realm="\#(webgate?.name ?? "portcullis")""#.utf8)
    }

    /// Whether the route is one of the resources that a credential is limited to; true for one without a limit.
    func isFor(_ limits: [String]) -> Bool {
        limits.isEmpty || limits.contains { limit in resources.contains(where: limit.isExactly) }
    }

    static func scope(_ names: [String]) -> [UInt8] {
        names.isEmpty ? [] : Array(#", scope="\#(names.joined(separator: " "))""#.utf8)
    }

    /// Appends a `Bearer` or `DPoP` challenge.
    ///
    /// - Parameters:
    ///   - authority: the host that was asked.
    ///   - other: in place of `scope`.
    func appendBearer(
        to chunk: Chunk, isForProofs: Bool, reason: Reason, authority: Span<UInt8>, scope other: [UInt8]? = nil
    ) {
        let scope = other ?? scope
        chunk.ensureFree(max(bearer.count, dpop.count) + 160 + scope.count + login.count)
        chunk.append(isForProofs ? dpop : bearer)
        if let error = reason.token.code {
            chunk.append(", error=\"")
            chunk.append(error)
            chunk.append(ASCII.quote)
        }
        if let description = reason.neededLogin {
            chunk.append(", error_description=\"")
            chunk.append(description)
            chunk.append(ASCII.quote)
            chunk.append(login)
        }
        chunk.append(scope)
        appendMetadata(at: authority, to: chunk)
    }

    /// Appends `resource_metadata` of the resource at this host.
    private func appendMetadata(at authority: Span<UInt8>, to chunk: Chunk) {
        guard !metadata.isEmpty else { return }
        var place = 0
        for i in metadata.indices where equalIgnoringCase(metadata[i].authority, authority) {
            place = i
            break
        }
        chunk.ensureFree(metadata[place].text.count)
        chunk.append(metadata[place].text)
    }
}

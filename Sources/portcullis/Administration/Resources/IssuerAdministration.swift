import Bytes
import Declaration
import Gateway
import HTTP
import Identity
import Model

/// The published keys of issuers (JWT-30), of a running gateway.
struct IssuerAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.post, "issuers/refresh", "issuers.refresh", Self.refresh)
    ]

    /// Other changes wait meanwhile.
    private static let longestWaitSeconds = 10

    /// Fetches the keys of an issuer, by the name of its entry or the issuer in its tokens. Several entries may have them.
    func refresh(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let name = try AdminBody(request, known: ["name"]).required("name")
        guard let known = administration.issuerKeys?() else {
            throw .unavailable("keys are fetched by a running gateway: use --admin")
        }
        let entries = known.filter { $0.name.isExactly(name) || $0.keys.settings.issuer.isExactly(name) }
        guard !entries.isEmpty else {
            throw .notFound(
                "no issuer \"\(name)\" publishes keys",
                suggestion: Suggestion.nearest(to: name, among: known.map(\.name)))
        }
        var nodes: [JSONNode] = []
        for entry in entries { nodes.append(try IssuerAdministration.refresh(entry)) }
        return .changed(name, JSONNode(.array(nodes)).serialized)
    }

    /// Blocks the thread.
    private static func refresh(_ entry: IssuerKeys) throws(AdminFailure) -> JSONNode {
        let outcome = Promise<RemoteKeySet.Refreshed>()
        entry.keys.refresh(then: outcome.fulfill)
        switch outcome.wait(seconds: longestWaitSeconds) {
        case .success(let refreshed)?:
            return .object([
                ("name", .text(entry.name)), ("keys", .number(Int64(refreshed.keys))),
                ("changed", .flag(refreshed.isNews)),
            ])
        case .failure(let failure)?: throw .unavailable("\(entry.name): \(failure)")
        case nil: throw .unavailable("\(entry.name): the issuer does not answer; the fetch goes on")
        }
    }
}

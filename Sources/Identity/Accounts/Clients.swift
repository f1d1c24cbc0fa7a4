import Bytes
import JOSE
import Model
import Synchronization

/// The mobile backends, indexed by each of their identifiers.
package final class Clients: Sendable {
    /// As configured, with credentials and rights that other gateways have withdrawn.
    package let clients: [Client]
    /// The ids in byte order with their client's index, for an allocation-free binary search.
    private let sortedIDs: [(id: [UInt8], index: Int)]
    private let byClientID: [[UInt8]: Int]
    /// The client of Basic credentials that name none.
    package let defaultIndex: Int?
    /// Whether none is a mobile backend: then no id is missing beside Basic credentials.
    package let areStandard: Bool
    /// Keys of client assertions (RFC 7523), by `id`.
    package let clientKeys: [String: KeySet]
    /// What other gateways have withdrawn; nil where there are none.
    private let withdrawn: WithdrawnAccounts?
    /// The clients without it, as of the last look-up.
    private let current = Mutex(Current())

    private struct Current {
        var version: UInt64?
        var clients: [Client] = []
    }

    /// - Precondition: ids are unique, and so are client ids that are not empty.
    package init(
        _ clients: [Client], clientKeys: [String: KeySet] = [:], withdrawn: WithdrawnAccounts? = nil
    ) {
        self.clients = clients
        self.clientKeys = clientKeys
        self.withdrawn = withdrawn
        sortedIDs = clients.enumerated()
            .map { (id: Array($1.id.utf8), index: $0) }
            .sorted { $0.id.lexicographicallyPrecedes($1.id) }
        defaultIndex = clients.firstIndex(where: \.isDefault)
        areStandard = clients.allSatisfy(\.isStandard)
        // Clients without OAuth have none.
        let clients = clients.enumerated().filter { !$1.clientID.isEmpty }
        byClientID = Dictionary(uniqueKeysWithValues: clients.map { (Array($1.clientID.utf8), $0) })
    }

    /// The same without what other gateways have withdrawn.
    package var asConfigured: Clients { Clients(clients, clientKeys: clientKeys) }

    /// The client with this id, compared byte by byte. No heap allocation.
    package func client(id: Span<UInt8>) -> Client? {
        index(id: id).map { client(at: $0) }
    }

    /// The client with this index, without credentials and rights that other gateways have withdrawn. No heap
    /// allocation until they withdraw more.
    package func client(at index: Int) -> Client {
        guard let withdrawn, withdrawn.has(.client) || withdrawn.has(.clientSecret) || withdrawn.has(.setting) else {
            return clients[index]
        }
        // Read first: what is withdrawn meanwhile counts at the next look-up.
        let version = withdrawn.version
        return current.withLock { current in
            if current.version != version {
                current = Current(version: version, clients: clients.map(withdrawn.current))
            }
            return current.clients[index]
        }
    }

    /// Whether other gateways have withdrawn a credential or right that belongs to a client.
    package func hasWithdrawn(_ credential: WithdrawnAccounts.Credential) -> Bool {
        withdrawn?.contains(credential) == true
    }

    /// Index in `clients` of the client with this id. No heap allocation.
    package func index(id: Span<UInt8>) -> Int? {
        var low = 0
        var high = sortedIDs.count
        while low < high {
            let middle = (low + high) / 2
            let candidate = sortedIDs[middle]
            switch order(of: id, relativeTo: candidate.id.span) {
            case 0: return candidate.index
            case ..<0: high = middle
            default: low = middle + 1
            }
        }
        return nil
    }

    /// The client with this OAuth client id, compared byte by byte.
    package func client(clientID: String) -> Client? {
        byClientID[Array(clientID.utf8)].map { client(at: $0) }
    }

    /// The client of this name and version.
    package func client(name: String, version: String) -> Client? {
        clients.firstIndex {
            $0.name.isExactly(name) && $0.version.isExactly(version)
        }.map { client(at: $0) }
    }

    /// The client with this `name/version`.
    package func client(reference: String) -> Client? {
        clients.firstIndex { $0.reference.isExactly(reference) }.map { client(at: $0) }
    }

    /// Whether the clients of the tokens that were exchanged still accept tokens of that time.
    package func stand(behind claims: AccessTokenClaims) -> Bool {
        claims.origins.allSatisfy { origin in
            guard let id = origin.backendID else { return true }
            guard let client = client(id: Array(id.utf8).span), client.oauthConsumer else { return false }
            return claims.issuedAt >= client.tokensNotBefore
        }
    }

    /// Negative, zero or positive as `left` sorts before, with or after `right`.
    private func order(of left: Span<UInt8>, relativeTo right: Span<UInt8>) -> Int {
        for i in 0..<min(left.count, right.count) where left[i] != right[i] {
            return left[i] < right[i] ? -1 : 1
        }
        return left.count - right.count
    }
}

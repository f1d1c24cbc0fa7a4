import Crypto
import Gateway
import Identity
import JOSE
import Outbound
import Reactor
import Synchronization

/// The keys of issuers whose tokens are exchanged, by their policy. A reloaded policy may name further issuers.
final class AssertionKeySets: Sendable {
    private struct Place: Hashable {
        let issuer: [UInt8]
        let source: AssertionKeySource
    }

    private let sets = Mutex<[Place: RemoteKeySet]>([:])
    private let retained: RetainedState
    /// Directory of relative file names.
    private let directory: String

    init(_ retained: RetainedState, directory: String) {
        self.retained = retained
        self.directory = directory
    }

    /// The keys for a token; new ones are set up off the loop.
    func keys(
        _ source: AssertionKeySource, issuer: String, _ need: KeyNeed, now: Int64
    ) -> Effect<Result<KeySet, AssertionSources.KeysFailure>> {
        let place = Place(issuer: Array(issuer.utf8), source: source)
        if let known = sets.withLock({ $0[place] }) { return known.assertionKeys(for: need, now: now) }
        return .offload { [self] in
            guard let made = make(source, issuer: issuer) else { return .done(.failure(.unusable)) }
            return made.assertionKeys(for: need, now: now)
        }
    }

    /// Nil for invalid addresses or an unusable file of authorities.
    func make(_ source: AssertionKeySource, issuer: String) -> RemoteKeySet? {
        var authorities: [UInt8]?
        if let file = source.trustFile {
            let path = file.hasPrefix("/") ? file : "\(directory)/\(file)"
            authorities = try? FileSystem.read(path)
            guard authorities != nil else { return nil }
        }
        guard let settings = source.settings(issuer: issuer, authorities: authorities),
            let made = try? retained.keys.keys(settings, name: issuer, caller: retained.outbound, log: retained.log)
        else { return nil }
        sets.withLock { $0[Place(issuer: Array(issuer.utf8), source: source)] = made }
        return made
    }
}

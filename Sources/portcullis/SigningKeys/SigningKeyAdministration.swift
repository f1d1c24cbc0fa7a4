import Bytes
import Configuration
import Declaration
import Gateway
import HTTP
import JOSE
import Model
import Reactor

/// The gateway's own signing keys.
struct SigningKeyAdministration: ResourceAdministration {
    /// By algorithm, that of access tokens in front.
    private let files: [SigningKeyFiles]
    private let terms: SigningKeyTerms
    private let reach: Reach
    private let now = Clock.wallSeconds

    init(administration: Administration) throws(AdminFailure) {
        let reading = try administration.configuration.read()
        let configuration = reading.configuration
        let service = configuration.tokenService
        let store = reading.retained.store.opened
        files = service.signingKeys.map { SigningKeyFiles(at: $0, configuration, store) }
        guard !files.isEmpty else {
            throw .conflict(
                "the \"key\" of \(service.algorithm.rawValue) cannot be rotated; use an algorithm with \"keyFile\"")
        }
        terms = SigningKeyTerms(configuration)
        reach = service.sharesKeys ? .allGateways : .thisGateway
    }

    static let operations = [
        operation(.get, "signing-keys", "signing-keys.list", Self.list),
        operation(.post, "signing-keys/rotate", "signing-keys.rotate", Self.rotate),
        operation(.delete, "signing-keys/*", "signing-keys.retire", Self.retire),
    ]

    private func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        do throws(KeyFileError) {
            var keys: [JSONNode] = []
            for files in files {
                keys += try files.newestIndex(now: now)?.keys.map { node($0, files.algorithm) } ?? []
            }
            return .shown(JSONNode(.array(keys)).serialized)
        } catch {
            throw AdminFailure(error)
        }
    }

    /// Publishes another key, or signs with the one that is published.
    private func rotate(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let body = try AdminBody(request, known: ["now", "alg"])
        let skipsWait = try body.flag("now") ?? false
        let files = try files(of: body.text("alg"))
        let key = try files.change(now: now) { (index, make) throws(AdminFailure) in
            guard index.next != nil else {
                let key = try make()
                try AdminFailure.wrapping { () throws(SigningKeyError) in try index.publish(key) }
                return key
            }
            try AdminFailure.wrapping { () throws(SigningKeyError) in
                try index.promote(terms, now: now, waits: !skipsWait)
            }
            return index.active
        }
        return changed(key.keyID, node(key, files.algorithm).serialized)
    }

    /// - Parameter name: of an algorithm; nil for that of access tokens.
    private func files(of name: String?) throws(AdminFailure) -> SigningKeyFiles {
        guard let name else { return files[0] }
        guard let files = files.first(where: { $0.algorithm.names.contains(where: name.isExactly) }) else {
            throw .notFound("there is no signing key of \"\(name)\"", suggestion: nil)
        }
        return files
    }

    /// Takes a key out of use at once.
    private func retire(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        let keyID = request.path[1]
        _ = try files(withKey: keyID).change(now: now) { (index, _) throws(AdminFailure) in
            let known = index.keys.map(\.keyID)
            return try AdminFailure.wrapping(known) { () throws(SigningKeyError) in
                try index.remove(keyID, terms, now: now)
            }
        }
        return changed(keyID)
    }

    /// Those that have a key; the first for an unknown one.
    private func files(withKey keyID: String) throws(AdminFailure) -> SigningKeyFiles {
        do throws(KeyFileError) {
            for files in files {
                if try files.newestIndex(now: now)?.keys.contains(where: { $0.keyID.isExactly(keyID) }) == true {
                    return files
                }
            }
            return files[0]
        } catch {
            throw AdminFailure(error)
        }
    }

    private func changed(_ keyID: String, _ body: [UInt8] = []) -> AdminAnswer {
        var answer = AdminAnswer.changed(keyID, body)
        answer.reach = reach
        return answer
    }

    private func node(_ key: SigningKeyEntry, _ algorithm: SignatureAlgorithm) -> JSONNode {
        let times: [(String, Int64?)] = [
            ("createdAt", key.createdAt), ("signsFrom", key.state == .next ? terms.promotion(of: key) : nil),
            ("activatedAt", key.activatedAt), ("retiredAt", key.retiredAt), ("acceptedUntil", key.acceptedUntil),
        ]
        return .object(
            [("kid", .text(key.keyID)), ("alg", .text(algorithm.rawValue)), ("state", .text(key.state.rawValue))]
                + times.compactMap { name, time in time.map { (name, .number($0)) } })
    }
}

extension AdminFailure {
    init(_ error: KeyFileError) {
        self = error.isTransient ? .unavailable(error.message) : .cannotWrite(error.message)
    }

    /// - Parameter known: the ids of the keys, for suggestions.
    static func wrapping<Value>(
        _ known: [String] = [], _ body: () throws(SigningKeyError) -> Value
    ) throws(AdminFailure) -> Value {
        do throws(SigningKeyError) {
            return try body()
        } catch {
            switch error {
            case .damaged, .conflict: throw .conflict(error.message)
            case .unknown(let keyID):
                throw .notFound(error.message, suggestion: Suggestion.nearest(to: keyID, among: known))
            }
        }
    }
}

import Bytes
import Configuration
import Crypto
import Gateway
import Identity
import Model
import OAuthServer
import Outbound
import Policy
import Reactor

/// `check --connect`: tries each server that a configuration names, all at once, in a bounded time. Sends no credential but
/// those that key sets need, and to the store.
struct ConnectCheck {
    /// What a server did.
    enum Outcome: Sendable {
        case good(String)
        case bad(String)
    }

    /// A server, or a certificate of the gateway's own.
    struct Target: Sendable {
        /// Such as `upstream app`.
        let name: String
        let attempt: @Sendable () -> Outcome
    }

    /// Seconds for all targets together.
    static let longestSeconds = 30

    private let reading: Assembly.Reading
    private let directory: String

    init(_ reading: Assembly.Reading, directory: String) {
        self.reading = reading
        self.directory = directory
    }

    /// Prints a line for each target. Returns how many have failed.
    func run() throws(ExitStatus) -> Int {
        // The lines say what happened.
        reading.retained.log.use(.error)
        let calls = try OutsideCalls(reading)
        defer { calls.end() }
        let targets = keys + calledServers + upstreams + store + certificates
        let outcomes = targets.map { target in
            let outcome = Promise<Outcome>()
            WorkerThread.detached(name: "connect") { outcome.fulfill(target.attempt()) }
            return outcome
        }
        let end = Clock.monotonicMilliseconds + Int64(ConnectCheck.longestSeconds) * 1000
        var failed = 0
        for (target, outcome) in zip(targets, outcomes) {
            let left = max(0, (end - Clock.monotonicMilliseconds + 999) / 1000)
            switch outcome.wait(seconds: Int(left)) {
            case .good(let text)?: Terminal.print("ok     \(target.name): \(text)")
            case .bad(let text)?:
                failed += 1
                Terminal.print("FAILED \(target.name): \(text)")
            case nil:
                failed += 1
                Terminal.print("FAILED \(target.name): no answer in \(ConnectCheck.longestSeconds) s")
            }
        }
        Terminal.print("\(targets.count) target\(targets.count == 1 ? "" : "s") tried, \(failed) failed")
        return failed
    }

    // MARK: Keys

    /// The published keys of issuers and identity providers, with their discovery documents.
    private var keys: [Target] {
        let providers = Set(reading.configuration.allIdentityProviders.map(\.name))
        let trusted = reading.snapshot.issuerKeys.map { entry in
            let kind = entry.isOptional && providers.contains(entry.name) ? "provider" : "issuer"
            return ConnectCheck.keys("\(kind) \(entry.name)", entry.keys)
        }
        let sets = AssertionKeySets(reading.retained, directory: directory)
        let entries = reading.snapshot.tokens.assertions?.currentPolicy.entries ?? []
        let exchanged = entries.compactMap { entry -> Target? in
            guard let issuer = entry.issuer, issuer.isEnabled, case .remote(let source) = issuer.keys else {
                return nil
            }
            let name = "exchange issuer \(issuer.name)"
            guard let keys = sets.make(source, issuer: issuer.name) else {
                return Target(name: name) { .bad("its addresses or authorities cannot be used") }
            }
            return ConnectCheck.keys(name, keys)
        }
        return trusted + exchanged
    }

    private static func keys(_ name: String, _ keys: RemoteKeySet) -> Target {
        let url = (keys.settings.keys ?? keys.settings.discovery).map { "\($0.origin)\($0.path)" } ?? ""
        return Target(name: name) {
            let answer = Promise<RemoteKeySet.Refreshed>()
            keys.refresh(then: answer.fulfill)
            return switch answer.wait() {
            case .success(let refreshed): .good("\(refreshed.keys) keys by \(url)")
            case .failure(let failure): .bad(failure.description)
            }
        }
    }

    // MARK: Calls

    /// Servers that are only asked about requests, logins and spans: any answer but an error of their own is good.
    private var calledServers: [Target] {
        var targets: [Target] = []
        for introspector in reading.snapshot.policy.introspectors {
            let server = introspector.server
            targets.append(called("introspection \(server.name)", server.url, server.transport))
        }
        if let tracer = reading.snapshot.tracer { targets.append(called("collector", tracer.url, tracer.transport)) }
        guard let context = AssemblyContext(reading.loaded, retained: reading.retained, makesKeys: false) else {
            return targets
        }
        if let acme = reading.configuration.acme,
            let transport = CertificateAssembly(context: context).transport(acme)
        {
            let place = acme.settings.directory
            targets.append(
                Target(name: "authority") { [outbound = reading.retained.outbound] in
                    let answer = Promise<OutboundResult>()
                    outbound.perform(
                        transport.call("GET", place, headers: [], maximumBytes: 262_144), then: answer.fulfill)
                    switch answer.wait() {
                    case .failed(let failure, let details): return .bad(details?.text ?? failure.rawValue)
                    case .response(let response):
                        let node = try? JSONNode.parse(response.body.span)
                        return node?["newOrder"] != nil
                            ? .good("\(place)")
                            : .bad("\(place) is no directory of an authority, status \(response.status)")
                    }
                })
        }
        // Also those that no route asks yet.
        for asker in reading.configuration.policies.askers(context) {
            targets.append(called("policy server \(asker.server.name)", asker.server.url, asker.server.transport))
        }
        for entry in reading.configuration.allIdentityProviders {
            guard let (url, transport) = (entry.settings as? any AssembledProvider)?.server(of: entry, in: context)
            else { continue }
            targets.append(called("provider \(entry.name)", url, transport))
        }
        return targets
    }

    private func called(_ name: String, _ url: WebURL, _ transport: OutboundTransport) -> Target {
        let outbound = reading.retained.outbound
        return Target(name: name) {
            let answer = Promise<OutboundResult>()
            // Asks for nothing: `HEAD` changes nothing, and has no credential.
            outbound.perform(transport.call("HEAD", url, headers: [], maximumBytes: 65_536), then: answer.fulfill)
            switch answer.wait() {
            case .failed(let failure, let details): return .bad(details?.text ?? failure.rawValue)
            case .response(let response):
                let text = "\(url.origin)\(url.path) answers, status \(response.status)"
                return response.status < 500 ? .good(text) : .bad(text)
            }
        }
    }

    // MARK: Connections

    private var upstreams: [Target] {
        reading.snapshot.upstreams.flatMap { upstream in
            upstream.probes.map { probe in
                Target(name: "upstream \(upstream.settings.name)") {
                    do throws(ConnectionFailure) {
                        let reached = try probe.run()
                        return ConnectCheck.outcome("\(probe.url) at \(reached.address)", reached.certificate?.notAfter)
                    } catch {
                        return .bad(error.text)
                    }
                }
            }
        }
    }

    private var store: [Target] {
        guard let server = reading.retained.store.opened?.server else { return [] }
        return [
            Target(name: "store") {
                do throws(StoreServerFailure) { return .good(try server.probe()) } catch { return .bad(error.text) }
            }
        ]
    }

    // MARK: Certificates

    /// The gateway's own, as files.
    private var certificates: [Target] {
        reading.certificates.map { pointer, certificate in
            let names = certificate.shownNames
            let isPremature = certificate.isPremature(at: Clock.wallSeconds)
            return Target(name: "certificate \(pointer)") {
                isPremature ? .bad("\(names), not valid yet") : ConnectCheck.outcome(names, certificate.notAfter)
            }
        }
    }

    /// - Parameter end: last second of a certificate; nil for none.
    private static func outcome(_ text: String, _ end: Int64?) -> Outcome {
        guard let end else { return .good(text) }
        let date = InternetDate.text(end)
        let days = (end - Clock.wallSeconds) / 86_400
        return end < Clock.wallSeconds
            ? .bad("\(text), certificate ended \(date)") : .good("\(text), certificate until \(date) (\(days) days)")
    }
}

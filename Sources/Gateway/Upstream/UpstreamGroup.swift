import Bytes
import Model
import Reactor

/// One upstream of one worker: its servers, and everything that decides which of them gets a request, whether it waits,
/// and whether it is tried again. No socket is touched here.
///
/// Workers share nothing: limits, breaker, ejections and budgets are each worker's own. Only what one worker finds out
/// for all (answers of active checks, addresses of host names) comes by mailbox.
final class UpstreamGroup {
    /// Whether a request may go to a server now.
    enum Admission: Equatable {
        case pass
        case probe
        /// As many are under way as may be.
        case full
        /// The breaker is open, for so many milliseconds more.
        case refused(Int64)
    }

    private(set) var upstream: Upstream
    var settings: UpstreamSettings { upstream.settings }
    private(set) var servers: [UpstreamServer] = []
    /// Requests admitted and not ended.
    private(set) var inFlight = 0
    let queue = RequestQueue()
    private(set) var breaker = CircuitBreaker()
    private(set) var retries: UInt64 = 0
    private(set) var retriesRefused: UInt64 = 0
    private(set) var ejections: UInt64 = 0
    private let balancer: Balancer
    private var budget = RetryBudget()
    /// First attempts that the budget does not know of yet, and when it learns of them.
    private var unnoted = 0
    private var noteAt: Int64 = .min
    /// The last good answer for each host name.
    private var addresses: [ServerSettings.Target: [SocketAddress]] = [:]
    /// When host names are to be resolved again.
    var resolveAt: Int64 = .min
    /// Neither limit nor breaker: every request is admitted.
    private var isPlain = false
    /// The choice of a server depends on a key of the request.
    private(set) var hashesKeys = false

    init(_ upstream: Upstream, seed: UInt64) {
        self.upstream = upstream
        balancer = Balancer(seed: seed)
        assemble(.min)
    }

    /// Servers that are to be resolved.
    var names: [ServerSettings.Target] {
        upstream.servers.map(\.target).filter { if case .name = $0 { true } else { false } }
    }

    // MARK: The way of a request

    /// Asks for a request to go out. Where the answer is `pass` or `probe`, `ended` must follow.
    func admit(_ now: Int64) -> Admission {
        if isPlain {
            inFlight &+= 1
            return .pass
        }
        if settings.maximumInFlight > 0, inFlight >= settings.maximumInFlight { return .full }
        if settings.breaker != nil {
            var breaker = breaker
            let verdict = breaker.admit(now)
            self.breaker = breaker
            switch verdict {
            case .pass: break
            case .probe:
                inFlight &+= 1
                return .probe
            case .refuse(let time): return .refused(time)
            }
        }
        inFlight &+= 1
        return .pass
    }

    /// A request has ended that was admitted.
    ///
    /// - Parameter succeeded: nil where it says nothing of the upstream, as when the client went away.
    func ended(succeeded: Bool?, probe: Bool, _ now: Int64) {
        inFlight &-= 1
        guard let rules = settings.breaker else { return }
        var breaker = breaker
        switch succeeded {
        case true?: breaker.succeeded(now, probe: probe, rules)
        case false?: breaker.failed(now, probe: probe, rules)
        case nil: if probe { breaker.probeLost() }
        }
        self.breaker = breaker
    }

    /// The server for a request, or for its next attempt.
    func pick(place: UInt64, tried: [UpstreamServer], _ now: Int64) -> Balancer.Pick {
        if servers.count == 1, tried.isEmpty {
            let server = servers[0]
            return server.hasRoom ? .server(server) : .full
        }
        return balancer.pick(servers, place: place, tried: tried, now)
    }

    // MARK: Outcomes

    /// A server has answered, and not for want of something behind it.
    func succeeded(_ server: UpstreamServer) {
        guard settings.ejection != nil, server.ejection.failuresInRow > 0 || server.ejection.isOnTrial else { return }
        server.ejection.succeeded()
    }

    /// An attempt has failed.
    ///
    /// - Parameter failure: nil where the server answered that something behind it failed (502, 503, 504).
    func failed(_ server: UpstreamServer, _ failure: UpstreamFailure?, _ now: Int64) {
        if let failure { server.failures.increment(failure.rawValue) } else { server.badAnswers &+= 1 }
        guard let rules = settings.ejection, server.ejection.failed(now, rules) else { return }
        let out = servers.count { $0.ejection.isEjected(now) }
        guard out < ServerEjection.allowed(of: servers.count, rules) else { return }
        server.ejection.eject(now, rules)
        // The way back begins where the time out ends.
        server.slowStart.begin(server.ejection.until)
        ejections &+= 1
    }

    /// Counts the first attempt of a request.
    func note(_ now: Int64) {
        unnoted &+= 1
        if now >= noteAt { settle(now) }
    }

    private func settle(_ now: Int64) {
        budget.noted(requests: unnoted, now)
        unnoted = 0
        noteAt = now + 1000
    }

    /// Takes a further attempt out of the budget.
    func takeRetry(_ now: Int64) -> Bool {
        settle(now)
        let taken = budget.takeRetry(now, settings.retries)
        if taken { retries &+= 1 } else { retriesRefused &+= 1 }
        return taken
    }

    // MARK: What other workers have found

    /// What active checks say of an address.
    func setHealth(of address: SocketAddress, isUp: Bool, _ now: Int64) {
        for server in servers where server.address == address && server.health.isUp != isUp {
            server.health.update(isUp: isUp)
            if isUp { cameBack(server, now) }
        }
    }

    /// A server is healthy again: what requests had said of it is past.
    func cameBack(_ server: UpstreamServer, _ now: Int64) {
        server.ejection.pardon()
        server.slowStart.begin(now)
    }

    /// The addresses of a host name. No answer, or an empty one, leaves the last good one in force. Answers the servers
    /// that are gone by it.
    func resolved(_ target: ServerSettings.Target, _ found: [SocketAddress], _ now: Int64) -> [UpstreamServer] {
        guard !found.isEmpty, Set(addresses[target] ?? []) != Set(found) else { return [] }
        addresses[target] = found
        return assemble(now)
    }

    // MARK: Configuration

    /// Another configuration of the same upstream. Servers that stay keep their connections and what is known of them.
    /// Answers those that are gone.
    func update(_ fresh: Upstream, _ now: Int64) -> [UpstreamServer] {
        // Connections of another kind are of no use any more, and neither is what was learnt over them.
        let speaksAlike = fresh.speaksAlike(upstream)
        upstream = fresh
        if settings.breaker == nil { breaker = CircuitBreaker() }
        let wanted = Set(fresh.servers.map(\.target))
        addresses = addresses.filter { wanted.contains($0.key) }
        resolveAt = .min
        return assemble(now, keeping: speaksAlike)
    }

    /// Takes all servers out, for the end of the upstream.
    func retire() -> [UpstreamServer] {
        let gone = servers
        servers = []
        for server in gone { server.retire() }
        balancer.use([], settings)
        isPlain = false
        return gone
    }

    /// Brings the servers in line with settings and resolved addresses. Answers those that are gone.
    @discardableResult private func assemble(_ now: Int64, keeping: Bool = true) -> [UpstreamServer] {
        let old = servers
        var fresh: [UpstreamServer] = []
        for entry in upstream.servers where entry.weight > 0 {
            for address in addresses(of: entry.target) where !fresh.contains(where: { $0.address == address }) {
                fresh.append(server(entry, at: address, from: keeping ? old : [], now))
            }
        }
        servers = fresh
        balancer.use(fresh, settings)
        isPlain = settings.maximumInFlight == 0 && settings.breaker == nil
        if case .consistentHash = settings.balance { hashesKeys = fresh.count > 1 } else { hashesKeys = false }
        let gone = old.filter { server in !fresh.contains { $0 === server } }
        for server in gone { server.retire() }
        return gone
    }

    private func server(
        _ entry: ServerSettings, at address: SocketAddress, from old: [UpstreamServer], _ now: Int64
    ) -> UpstreamServer {
        if let known = old.first(where: { $0.address == address && $0.target == entry.target }) {
            known.update(entry, of: upstream)
            return known
        }
        let server = UpstreamServer(entry, at: address, of: upstream)
        // One that joins others starts slowly; at the start of the program all are equally new.
        if !old.isEmpty { server.slowStart.begin(now) }
        return server
    }

    private func addresses(of target: ServerSettings.Target) -> [SocketAddress] {
        switch target {
        case .address(let address): [address]
        case .name: addresses[target] ?? []
        }
    }
}

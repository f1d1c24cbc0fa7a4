import Bytes
import Model
import Reactor

/// One worker's view of an upstream: its servers, and everything that decides which server gets a request, whether it
/// is queued, and whether it is retried. Uses no sockets.
///
/// Workers share nothing: limits, breaker, ejections and budgets are per worker. Only results that one worker
/// determines for all (active checks, resolved addresses) arrive by mailbox.
final class UpstreamGroup {
    /// Whether a request may be sent now.
    enum Admission: Equatable {
        case pass
        case probe
        /// The limit of concurrent requests is reached.
        case full
        /// The breaker is open, for so many more milliseconds.
        case refused(Int64)
    }

    private(set) var upstream: Upstream
    var settings: UpstreamSettings { upstream.settings }
    private(set) var servers: [UpstreamServer] = []
    /// Admitted requests in progress.
    private(set) var inFlight = 0
    let queue = RequestQueue()
    var slowUploads = SlowUploadList()
    private(set) var breaker = CircuitBreaker()
    private(set) var retries: UInt64 = 0
    private(set) var retriesRefused: UInt64 = 0
    private(set) var ejections: UInt64 = 0
    private let balancer: Balancer
    private var budget = RetryBudget()
    /// First attempts not yet reported to the budget, and when to report them.
    private var unnoted = 0
    private var noteAt: Int64 = .min
    /// The last valid answer for each host name.
    private var addresses: [ServerSettings.Target: [SocketAddress]] = [:]
    /// When to resolve host names again.
    var resolveAt: Int64 = .min
    /// Whether there is neither limit nor breaker, so that every request is admitted.
    private var isPlain = false
    /// Whether the choice of a server depends on a key of the request.
    private(set) var hashesKeys = false

    init(_ upstream: Upstream, seed: UInt64) {
        self.upstream = upstream
        balancer = Balancer(seed: seed)
        assemble(.min)
    }

    /// Servers to resolve.
    var names: [ServerSettings.Target] {
        upstream.servers.map(\.target).filter { if case .name = $0 { true } else { false } }
    }

    /// How operators see a server of the group.
    func url(of target: ServerSettings.Target) -> String { target.url(upstream.tls == nil ? "http" : "https") }

    // MARK: Admission

    /// Admits a request. After `pass` or `probe`, `ended` must be called.
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

    /// An admitted request has ended.
    ///
    /// - Parameter succeeded: nil if it says nothing about the upstream, as when the client disconnected.
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

    /// The server for a request or its retry.
    func pick(place: UInt64, tried: [UpstreamServer], _ now: Int64) -> Balancer.Pick {
        if servers.count == 1, tried.isEmpty {
            let server = servers[0]
            return server.hasRoom ? .server(server) : .full
        }
        return balancer.pick(servers, place: place, tried: tried, now)
    }

    // MARK: Outcomes

    /// A server answered without a gateway error.
    func succeeded(_ server: UpstreamServer) {
        guard settings.ejection != nil, server.ejection.failuresInRow > 0 || server.ejection.isOnTrial else { return }
        server.ejection.succeeded()
    }

    /// An attempt failed.
    ///
    /// - Parameter failure: nil for a response with a gateway error (502, 503, 504).
    func failed(_ server: UpstreamServer, _ failure: UpstreamFailure?, _ now: Int64) {
        if let failure { server.failures.increment(failure.rawValue) } else { server.badAnswers &+= 1 }
        guard let rules = settings.ejection, server.ejection.failed(now, rules) else { return }
        let out = servers.count { $0.ejection.isEjected(now) }
        guard out < ServerEjection.allowed(of: servers.count, rules) else { return }
        server.ejection.eject(now, rules)
        // Slow start begins at the end of the ejection.
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

    /// Takes a retry from the budget.
    func takeRetry(_ now: Int64) -> Bool {
        settle(now)
        let taken = budget.takeRetry(now, settings.retries)
        if taken { retries &+= 1 } else { retriesRefused &+= 1 }
        return taken
    }

    // MARK: Results of other workers

    /// Applies the health of an address from active checks.
    func setHealth(of address: SocketAddress, isUp: Bool, _ now: Int64) {
        for server in servers where server.address == address && server.health.isUp != isUp {
            server.health.update(isUp: isUp)
            if isUp { cameBack(server, now) }
        }
    }

    /// A server is healthy again: clears its ejection.
    func cameBack(_ server: UpstreamServer, _ now: Int64) {
        server.ejection.pardon()
        server.slowStart.begin(now)
    }

    /// Applies the addresses of a host name. An empty or failed lookup keeps the last valid ones. Returns removed
    /// servers.
    func resolved(_ target: ServerSettings.Target, _ found: [SocketAddress], _ now: Int64) -> [UpstreamServer] {
        guard !found.isEmpty, Set(addresses[target] ?? []) != Set(found) else { return [] }
        addresses[target] = found
        return assemble(now)
    }

    // MARK: Configuration

    /// Applies another configuration of the same upstream. Remaining servers keep their connections and state. Returns
    /// removed servers.
    func update(_ fresh: Upstream, _ now: Int64) -> [UpstreamServer] {
        // With another protocol, existing connections and learnt state are useless.
        let speaksAlike = fresh.speaksAlike(upstream)
        upstream = fresh
        if settings.breaker == nil { breaker = CircuitBreaker() }
        let wanted = Set(fresh.servers.map(\.target))
        addresses = addresses.filter { wanted.contains($0.key) }
        resolveAt = .min
        return assemble(now, keeping: speaksAlike)
    }

    /// Removes all servers when the upstream is removed.
    func retire() -> [UpstreamServer] {
        let gone = servers
        servers = []
        for server in gone { server.retire() }
        balancer.use([], settings)
        isPlain = false
        return gone
    }

    /// Updates the servers from settings and resolved addresses. Returns removed servers.
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
        // A server added to others starts slowly; at program start all are equally new.
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

import Configuration
import Declaration
import Dispatch
import Endpoints
import Gateway
import Identity
import Issuers
import Model
import Outbound
import Policy
import Reactor
import Synchronization
import TokenStorage

/// One run of `portcullis serve`: start, reload, hand-over, drain, end.
final class GatewayProcess: Sendable {
    let directory: String
    private let options: ServeOptions
    /// Reads and changes configurations one at a time. Separate from other blocking work, since a change may wait for the
    /// lock of the directory. One thread, since malloc keeps freed memory for the thread that allocated it: each further
    /// thread would hold the memory of a configuration.
    let configurationThread = BlockingPool(name: "configuration", width: 1, limit: 256, yieldsToLoops: false)
    /// Whether a reload by a signal or a changed file waits for that thread.
    private let awaitsReload = Atomic(false)
    let log: EventLog
    let retained: RetainedState
    /// The active configuration and its generation; locked during a reload.
    let state = Mutex(State())
    let service = ServiceNotification()
    let stage = Mutex(Stage.serving)
    let handOverThread = Mutex<WorkerThread?>(nil)
    /// The listening sockets for a successor. Dropped when this process ends, since they would outlive its workers.
    let copies = Mutex<[ListenerCopy]>([])
    private let files: FileWatcher
    /// Files of sections of the active configuration.
    let sectionFiles = Mutex<Set<String>>([])

    init(directory: String, options: ServeOptions) {
        self.directory = directory
        self.options = options
        log = EventLog(LogWriter(.errors, asJSON: options.logsJSON))
        retained = RetainedState(families: CompatibilityFamilies.all(), isServing: true, log: log)
        files = FileWatcher(directory: directory, log: log)
    }

    func run() throws(ExitStatus) {
        defer { log.flush() }
        // One for each loop, one for configurations and one for password hashes.
        HeapTrimmer.limitArenas(to: WorkerThread.processorCount + 2)
        var inherited = InheritedDescriptors()
        let signals: SignalSource
        do throws(KernelError) {
            signals = try SignalSource()
        } catch {
            log.write(.startFailed, [("detail", .text(error.text))])
            throw .failed
        }
        _ = ProcessLimits.raiseOpenFiles()
        ProcessLimits.reserveOpenFiles()
        let running = try start(signals, &inherited)
        running.plane.join()
        CertificateKeeper.finish()
        finishHandOver()
        for file in running.files { file.remove() }
        log.write(.stopped)
        running.accessLog?.flush()
    }

    /// State until the end of the process, without the initial configuration, which reloads replace.
    private struct Running {
        let plane: DataPlane
        /// Socket files to remove at the end.
        let files: [SocketFile]
        let accessLog: LogWriter?
    }

    private func start(
        _ signals: SignalSource, _ inherited: inout InheritedDescriptors
    ) throws(ExitStatus) -> Running {
        let (loaded, snapshot, _) = load(generation: 1, unmetExpectations: .warning)
        guard let snapshot, let configuration = loaded.configuration, let tokens = retained.store.opened?.tokens else {
            throw .failed
        }
        retained.adopt()
        retained.use(configuration.passwords.throttle)
        log.use(configuration.log.level)
        sectionFiles.withLock { $0 = loaded.sectionFiles }
        state.withLock {
            $0.generation = 1
            $0.configuration = configuration
            $0.policy = snapshot.policy
            $0.settings = Assembly.Reading.settings(of: loaded)
            $0.startValues = configuration.startValues
            $0.bound = BoundListeners(entries: configuration.listeners, settings: snapshot.listeners)
        }
        do throws(StartFailure) {
            return try serve(configuration, snapshot, tokens, signals, &inherited)
        } catch {
            log.write(.startFailed, [("detail", .text(error.text))])
            throw .failed
        }
    }

    /// Reads the directory and logs the findings. An invalid configuration yields errors and no snapshot.
    /// - Parameter severity: of an expectation that is not met.
    private func load(
        generation: UInt64, bound: BoundListeners? = nil, unmetExpectations severity: Severity
    ) -> (LoadedConfiguration, GatewaySnapshot?, errors: [String]) {
        let (loaded, snapshot, diagnostics) = files.reading { willRead in
            let loaded = ConfigurationLoader.load(
                directory: directory, environment: Environment.values, production: false,
                formerFiles: sectionFiles.withLock { $0 }, extensions: CompatibilityFamilies.sections,
                endpoints: GatewayEndpoints.all,
                secrets: SecretStore.lookup(directory),
                willRead: willRead)
            guard var assembly = Assembly(loaded, retained: retained, makesKeys: true, bound: bound) else {
                return (loaded, nil as GatewaySnapshot?, loaded.diagnostics)
            }
            let insecure =
                options.acceptsInsecure
                ? [] : InsecureSettings(assembly.configuration).diagnostics(loaded, severity: .error)
            if !insecure.isEmpty { return (loaded, nil, loaded.diagnostics + insecure) }
            assembly.unmetExpectations = severity
            let snapshot = assembly.snapshot(generation: generation)
            return (loaded, snapshot, loaded.diagnostics + assembly.context.diagnostics)
        }
        for diagnostic in diagnostics { log.write(diagnostic) }
        return (loaded, snapshot, diagnostics.filter { $0.severity == .error }.map(\.description))
    }

    private func serve(
        _ configuration: GatewayConfiguration, _ snapshot: GatewaySnapshot, _ tokens: RevocationFollower,
        _ signals: SignalSource, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) -> Running {
        let workers = configuration.workerCount
        let accessLog = try openAccessLog(configuration.log.access)
        let settings = try sharedSettings(configuration, accessLog)
        let timing = TokenTiming(skewSeconds: configuration.issuedTokenCache.skew.components.seconds)
        let archive = issuedTokenArchive(configuration)
        let issued = IssuedTokenStore(
            maximumEntries: configuration.issuedTokenCache.maximumEntries, timing: timing, archive: archive)
        let shared = try starting { () throws(KernelError) in
            try SharedState(
                settings: settings, workers: workers, adminListeners: [ListeningSockets.adminListener],
                issuedTokens: issued, tokens: tokens, outbound: retained.outbound, log: log)
        }
        retained.background.attach { [weak shared] in shared?.perform($0) { _ in } }
        // Weak, since the shared state holds the closure.
        shared.onReload { [self, weak shared] done in
            let accepted = configurationThread.submit { [self, weak shared] in
                guard let shared else { return }
                // Responds once no worker uses the old configuration and the store has the revocations.
                let answer = reload(shared) { adoption in
                    SerialQueue.run(atSecond: adoption.since) { done(adoption.response) }
                }
                if answer.status != 204 { done(answer) }
            }
            if !accepted { done(GatewayProcess.problem(503, Administration.busy)) }
        }
        administer(shared)
        let patience = Int(configuration.store.staleAfter.milliseconds)
        if settings.storeLine == nil {
            RetainedStore.load(tokens, milliseconds: patience)
            if let archive { RetainedStore.load(archive, milliseconds: patience) }
        } else if let archive {
            RetainedStore.loadLater(archive)
        }
        let (listeners, files) = try open(configuration, workers: workers, &inherited)
        let plane: DataPlane
        do throws(KernelError) {
            plane = try DataPlane(shared: shared, snapshot: snapshot, listeners: listeners)
        } catch {
            copies.withLock { $0 = [] }
            for file in files { file.remove() }
            throw StartFailure(error)
        }
        // The server of a store is reached through the workers. Until it responds, bearer requests are refused.
        if settings.storeLine != nil { RetainedStore.load(tokens, milliseconds: patience) }
        reportReadiness(shared, snapshot, workers: workers, engine: settings.engine)
        // A predecessor notifies the service manager once it knows that this process is ready.
        if inherited.hasPredecessor { inherited.reportReady() } else { service.ready() }
        inherited.closeUnclaimed()
        watchFiles(configuration, shared)
        rotateSigningKeys(shared)
        CertificateKeeper.run(for: self, shared)
        _ = WorkerThread(name: "signals") { [self] in watch(signals, shared, accessLog) }
        shared.heap.request()
        return Running(plane: plane, files: files, accessLog: accessLog)
    }

    private func sharedSettings(
        _ configuration: GatewayConfiguration, _ accessLog: LogWriter?
    ) throws(StartFailure) -> SharedState.Settings {
        var settings = SharedState.Settings()
        settings.engine = try LoopEngine.chosen(configuration.engine)
        settings.tokenCacheEntries = configuration.tokenCache.maximumEntries
        settings.accessLog = accessLog
        settings.version = ProgramVersion.number
        settings.cleaner = retained.cleaner
        settings.formerKeys = retained.formerKeys
        settings.storeLine = retained.store.opened?.server?.workers
        settings.sessions = retained.store.opened?.sessions
        settings.adminThrottle = retained.adminThrottle
        settings.providerRevocations = retained.providerRevocations
        settings.assertionReloadFailures = [
            ("policy", retained.assertions.policyFailures), ("certificates", retained.assertions.certificateFailures),
        ]
        return settings
    }

    /// Writes an event whenever the workers become ready to serve, or cease to be.
    private func reportReadiness(
        _ shared: SharedState, _ snapshot: GatewaySnapshot, workers: Int, engine: LoopEngine
    ) {
        let facts: [(String, EventLog.Value)] = [
            ("version", .text(ProgramVersion.number)), ("workers", .number(workers)),
            ("engine", .text(engine.rawValue)), ("pid", .number(ProcessLimits.processID)),
        ]
        shared.watchReadiness(of: snapshot) { [log] readiness in
            if readiness.isReady { return log.write(.ready, facts) }
            log.write(.notReady, facts + [("reason", .text(readiness.causes.joined(separator: "; ")))])
        }
    }

    /// Opens the sockets of the workers, and returns them with the socket files to remove at the end.
    private func open(
        _ configuration: GatewayConfiguration, workers: Int, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) -> ([[BoundListenerBox]], [SocketFile]) {
        var sockets = ListeningSockets(workers: workers, log: log)
        try sockets.open(configuration, &inherited)
        let opened = sockets.copies
        copies.withLock { $0 = opened }
        return (sockets.boxes, sockets.files)
    }

    private func starting<Value>(_ body: () throws(KernelError) -> Value) throws(StartFailure) -> Value {
        do throws(KernelError) { return try body() } catch { throw StartFailure(error) }
    }

    private func openAccessLog(_ access: LogSection.Access) throws(StartFailure) -> LogWriter? {
        switch access {
        case .off: return nil
        case .standardOutput: return LogWriter(.output, asJSON: options.logsJSON)
        case .file(let path):
            do throws(KernelError) {
                return try LogWriter(appendingTo: path)
            } catch {
                throw StartFailure("the access log \(path) cannot be opened: \(error.text)")
            }
        }
    }

    /// Handles signals until the process ends, also while it drains.
    private func watch(_ source: SignalSource, _ shared: SharedState, _ accessLog: LogWriter?) {
        while true {
            switch source.signals.next() {
            case .terminate: terminate(shared)
            case .reload: requestReload(shared)
            case .reopenLogs: accessLog?.reopen()
            case .handOver: beginHandOver(shared)
            case .other: continue
            }
        }
    }

    // MARK: Reload

    private func watchFiles(_ configuration: GatewayConfiguration, _ shared: SharedState) {
        files.use(configuration.watchesFiles) { [weak self, weak shared] in
            if let self, let shared { requestReload(shared) }
        }
    }

    /// Schedules a reload, for a signal or a changed file. Requests that arrive before it starts are merged with it.
    private func requestReload(_ shared: SharedState) {
        if isEnding { return }
        service.reloading()
        guard !awaitsReload.exchange(true, ordering: .sequentiallyConsistent) else { return }
        let isAccepted = configurationThread.submit { [self] in
            // Before anything is read, so that a request that arrives now triggers another reload.
            awaitsReload.store(false, ordering: .sequentiallyConsistent)
            _ = reload(shared)
            if !isEnding { service.ready() }
        }
        guard !isAccepted else { return }
        awaitsReload.store(false, ordering: .sequentiallyConsistent)
        shared.reloadFailed()
        log.write(.reloadFailed, [("detail", .text(Administration.busy))])
        service.ready()
    }

    /// Reloads the configuration. An invalid one changes nothing (GW-04, GW-11).
    ///
    /// - Parameters:
    ///   - unmetExpectations: what an expectation that is not met is.
    ///   - completion: called once no worker uses the old configuration and the store has its revocations. Not
    ///   called for an invalid configuration.
    func reload(
        _ shared: SharedState, unmetExpectations: Severity = .error,
        completion: @escaping @Sendable (Adoption) -> Void = { _ in }
    ) -> EndpointResponse {
        state.withLock { state in
            let (loaded, snapshot, errors) = load(
                generation: state.generation + 1, bound: state.bound, unmetExpectations: unmetExpectations)
            guard let snapshot, let fresh = loaded.configuration, let old = state.configuration else {
                shared.reloadFailed()
                shared.heap.request()
                log.write(.reloadFailed, [("generation", .number(Int(state.generation)))])
                return GatewayProcess.problem(
                    422, "the configuration is not valid; the last good one stays in force", errors)
            }
            state.generation += 1
            state.configuration = fresh
            state.policy = snapshot.policy
            state.settings = Assembly.Reading.settings(of: loaded)
            log.use(fresh.log.level)
            sectionFiles.withLock { $0 = loaded.sectionFiles }
            watchFiles(fresh, shared)
            let waiting = fresh.startValues.keys(differingFrom: state.startValues)
            reportIgnored(waiting)
            state.bound = state.bound.map { BoundListeners(entries: $0.entries, settings: snapshot.listeners) }
            retained.use(fresh.passwords.throttle)
            shared.use(snapshot)
            retained.adopt()
            // Purges upstream tokens of removed or changed users and clients (CACHE-07).
            let users = ChangedUser.all(old, fresh)
            for user in users where user.invalidatesIssuedTokens {
                shared.issuedTokens.purge(subject: user.old.username)
            }
            for client in GatewayProcess.changedClients(old, fresh) { shared.issuedTokens.purge(backendID: client) }
            let ended = EndedTokens(old, fresh, users: users)
            let isShared = shared.settings.storeLine != nil
            let notices = isShared ? AccountNotices(old, fresh, users: users, withdrawn: retained.withdrawn) : nil
            shared.afterAdoption { [weak shared] in
                let now = Clock.wallSeconds
                let operations =
                    (notices?.operations(milliseconds: Clock.wallMilliseconds) ?? [])
                    + ended.operations(isShared: isShared, now: now)
                let since = ended.lastSecond(isShared: isShared, now: now).map { $0 + 1 } ?? 0
                let adopted = { @Sendable in completion(Adoption(failure: $0, waiting: waiting, since: since)) }
                if let shared { shared.perform(operations, now: now, completion: adopted) } else { adopted(nil) }
            }
            log.write(.reloaded, [("generation", .number(Int(state.generation)))])
            // Freeing a configuration with a hundred thousand users takes a while. Nothing waits for it.
            DispatchQueue.global(qos: .utility).async { [heap = shared.heap] in
                extendLifetime((loaded, old))
                heap.request()
            }
            return Adoption(failure: nil, waiting: waiting, since: 0).response
        }
    }

    private static func problem(_ status: Int, _ detail: String, _ errors: [String] = []) -> EndpointResponse {
        .problem(.reloadFailed, detail, status: status, title: "Reload failed", errors: errors)
    }

    /// The store of issued tokens that survive a restart (CACHE-10); nil if they do not.
    private func issuedTokenArchive(_ configuration: GatewayConfiguration) -> IssuedTokenArchive? {
        guard configuration.issuedTokenCache.persists, configuration.store.kind.sharing != .process,
            let opened = retained.store.opened
        else { return nil }
        return IssuedTokenArchive(
            store: opened.tokens, key: opened.key, capacity: configuration.issuedTokenCache.maximumEntries)
    }

    /// Logs the keys whose values wait for the next start, an event for each section.
    private func reportIgnored(_ keys: [String]) {
        let sections = Dictionary(grouping: keys) { String($0.prefix { $0 != "." }) }
        for (name, keys) in sections.sorted(by: { $0.key < $1.key }) {
            log.write(
                .reloadIgnored,
                [
                    ("section", .text(name)), ("keys", .texts(keys)),
                    ("detail", .text("takes effect at the next start")),
                ])
        }
    }

    private static func changedClients(_ old: GatewayConfiguration, _ fresh: GatewayConfiguration) -> [String] {
        let now = Dictionary(
            fresh.clients.map(\.client).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return old.clients.map(\.client).filter { client in
            guard let same = now[client.id] else { return true }
            return same.oauthConsumer != client.oauthConsumer || same.httpBasic != client.httpBasic
                || same.realm != client.realm || same.clientSecret?.value != client.clientSecret?.value
                || same.anonymousKey != client.anonymousKey
        }.map(\.id)
    }
}

/// Shares the signals with the thread that handles them.
private final class SignalSource: Sendable {
    let signals: Signals

    init() throws(KernelError) { signals = try Signals() }
}

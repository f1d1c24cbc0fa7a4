import Configuration
import Crypto
import Gateway
import Identity
import Model
import Reactor
import TokenStorage

/// A kind of store that the program opens.
protocol OpenableStore: StoreEntry {
    /// Commands other than `serve` have nothing to keep: for them a store is in memory, and files and servers are left alone.
    ///
    /// - Returns: nil with an error among the diagnostics.
    func open(_ section: StoreSection, _ context: AssemblyContext) -> OpenedStore?
}

struct OpenedStore {
    let store: any TokenStore
    /// Nil for a store without one.
    var server: (any StoreServer)?
}

/// The store of tokens.
struct StoreAssembly: AssemblyPart {
    let context: AssemblyContext
    private let section: StoreSection

    /// - Parameter section: that of the configuration by default.
    init(context: AssemblyContext, section: StoreSection? = nil) {
        self.context = context
        self.section = section ?? context.configuration.store
    }

    /// The store of the process, opened where this is its first configuration. Nil with an error among the diagnostics.
    func tokenStore() -> RetainedStore.Opened? {
        if let opened = retained.store.opened { return rekeyed(opened) }
        guard let key = section.tokenKey(context), let store = section.entry as? any OpenableStore,
            let store = store.open(section, context)
        else { return nil }
        var settings = RevocationFollower.Settings()
        settings.staleAfter = section.staleAfter.milliseconds
        settings.whenUnavailable = section.whenUnavailable
        retained.withdrawn.use { key.keyedNames(of: Array($0.utf8)) }
        let follower = RevocationFollower(
            RekeyedTokenStore(store.store, key: key), list: retained.revocations, withdrawn: retained.withdrawn,
            isShared: retained.isServing && section.kind.sharing != .process,
            settings: settings, log: retained.log, now: Clock.monotonicMilliseconds)
        let sessions = SessionRegister(store: follower) { [families = retained.families] record in
            families.flatMap { $0.remains(of: record) }
        }
        let opened = RetainedStore.Opened(
            tokens: follower, sessions: sessions, key: key,
            life: section.kind.sharing == .process ? SecureRandom.text(16) : "", server: store.server)
        retained.store.keep(opened)
        return opened
    }

    /// Reads the keys of a reload. The key in use must be among them, since a mistake would end all tokens.
    private func rekeyed(_ opened: RetainedStore.Opened) -> RetainedStore.Opened? {
        let isInFile = section.keys.isEmpty
        // A key that was made for a store in memory is in no configuration.
        if isInFile, !FileSystem.exists(section.keyFile) { return opened }
        guard let key = section.tokenKey(context) else { return nil }
        guard opened.key.isKnown(to: key) else {
            if opened.endsWithProcess, isInFile { return opened }
            context.report(
                isInFile ? "/store/keyFile" : "/store/key", "the key of the store in use is not among the keys",
                expected: "the new key first, and the former one after it until no record needs it", severity: .error)
            return nil
        }
        var opened = opened
        opened.nextKey = key
        return opened
    }
}

extension StoreSection {
    /// The keys of the section; nil with an error among the diagnostics.
    fileprivate func tokenKey(_ context: AssemblyContext) -> TokenDigestKey? {
        var keys = keys
        // Nothing in memory outlives the key, and `check` makes none.
        let isMade = context.makesKeys && kind.sharing != .process
        if keys.isEmpty, !isMade, !FileSystem.exists(keyFile) {
            keys = [SecureRandom.bytes(TokenDigestKey.length)]
        }
        let place = keys.isEmpty ? "/store/keyFile" : "/store/key"
        do throws(KeyFileError) {
            if keys.isEmpty { keys = try KeyFile.symmetricKeys(at: keyFile) }
            if let key = TokenDigestKey(keys: keys) { return key }
            context.report(
                place, "a key of the store is given twice",
                expected: "different keys of \(TokenDigestKey.length) bytes", severity: .error)
        } catch {
            context.error(place, error.message)
        }
        return nil
    }
}

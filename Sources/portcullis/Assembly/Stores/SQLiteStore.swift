import Configuration
import Gateway
import Identity
import Model
import Reactor
import TokenStorage

extension SQLiteEntry: OpenableStore {
    func open(_ section: StoreSection, _ context: AssemblyContext) -> OpenedStore? {
        #if SQLite
            guard context.retained.isServing else { return OpenedStore(store: MemoryTokenStore()) }
            do throws(KeyFileError) {
                try KeyFile.makePrivate(path)
            } catch {
                context.error("/store/path", error.message)
                return nil
            }
            return file(context, patience: Int32(section.timeout.milliseconds)).map { OpenedStore(store: $0) }
        #else
            // DEC-10
            context.error("/store/kind", "this program was built without SQLite (swift build --traits SQLite)")
            return nil
        #endif
    }

    #if SQLite
        private func file(_ context: AssemblyContext, patience: Int32) -> (any TokenStore)? {
            let queue = SerialQueue(label: "portcullis.store")
            let (revocations, withdrawn) = (context.retained.revocations, context.retained.withdrawn)
            let (log, path) = (context.retained.log, path)
            do throws(SQLiteOpenError) {
                return try SQLiteTokenStore(
                    path: path, patience: patience,
                    known: {
                        let now = Clock.wallSeconds
                        return revocations.denyEntries(now: now) + withdrawn.entries(now: now)
                    },
                    report: { SQLiteEntry.write($0, of: path, to: log) }, executor: { queue.submit($0) })
            } catch {
                context.error("/store/path", "\(path) \(error.text)")
                return nil
            }
        }

        private static func write(_ event: StoreFileEvent, of path: String, to log: EventLog) {
            let path = ("path", EventLog.Value.text(path))
            switch event {
            case .lost(let reason): log.write(.storeFileLost, [path, ("reason", .text(reason))])
            case .failed(let reason): log.write(.storeFileFailed, [path, ("reason", .text(reason))])
            case .restored(let contents):
                log.write(.storeFileRestored, [path, ("contents", .text(contents.rawValue))])
            case .amended(let count): log.write(.storeFileAmended, [path, ("revocations", .number(count))])
            }
        }
    #endif
}

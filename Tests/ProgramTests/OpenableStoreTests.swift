import Configuration
import Declaration
import Gateway
import Synchronization
import Testing
import TokenStorage

@testable import portcullis

/// A store of a kind that only these tests have.
private struct SlateEntry: OpenableStore {
    static let kind = "slate"
    static let meaning = "of a test"
    static let sharing = StoreSharing.process
    let store = MemoryTokenStore()

    static func read(_ object: inout ObjectReader, isChosen: Bool) -> SlateEntry? { isChosen ? SlateEntry() : nil }

    func open(_ section: StoreSection, _ context: AssemblyContext) -> OpenedStore? { OpenedStore(store: store) }
}

/// A kind of store is its own files and one line: the program opens what the configuration read.
@Suite struct OpenableStoreTests {
    @Test("the program opens each kind of the list", arguments: StoreKinds.all.indices)
    func eachKindIsOpened(_ index: Int) {
        #expect(StoreKinds.all[index] is any OpenableStore.Type)
    }

    @Test("tokens are in the store of a further kind, which is opened once")
    func furtherKind() throws {
        let directory = try ProgramDirectory()
        let context = try directory.context()
        var section = context.configuration.store
        let slate = SlateEntry()
        (section.kind, section.entry) = (SlateEntry.self, slate)
        let assembly = StoreAssembly(context: context, section: section)
        let opened = try #require(assembly.tokenStore(), "\(context.diagnostics)")
        #expect(opened.server == nil && opened.endsWithProcess)
        opened.tokens.perform(.deny(.token("gone", until: .max)), now: 1) { _ in }
        let names = Mutex<[String]>([])
        slate.store.perform(.changes(after: 0, limit: 10), now: 1) { result in
            if case .success(.changes(let changes, _)) = result {
                names.withLock { $0 = changes.map(\.entry.name) }
            }
        }
        #expect(names.withLock { $0 } == ["gone"])
        #expect(assembly.tokenStore()?.life == opened.life)
    }
}

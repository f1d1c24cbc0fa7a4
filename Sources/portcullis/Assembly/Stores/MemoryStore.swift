import Configuration
import TokenStorage

extension MemoryEntry: OpenableStore {
    func open(_ section: StoreSection, _ context: AssemblyContext) -> OpenedStore? {
        OpenedStore(store: MemoryTokenStore())
    }
}

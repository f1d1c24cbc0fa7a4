import Synchronization

/// A pool of initialised libcrypto contexts of one key.
///
/// Initialising a context (fetch by name, parameters, key schedule) costs microseconds and takes locks inside libcrypto
/// 3.0; reusing it costs neither.
@safe
final class ContextPool: Sendable {
    /// The use that a context was initialised for, such as the index of a signature algorithm.
    typealias Use = Int

    /// Limit of idle contexts: enough for the workers of a large machine.
    private static let capacity = 32

    private let idle = Mutex<[Entry]>([])
    private let make: @Sendable (Use) -> OpaquePointer?
    private let free: @Sendable (OpaquePointer) -> Void

    // SAFETY: a pointer is either in `idle`, under its mutex, or lent to one caller.
    @safe
    private struct Entry: @unchecked Sendable {
        let use: Use
        let pointer: OpaquePointer
    }

    init(
        make: @escaping @Sendable (Use) -> OpaquePointer?,
        free: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        unsafe self.make = make
        unsafe self.free = free
        idle.withLock { $0.reserveCapacity(ContextPool.capacity) }
    }

    deinit {
        idle.withLock { entries in
            for entry in entries { unsafe free(entry.pointer) }
        }
    }

    /// Calls `body` with a context for the use; nil if none can be created.
    func withContext<Result>(for use: Use, _ body: (OpaquePointer) -> Result) -> Result? {
        let pooled = idle.withLock { entries -> Entry? in
            guard let index = entries.lastIndex(where: { $0.use == use }) else { return nil }
            return entries.remove(at: index)
        }
        guard let pointer = unsafe pooled?.pointer ?? make(use) else { return nil }
        let result = unsafe body(pointer)
        let entry = unsafe Entry(use: use, pointer: pointer)
        let kept = idle.withLock { entries in
            guard entries.count < ContextPool.capacity else { return false }
            entries.append(entry)
            return true
        }
        if !kept { unsafe free(pointer) }
        return result
    }
}

import CLinux
import Glibc

/// A kernel thread that runs one closure.
package struct WorkerThread: Sendable {
    private let thread: pthread_t

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts the thread; `name` (15 bytes) is what `ps -T` shows.
    package init(name: String, _ run: @escaping @Sendable () -> Void) {
        let body = Body(name: name, run: run)
        var thread = pthread_t()
        // SAFETY: the retained body is released by the one thread that takes it over.
        let argument = unsafe Unmanaged.passRetained(body).toOpaque()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                let body = unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                unsafe clinux_name_thread(String(body.name.prefix(15)))
                body.run()
                return nil
            }, argument)
        precondition(result == 0, "no thread can be started: error \(result)")
        self.thread = thread
    }

    /// Waits for the end of the thread. To be called once, by its owner.
    package func join() {
        _ = pthread_join(thread, nil)
    }

    /// How many processors this process may use.
    package static var processorCount: Int { Int(clinux_processor_count()) }
}

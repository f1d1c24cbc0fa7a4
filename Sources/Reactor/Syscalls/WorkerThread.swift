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
        guard let thread = WorkerThread.start(name, run) else { preconditionFailure("no thread can be started") }
        self.thread = thread
    }

    /// Starts a thread that nobody waits for; answers false where the system has no room for one.
    static func detached(name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = start(name, run) else { return false }
        _ = pthread_detach(thread)
        return true
    }

    private static func start(_ name: String, _ run: @escaping @Sendable () -> Void) -> pthread_t? {
        let body = Body(name: name, run: run)
        var thread = pthread_t()
        // SAFETY: the retained body is released by the one thread that takes it over, or here where there is none.
        let retained = unsafe Unmanaged.passRetained(body)
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                let body = unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
                unsafe clinux_name_thread(String(body.name.prefix(15)))
                body.run()
                return nil
            }, retained.toOpaque())
        if result == 0 { return thread }
        unsafe retained.release()
        return nil
    }

    /// Waits for the end of the thread. To be called once, by its owner.
    package func join() {
        _ = pthread_join(thread, nil)
    }

    /// Lets the threads of the loops go first, in this thread: where all processors are busy it gets a tenth of what one
    /// of them gets, so that its work takes longer and still comes to its end.
    ///
    /// Its slices are long, since the kernel takes the processor from a long slice at once for a thread with a shorter
    /// one that wakes up, and lets others of its own length wait for its end. It is a batch thread, since any other that
    /// wakes up, however far back it stands, gets the processor of a loop that has just had a microsecond more than its
    /// share, and keeps it to the next tick.
    static func standBack() { clinux_stand_back(10, 20_000_000) }

    /// How many processors this process may use: those that it may run on, or fewer where its control group has a quota.
    package static var processorCount: Int {
        let count = Int(clinux_processor_count())
        return min(count, ProcessorQuota().processors ?? count)
    }
}

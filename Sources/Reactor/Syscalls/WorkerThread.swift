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

    /// Starts a detached thread; returns false if the system cannot create one.
    @discardableResult
    package static func detached(name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
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

    /// Waits for the end of the thread. Call once, by its owner.
    package func join() {
        _ = pthread_join(thread, nil)
    }

    /// Lowers the priority of this thread: if all processors are busy, it gets a tenth of a loop's time, so that its
    /// work takes longer but still completes.
    ///
    /// Its time slices are long, since the kernel preempts a long slice at once for a waking thread with a shorter one.
    /// It is a batch thread, since any other waking thread, even of low priority, would preempt a loop that has just
    /// exceeded its share, until the next tick.
    static func lowerPriority() { clinux_stand_back(10, 20_000_000) }

    /// The number of processors of this process: its affinity, limited by the quota of its control group.
    package static var processorCount: Int {
        let count = Int(clinux_processor_count())
        return min(count, ProcessorQuota().processors ?? count)
    }
}

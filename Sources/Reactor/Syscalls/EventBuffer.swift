import CLinux

/// The array that `epoll_wait` fills.
@safe
final class EventBuffer {
    // SAFETY: allocated here, freed in `deinit`; indices are checked against what the kernel filled.
    private let events: UnsafeMutablePointer<epoll_event>
    private let capacity: Int32
    private(set) var count = 0

    init(capacity: Int) {
        unsafe events = .allocate(capacity: capacity)
        unsafe events.initialize(repeating: epoll_event(), count: capacity)
        self.capacity = Int32(capacity)
    }

    deinit { unsafe events.deallocate() }

    /// Waits for events or the time-out.
    func wait(epoll: Int32, timeoutMilliseconds: Int32) {
        let n = unsafe clinux_epoll_wait(epoll, events, capacity, timeoutMilliseconds)
        count = max(0, Int(n))
    }

    /// Registration data and readiness of one event.
    func event(_ index: Int) -> (data: UInt64, mask: UInt32) {
        precondition(index >= 0 && index < count)
        return unsafe (clinux_event_data(events + index), clinux_event_mask(events + index))
    }
}

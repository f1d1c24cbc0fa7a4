import CLinux

/// Notifies the service manager of the state of the process (sd_notify(3)), if there is one. The variable stays in the
/// environment for a successor.
package struct ServiceNotification: Sendable {
    private let path: String?

    /// Create before any other thread starts.
    package init() {
        // SAFETY: the text is copied at once.
        path = unsafe clinux_environment("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
    }

    /// Reports that the process serves.
    package func ready() { send("READY=1") }

    /// Reports a reload or hand-over; `ready` follows.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds)") }

    package func stopping() { send("STOPPING=1") }

    /// Reports the new main process, which cannot do so itself (`NotifyAccess=main`, systemd.service(5)).
    package func handedOver(to processID: Int32) { send("READY=1\nMAINPID=\(processID)") }

    private func send(_ text: String) {
        guard let path else { return }
        // SAFETY: both texts outlive the call.
        _ = unsafe clinux_notify(path, text, text.utf8.count)
    }
}

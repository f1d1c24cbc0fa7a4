import CLinux

/// Tells the service manager how the process is (sd_notify(3)), by a datagram to the socket that it names; does nothing
/// where there is none. The variable stays in the environment, for a successor.
package struct ServiceNotification: Sendable {
    private let path: String?

    /// To be made before any other thread starts.
    package init() {
        // SAFETY: the text is copied at once.
        path = unsafe clinux_environment("NOTIFY_SOCKET").map { unsafe String(cString: $0) }
    }

    /// The process serves, for the first time or again.
    package func ready() { send("READY=1") }

    /// The process reads its configuration, or hands its work on; `ready` follows.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds)") }

    package func stopping() { send("STOPPING=1") }

    /// Another process is the service now. It cannot say so itself: only the main process is listened to
    /// (`NotifyAccess=main`, systemd.service(5)).
    package func handedOver(to processID: Int32) { send("READY=1\nMAINPID=\(processID)") }

    private func send(_ text: String) {
        guard let path else { return }
        // SAFETY: both texts outlive the call.
        _ = unsafe clinux_notify(path, text, text.utf8.count)
    }
}

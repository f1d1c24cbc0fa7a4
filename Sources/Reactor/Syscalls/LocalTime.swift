import CLinux

/// The time zone of the machine (`TZ`, `/etc/localtime`).
package enum LocalTime {
    /// By how many seconds local time is ahead of UTC at a time.
    /// - Parameter time: seconds since 1970.
    package static func secondsEast(at time: Int64) -> Int64 { Int64(clinux_seconds_east(time_t(time))) }
}

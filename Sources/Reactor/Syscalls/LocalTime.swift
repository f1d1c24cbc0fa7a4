import CLinux

/// The time zone of the machine (`TZ`, `/etc/localtime`).
package enum LocalTime {
    /// Offset of local time from UTC in seconds.
    /// - Parameter time: seconds since 1970.
    package static func secondsEast(at time: Int64) -> Int64 { Int64(clinux_seconds_east(time_t(time))) }
}

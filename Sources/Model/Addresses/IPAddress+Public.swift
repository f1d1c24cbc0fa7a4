extension IPAddress {
    /// Blocks of IPv4 that no other network can be reached at (the registry of RFC 6890).
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3",
    ].compactMap { IPAddressRange($0) }

    /// The same of the global unicast addresses of IPv6: protocols such as Teredo, documentation, and 6to4.
    private static let specialUnicast = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]
        .compactMap { IPAddressRange($0) }

    /// Whether it is an address of the public Internet: none of this machine, of private networks, of a link, of a group, and
    /// none that stands for such a one.
    package var isPublic: Bool {
        guard isIPv6 else { return !IPAddress.special.contains(self) }
        // NAT64 (RFC 6052 section 2.1).
        if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 {
            return IPAddress(v4: UInt32(truncatingIfNeeded: low)).isPublic
        }
        return high >> 61 == 1 && !IPAddress.specialUnicast.contains(self)
    }
}

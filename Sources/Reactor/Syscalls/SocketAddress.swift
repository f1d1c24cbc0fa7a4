import Bytes
import CLinux
import Model

/// An IPv4 or IPv6 address with a port, or the path of a unix socket.
package struct SocketAddress: Equatable, Hashable, Sendable {
    /// The address in network order; IPv4 in the first four bytes.
    private(set) var words: SIMD16<UInt8> = .zero
    package private(set) var isIPv6 = false
    package var port: UInt16 = 0
    /// The path of a unix socket, empty for an unnamed peer; nil for an IP address.
    package private(set) var unixPath: String?

    /// A unix socket; nil if the path is empty, longer than 107 bytes, or contains a NUL.
    package init?(unixPath path: String) {
        let room = MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size - 1
        guard !path.isEmpty, path.utf8.count <= room, !path.utf8.contains(0) else { return nil }
        unixPath = path
    }

    /// An IP literal (`127.0.0.1`, `::1`); nil for another text.
    package init?(literal: String, port: UInt16) {
        self.port = port
        // The kernel's parser would stop at a NUL.
        if literal.utf8.contains(0) { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        // SAFETY: inet_pton reads a NUL-terminated text and writes within the structure of its family.
        if unsafe inet_pton(AF_INET, literal, &v4) == 1 {
            unsafe withUnsafeBytes(of: v4) { bytes in
                for i in 0..<4 { unsafe words[i] = bytes[i] }
            }
        } else if unsafe inet_pton(AF_INET6, literal, &v6) == 1 {
            isIPv6 = true
            unsafe withUnsafeBytes(of: v6) { bytes in
                for i in 0..<16 { unsafe words[i] = bytes[i] }
            }
        } else {
            return nil
        }
    }

    package init(_ address: IPAddress, port: UInt16) {
        words = address.octets
        isIPv6 = address.isIPv6
        self.port = port
    }

    init(_ storage: sockaddr_storage) {
        // SAFETY: sockaddr_storage is large and aligned enough for both families; the family says which it is.
        unsafe withUnsafeBytes(of: storage) { bytes in
            if storage.ss_family == sa_family_t(AF_INET6) {
                let address = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
                isIPv6 = true
                port = UInt16(bigEndian: address.sin6_port)
                unsafe withUnsafeBytes(of: address.sin6_addr) { octets in
                    for i in 0..<16 { unsafe words[i] = octets[i] }
                }
            } else if storage.ss_family == sa_family_t(AF_INET) {
                let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
                port = UInt16(bigEndian: address.sin_port)
                unsafe withUnsafeBytes(of: address.sin_addr) { octets in
                    for i in 0..<4 { unsafe words[i] = octets[i] }
                }
            } else if storage.ss_family == sa_family_t(AF_UNIX) {
                let path = unsafe bytes.dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
                unixPath = unsafe String(decoding: path, as: UTF8.self)
            }
        }
    }

    /// The kernel's form.
    var storage: (sockaddr_storage, socklen_t) {
        var storage = sockaddr_storage()
        // SAFETY: as above.
        return unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            if let unixPath {
                // `init` has seen to it that the path and its NUL have room.
                unsafe bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
                let start = MemoryLayout<sa_family_t>.size
                for (offset, byte) in unixPath.utf8.enumerated() { unsafe bytes[start + offset] = byte }
                return unsafe (
                    bytes.loadUnaligned(as: sockaddr_storage.self), socklen_t(start + unixPath.utf8.count + 1)
                )
            }
            if isIPv6 {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { octets in
                    for i in 0..<16 { unsafe octets[i] = words[i] }
                }
                unsafe bytes.storeBytes(of: address, as: sockaddr_in6.self)
                return unsafe (
                    bytes.loadUnaligned(as: sockaddr_storage.self), socklen_t(MemoryLayout<sockaddr_in6>.size)
                )
            }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { octets in
                for i in 0..<4 { unsafe octets[i] = words[i] }
            }
            unsafe bytes.storeBytes(of: address, as: sockaddr_in.self)
            return unsafe (bytes.loadUnaligned(as: sockaddr_storage.self), socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }

    var family: Int32 { isIPv6 ? AF_INET6 : unixPath == nil ? AF_INET : AF_UNIX }

    package var isUnix: Bool { unixPath != nil }

    /// Whether it is on this machine.
    package var isLoopback: Bool {
        if isUnix { return true }
        if !isIPv6 { return words[0] == 127 }
        var expected = SIMD16<UInt8>.zero
        expected[15] = 1
        return words == expected
    }

    /// Appends the address without the port in the form of `X-Forwarded-For`: bare IPv6, and `unknown` (RFC 7239
    /// section 6.2) for a unix socket.
    package func appendHost(to chunk: Chunk) {
        if isUnix {
            chunk.append("unknown")
            return
        }
        if isIPv6 {
            chunk.append(Array(host.utf8))
            return
        }
        for i in 0..<4 {
            if i > 0 { chunk.append(ASCII.dot) }
            chunk.append(decimal: Int(words[i]))
        }
    }

    /// The address as text without the port; `unknown` for a unix socket.
    package var host: String {
        if isUnix { return "unknown" }
        var text = [CChar](repeating: 0, count: 64)
        var octets = [UInt8](repeating: 0, count: 16)
        for i in 0..<16 { octets[i] = words[i] }
        // SAFETY: inet_ntop reads 4 or 16 octets and writes a NUL-terminated text within the 64 given.
        unsafe octets.withUnsafeBytes { source in
            _ = unsafe inet_ntop(family, source.baseAddress, &text, socklen_t(text.count))
        }
        let end = text.firstIndex(of: 0) ?? text.count
        return String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `host:port`, IPv6 in brackets; `unix:` and the path for a unix socket.
    package var description: String {
        if let unixPath { return "unix:\(unixPath)" }
        return isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The address without its port; nil for a unix socket, whose peers have none.
    package var ipAddress: IPAddress? { isUnix ? nil : IPAddress(octets: words, isIPv6: isIPv6) }
}

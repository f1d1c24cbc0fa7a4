import CLinux
import Glibc

/// The C library's resolver, which blocks.
enum NameLookup {
    static func answer(_ name: String, port: UInt16) -> NameResolver.Answer {
        // The library would ignore the text after a NUL.
        guard !name.isEmpty, !name.utf8.contains(0) else { return .unknownName }
        var first: UnsafeMutablePointer<addrinfo>?
        // SAFETY: the text outlives the call; the list is freed below and not kept.
        let error = unsafe clinux_resolve(name, &first)
        guard error == 0 else {
            if clinux_name_is_unknown(error) != 0 { return .unknownName }
            // SAFETY: gai_strerror answers a constant text that is copied at once.
            return .failed(unsafe String(cString: gai_strerror(error)))
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let entry = unsafe next {
            unsafe next = entry.pointee.ai_next
            guard let address = unsafe address(entry.pointee, port: port), !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return addresses.isEmpty ? .unknownName : .addresses(addresses)
    }

    private static func address(_ entry: addrinfo, port: UInt16) -> SocketAddress? {
        var storage = sockaddr_storage()
        let length = Int(unsafe entry.ai_addrlen)
        guard unsafe entry.ai_family == AF_INET || entry.ai_family == AF_INET6, let source = unsafe entry.ai_addr,
            length <= MemoryLayout<sockaddr_storage>.size
        else { return nil }
        // SAFETY: the resolver says how long its address is, and the storage has room for it.
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.baseAddress?.copyMemory(from: source, byteCount: length)
        }
        var address = SocketAddress(storage)
        address.port = port
        return address
    }
}

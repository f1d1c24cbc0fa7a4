import CLinux

/// Both ends of a pipe, closed when other programs are started.
struct Pipe: ~Copyable {
    let reading: Descriptor
    let writing: Descriptor

    init() throws(KernelError) {
        var ends: [Int32] = [0, 0]
        // SAFETY: the array has room for both ends.
        _ = try Kernel.check(unsafe clinux_pipe(&ends))
        reading = Descriptor(ends[0])
        writing = Descriptor(ends[1])
    }
}

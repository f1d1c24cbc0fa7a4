/// HTTP/2 connections with frames to send at the end of a turn, which batches the frames of many streams.
final class FrameQueue {
    private var queued: [H2Link] = []
    /// The spare array for swapping with `queued`.
    private var spare: [H2Link] = []

    func add(_ link: H2Link) {
        guard !link.isQueued else { return }
        link.isQueued = true
        var links = queued
        queued = []
        links.append(link)
        queued = links
    }

    /// Calls `flush` for each connection, including those added meanwhile.
    func drain(_ flush: (H2Link) -> Void) {
        while !queued.isEmpty {
            let links = queued
            queued = spare
            spare = []
            for link in links {
                link.isQueued = false
                flush(link)
            }
            var emptied = links
            emptied.removeAll(keepingCapacity: true)
            spare = emptied
        }
    }
}

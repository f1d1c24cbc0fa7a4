/// The owner of a timer.
package struct TimerToken: Equatable, Sendable {
    /// Index of the owner.
    package var owner: Int
    /// Generation of the index, to detect timers of earlier uses; else 0.
    package var generation: UInt32
    /// Kind of the owner.
    package var role: UInt8

    package init(role: UInt8, owner: Int, generation: UInt32 = 0) {
        self.role = role
        self.owner = owner
        self.generation = generation
    }
}

/// A timer wheel. Setting a timer takes a few stores. Timers are never cancelled: when one is due, its owner checks its
/// own deadline and sets it again if the deadline has moved. A busy connection thus touches the wheel once per time-out
/// instead of once per request.
///
/// All slots share one array, in which the timers of each slot are a linked list, so that its size is the maximum
/// number of concurrent timers. A class, since a loop looks at its timers in every turn: a struct that is changed in
/// place would need an exclusivity check each time. Not Sendable.
package final class TimerWheel {
    /// A timer in the list of its slot or of due timers, or a free entry in the free list.
    private struct Entry {
        var token: TimerToken
        /// The next entry of its list.
        var next: Int32
        var deadline: Int64
    }

    /// The end of a list.
    private static let end: Int32 = -1

    /// Length of a slot in milliseconds: the maximum delay of a timer.
    package static let resolution: Int64 = 32
    private static let slotCount = 1024
    private var entries: [Entry] = []
    /// The list of each slot.
    private var slots: [Int32]
    private var due = TimerWheel.end
    private var free = TimerWheel.end
    private var tick: Int64
    var count: Int { waiting }
    private var waiting = 0
    /// Lower bound of the ticks with timers.
    private var soonest = Int64.max

    package init(at time: Int64) {
        slots = Array(repeating: TimerWheel.end, count: TimerWheel.slotCount)
        tick = time / TimerWheel.resolution
    }

    /// Capacity in timers: the maximum number of concurrent timers so far.
    var places: Int { entries.count }

    package var isEmpty: Bool { waiting == 0 && due == TimerWheel.end }

    /// Sets a timer for a time in milliseconds of the loop's clock.
    package func schedule(_ token: TimerToken, at deadline: Int64) {
        // Moved out and in again: mutation in place would need an exclusivity check at each read.
        var (slots, entries) = takeLists()
        defer { (self.slots, self.entries) = (slots, entries) }
        let slot = max(deadline / TimerWheel.resolution + 1, tick + 1)
        let index = Int(slot % Int64(TimerWheel.slotCount))
        let entry = Entry(token: token, next: slots[index], deadline: deadline)
        if free == TimerWheel.end {
            slots[index] = Int32(entries.count)
            entries.append(entry)
        } else {
            slots[index] = free
            free = entries[Int(slots[index])].next
            entries[Int(slots[index])] = entry
        }
        waiting += 1
        // A timer of a later round of the wheel is examined when its slot first passes.
        soonest = min(soonest, tick + 1 + (slot - tick - 1) % Int64(TimerWheel.slotCount))
    }

    /// Advances the clock; `next` then returns due timers.
    package func advance(to time: Int64) {
        let target = time / TimerWheel.resolution
        guard target > tick else { return }
        if waiting == 0 {
            tick = target
            soonest = .max
            return
        }
        // After a long pause, one round visits every slot.
        tick = max(tick, target - Int64(TimerWheel.slotCount))
        var (slots, entries) = takeLists()
        defer { (self.slots, self.entries) = (slots, entries) }
        while tick < target {
            tick += 1
            let index = Int(tick % Int64(TimerWheel.slotCount))
            var place = slots[index]
            guard place != TimerWheel.end else { continue }
            var kept = TimerWheel.end
            while place != TimerWheel.end {
                let entry = entries[Int(place)]
                if entry.deadline <= time {
                    entries[Int(place)].next = due
                    due = place
                    waiting -= 1
                } else {
                    entries[Int(place)].next = kept
                    kept = place
                }
                place = entry.next
            }
            slots[index] = kept
        }
    }

    package func next() -> TimerToken? {
        guard due != TimerWheel.end else { return nil }
        var entries = entries
        self.entries = []
        defer { self.entries = entries }
        let place = due
        due = entries[Int(place)].next
        entries[Int(place)].next = free
        free = place
        return entries[Int(place)].token
    }

    /// How long the loop may sleep, in milliseconds; -1 without timers.
    package func sleepLimit(at time: Int64) -> Int32 {
        if due != TimerWheel.end { return 0 }
        if waiting == 0 { return -1 }
        let slots = slots
        soonest = max(soonest, tick + 1)
        while slots[Int(soonest % Int64(TimerWheel.slotCount))] == TimerWheel.end { soonest += 1 }
        return Int32(clamping: max(1, soonest * TimerWheel.resolution - time))
    }

    private func takeLists() -> (slots: [Int32], entries: [Entry]) {
        defer { (slots, entries) = ([], []) }
        return (slots, entries)
    }
}

@available(*, unavailable)
extension TimerWheel: Sendable {}

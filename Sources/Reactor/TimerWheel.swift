import Model

/// What a timer belongs to, as its owner encodes it.
package struct TimerToken: Equatable, Sendable {
    /// Its place.
    package var owner: Int
    /// Counts the users of the place, where the timer of an earlier one is to be known; else 0.
    package var generation: UInt32
    /// What kind of thing set the timer.
    package var role: UInt8

    package init(role: UInt8, owner: Int, generation: UInt32 = 0) {
        self.role = role
        self.owner = owner
        self.generation = generation
    }
}

/// Timers in a ring of slots, each a short stretch of time. Setting one takes a few stores; none is ever cancelled: its
/// owner looks at its own deadline when the timer comes, and sets it again if the deadline has moved. A connection that is
/// busy moves its deadline with every request and touches the wheel once in a time-out.
///
/// All slots share one array, in which the timers of each are a list: it is as long as there were timers at once. Slots
/// that each kept the room they once needed would hold a thousand times what one crowded moment takes.
package struct TimerWheel {
    /// A timer in the list of its slot, or one of those that are due; or a place that is free, in the list of these.
    private struct Entry {
        var token: TimerToken
        /// The next of its list.
        var next: Int32
        var deadline: Int64
    }

    /// The end of a list.
    private static let end: Int32 = -1

    /// Length of a slot in milliseconds: how late a timer may be.
    package static let resolution: Int64 = 32
    private static let slotCount = 1024
    private var entries: [Entry] = []
    /// The list of each slot.
    private var slots: [Int32]
    private var due = TimerWheel.end
    private var free = TimerWheel.end
    private var tick: Int64
    private(set) var count = 0
    /// No slot before this tick has a timer.
    private var soonest = Int64.max

    package init(now: Int64) {
        slots = Array(repeating: TimerWheel.end, count: TimerWheel.slotCount)
        tick = now / TimerWheel.resolution
    }

    /// How many timers there is room for: as many as there ever were at once.
    var places: Int { entries.count }

    package var isEmpty: Bool { count == 0 && due == TimerWheel.end }

    /// Sets a timer for a time in milliseconds of the loop's clock.
    package mutating func schedule(_ token: TimerToken, at deadline: Int64) {
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
        count += 1
        // A timer of a later turn of the ring is looked at when its slot comes by first.
        soonest = min(soonest, tick + 1 + (slot - tick - 1) % Int64(TimerWheel.slotCount))
    }

    /// Moves the clock on; what is due is then taken with `next`.
    package mutating func advance(to now: Int64) {
        let target = now / TimerWheel.resolution
        guard target > tick else { return }
        if count == 0 {
            tick = target
            soonest = .max
            return
        }
        // After a long stop one turn of the ring sees every slot.
        tick = max(tick, target - Int64(TimerWheel.slotCount))
        while tick < target {
            tick += 1
            let index = Int(tick % Int64(TimerWheel.slotCount))
            var place = slots[index]
            guard place != TimerWheel.end else { continue }
            var kept = TimerWheel.end
            while place != TimerWheel.end {
                let entry = entries[Int(place)]
                if entry.deadline <= now {
                    entries[Int(place)].next = due
                    due = place
                    count -= 1
                } else {
                    entries[Int(place)].next = kept
                    kept = place
                }
                place = entry.next
            }
            slots[index] = kept
        }
    }

    package mutating func next() -> TimerToken? {
        guard due != TimerWheel.end else { return nil }
        let place = due
        due = entries[Int(place)].next
        entries[Int(place)].next = free
        free = place
        return entries[Int(place)].token
    }

    /// How long the loop may sleep, in milliseconds; -1 where no timer is set.
    package mutating func sleepLimit(now: Int64) -> Int32 {
        if due != TimerWheel.end { return 0 }
        if count == 0 { return -1 }
        soonest = max(soonest, tick + 1)
        while slots[Int(soonest % Int64(TimerWheel.slotCount))] == TimerWheel.end { soonest += 1 }
        return Int32(clamping: max(1, soonest * TimerWheel.resolution - now))
    }
}

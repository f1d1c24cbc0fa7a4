/// What a timer belongs to, as its owner encodes it.
package struct TimerToken: Equatable, Sendable {
    /// What kind of thing set the timer.
    package var role: UInt8
    /// Its place.
    package var owner: Int
    /// Counts the users of the place, so that a timer of an earlier one is known.
    package var generation: UInt32

    package init(role: UInt8, owner: Int, generation: UInt32) {
        self.role = role
        self.owner = owner
        self.generation = generation
    }
}

/// Timers in a ring of slots, each a short stretch of time. Setting one is an append; none is ever cancelled: its owner
/// looks at its own deadline when the timer comes, and sets it again if the deadline has moved. A connection that is
/// busy moves its deadline with every request and touches the wheel once in a time-out.
package struct TimerWheel {
    private struct Entry {
        var token: TimerToken
        var deadline: Int64
    }

    /// Length of a slot in milliseconds: how late a timer may be.
    package static let resolution: Int64 = 32
    private static let slotCount = 1024
    private var slots: [[Entry]]
    private var tick: Int64
    private var due: [TimerToken] = []
    private(set) var count = 0
    /// No slot before this tick has a timer.
    private var soonest = Int64.max

    package init(now: Int64) {
        slots = Array(repeating: [], count: TimerWheel.slotCount)
        tick = now / TimerWheel.resolution
    }

    package var isEmpty: Bool { count == 0 && due.isEmpty }

    /// Sets a timer for a time in milliseconds of the loop's clock.
    package mutating func schedule(_ token: TimerToken, at deadline: Int64) {
        let slot = max(deadline / TimerWheel.resolution + 1, tick + 1)
        slots[Int(slot % Int64(TimerWheel.slotCount))].append(Entry(token: token, deadline: deadline))
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
            guard !slots[index].isEmpty else { continue }
            var kept = 0
            for i in slots[index].indices {
                let entry = slots[index][i]
                if entry.deadline <= now {
                    due.append(entry.token)
                    count -= 1
                } else {
                    slots[index][kept] = entry
                    kept += 1
                }
            }
            slots[index].removeLast(slots[index].count - kept)
        }
    }

    package mutating func next() -> TimerToken? { due.popLast() }

    /// How long the loop may sleep, in milliseconds; -1 where no timer is set.
    package mutating func sleepLimit(now: Int64) -> Int32 {
        if !due.isEmpty { return 0 }
        if count == 0 { return -1 }
        soonest = max(soonest, tick + 1)
        while slots[Int(soonest % Int64(TimerWheel.slotCount))].isEmpty { soonest += 1 }
        return Int32(clamping: max(1, soonest * TimerWheel.resolution - now))
    }
}

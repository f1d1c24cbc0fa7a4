/// Suggestions for misspelled names.
package enum Suggestion {
    /// The closest candidate within a small edit distance.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let lowercased = word.lowercased()
        let limit = max(1, min(3, word.count / 3))
        var best: (distance: Int, candidate: String)?
        for candidate in candidates where candidate != word {
            // A difference in case only has distance 0, since names are case-sensitive (ROLE-04).
            let distance =
                candidate.lowercased() == lowercased ? 0 : self.distance(Array(word), Array(candidate), limit: limit)
            if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.candidate
    }

    /// The edit distance: insertions, deletions, substitutions and transpositions (optimal string alignment).
    private static func distance(_ left: [Character], _ right: [Character], limit: Int) -> Int {
        guard abs(left.count - right.count) <= limit else { return .max }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                let same = left[i] == right[j]
                var cost = min(last[j] + (same ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}

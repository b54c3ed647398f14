/** Virtual time: jobs run in the order of their time, and of their making where that is equal. Nothing ever waits. */
interface Job {
  at: number
  order: number
  run: () => void
}

export class Clock {
  now = 0
  #heap: Job[] = []
  #order = 0

  after(ms: number, run: () => void): void {
    this.#order += 1
    const heap = this.#heap
    const job = { at: this.now + ms, order: this.#order, run }
    let index = heap.length
    heap.push(job)
    while (index > 0) {
      const above = (index - 1) >> 1
      const parent = heap[above]
      if (!parent || !isBefore(job, parent)) break
      heap[index] = parent
      index = above
    }
    heap[index] = job
  }

  /** Runs the next job; false when none is due up to `until`. */
  step(until: number): boolean {
    const first = this.#heap[0]
    if (!first || first.at > until) {
      this.now = Math.max(this.now, until)
      return false
    }
    const last = this.#heap.pop()
    if (last && last !== first) this.#sink(last)
    this.now = first.at
    first.run()
    return true
  }

  #sink(job: Job): void {
    const heap = this.#heap
    let index = 0
    for (;;) {
      let below = 2 * index + 1
      let child = heap[below]
      if (!child) break
      const right = heap[below + 1]
      if (right && isBefore(right, child)) {
        child = right
        below += 1
      }
      if (!isBefore(child, job)) break
      heap[index] = child
      index = below
    }
    heap[index] = job
  }
}

function isBefore(a: Job, b: Job): boolean {
  return a.at !== b.at ? a.at < b.at : a.order < b.order
}

/**
 * What one process reports, in order, to handlers that may come later. Until the first `open` nothing is lost and
 * nothing overtakes: an event whose handler is not there yet holds back those behind it. After that, an event without a
 * handler is not wanted and passes.
 */
export class Outbox<Events extends object> {
  private readonly handlers: { [K in keyof Events]?: (value: Events[K]) => void } = {}
  private waiting: Array<{ [K in keyof Events]: { type: K; value: Events[K] } }[keyof Events]> = []
  private isOpen = false
  private isScheduled = false

  on<K extends keyof Events>(type: K, handler: (value: Events[K]) => void): void {
    this.handlers[type] = handler
    // Handlers are registered one after another: look only when all of them had their turn.
    if (this.isScheduled) return
    this.isScheduled = true
    queueMicrotask(() => {
      this.isScheduled = false
      this.flush()
    })
  }

  put<K extends keyof Events>(type: K, value: Events[K]): void {
    this.waiting.push({ type, value })
    this.flush()
  }

  /** No further handler is expected: the first prompt was sent. */
  open(): void {
    this.isOpen = true
    this.flush()
  }

  private flush(): void {
    if (this.isScheduled) return
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      if (!this.isOpen && !this.handlers[next.type]) return
      this.waiting.shift()
      this.handlers[next.type]?.(next.value)
    }
  }
}

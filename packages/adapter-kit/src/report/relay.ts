/**
 * Delivers the reports of one process to the host's handlers, in the order in which they were made.
 *
 *     holding --first handler--> opening --next turn of the loop, or the first prompt--> open
 *
 * - While holding and opening, a report waits. The host registers all handlers in one go, so none of them misses a report,
 *   whatever the order in which they were registered. What a handler reports meanwhile waits behind the others.
 * - When open, a report is delivered within the call that makes it. One that nobody listens to is dropped.
 * - All handlers of a kind are called, in the order in which they were registered. One that throws does not keep the report
 *   from the others, nor later reports from anybody: its error is thrown again outside of the delivery.
 */
import type { Report, ReportOf } from './report'

type Handler<T extends Report['type']> = (report: ReportOf<T>) => void

export class Relay {
  private readonly handlers = new Map<Report['type'], Array<(report: never) => void>>()
  private readonly waiting: Report[] = []
  private state: 'holding' | 'opening' | 'open' = 'holding'

  on<T extends Report['type']>(type: T, handler: Handler<T>): void {
    this.handlers.set(type, [...(this.handlers.get(type) ?? []), handler])
    if (this.state !== 'holding') return
    this.state = 'opening'
    setImmediate(() => this.open())
  }

  report(report: Report): void {
    if (this.state === 'open') this.deliver(report)
    else this.waiting.push(report)
  }

  /** Delivers what waits, now: a prompt must not overtake it. */
  open(): void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) this.deliver(next)
    this.state = 'open'
  }

  private deliver<T extends Report['type']>(report: ReportOf<T>): void {
    const handlers = (this.handlers.get(report.type) ?? []) as Array<Handler<T>>
    for (const handler of handlers) {
      try {
        handler(report)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

/**
 * The log and its projection. Each recorded event is folded into the projection at once, so the host keeps no second
 * record of open calls, requests or the running turn. The projection is saved beside the events from time to time,
 * which keeps the next start short.
 */
import { parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { emptyProjection, projectEvent, projectUnreadable, type SessionProjection } from '@roundhouse/delivery'
import type { SessionLog } from '../../log/session-log'
import type { LogChange } from '../../log/statements'

const PAGE = 500
const savedAfter: ReadonlySet<SessionEvent['kind']> = new Set(['turn_completed', 'process_exited', 'session_ended'])

export class Journal {
  projection: SessionProjection

  constructor(
    readonly log: SessionLog,
    private readonly now: () => number,
    /** Receives events once they are on disk. */
    private readonly recorded: (events: readonly SessionEvent[]) => void = () => {},
  ) {
    this.projection = rebuild(log)
  }

  /** Resolves when the events are on disk. Throws at once on an invalid event. */
  record(events: readonly SessionEvent[], change: LogChange = {}): Promise<number> {
    const prepared = this.log.prepare(events)
    const projection = this.fold(prepared.map(({ event }) => event))
    const saves = prepared.some(({ kind }) => savedAfter.has(kind))
    const meta = saves ? { ...change.meta, projection: JSON.stringify(projection) } : change.meta
    const durable = this.log.appendPrepared(prepared, { ...change, ...(meta ? { meta } : {}) })
    this.projection = projection
    // A caller that does not wait must not end the host by a rejection; the log itself reports a failed disk or a lost
    // lease.
    durable.then(
      () => this.recorded(prepared.map(({ event }) => event)),
      () => {},
    )
    return durable
  }

  /** The log was changed by another hand. */
  reread(): void {
    this.projection = rebuild(this.log)
  }

  write(change: LogChange): Promise<number> {
    return this.record([], change)
  }

  /** Removes the beginning of the log; the projection keeps its meaning. Throws errors of the disk. */
  prune(upTo: number): void {
    this.log.prune(upTo, { meta: { projection: JSON.stringify(this.projection) } })
  }

  /** The projection as it would be after these events. */
  projectionAfter(events: readonly SessionEvent[]): SessionProjection {
    return this.fold(events)
  }

  /** Folds the events as written, so that redacted text cannot return through the saved projection. */
  private fold(events: readonly SessionEvent[]): SessionProjection {
    let { projection } = this
    let seq = this.log.lastSeq
    for (const event of events) {
      seq += 1
      projection = projectEvent(projection, event, seq, this.now()).projection
      if (event.kind === 'gap') seq = event.to
    }
    return projection
  }
}

function rebuild(log: SessionLog): SessionProjection {
  const saved = log.rows.meta('projection')
  let projection = saved === null ? emptyProjection() : (JSON.parse(saved) as SessionProjection)
  for (;;) {
    const page = log.rows.eventsAfter(projection.seq, PAGE)
    if (page.length === 0) return projection
    for (const { seq, to, body, at } of page) {
      const event = parseEventBody(body)
      projection =
        event === null || event.kind === 'tombstone' || event.kind === 'opaque'
          ? projectUnreadable(projection, to ?? seq, at)
          : projectEvent(projection, event, seq, at).projection
    }
  }
}

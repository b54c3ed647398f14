/**
 * Stores the landmarks of a log in a separate file, flushed before anybody hears of the events. A disk that loses the
 * end of the log, or all of it, rarely loses this file too.
 */
import type { EventEnvelope, SessionEvent } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import { readOwnFile } from '@roundhouse/owner'
import { throwPassing } from '../../files/read-if-there'
import { writeDurably } from '../../files/write-durably'
import { afterRebase, endOf, Landmarks, missingEnds, noLandmarks, note, withoutTold } from './landmarks'

export class LandmarkFile {
  private known: Landmarks

  /** `acked`: how far the hub is known to have this log. */
  constructor(
    private readonly file: string,
    private readonly acked: number,
  ) {
    this.known = read(file)
  }

  committed(events: readonly EventEnvelope[]): void {
    this.keep(note(this.known, events))
  }

  endOf(turnId: string): SessionEvent | null {
    return endOf(this.known, turnId)
  }

  missingEnds(inLog: ReadonlySet<string>): SessionEvent[] {
    return missingEnds(this.known, inLog, this.acked)
  }

  withoutTold(events: readonly EventEnvelope[], order: RebaseOrder): EventEnvelope[] {
    return withoutTold(this.known, events, order)
  }

  rebased(order: RebaseOrder, before: readonly EventEnvelope[], moved: readonly EventEnvelope[]): void {
    this.keep(afterRebase(this.known, order, before, moved))
  }

  private keep(landmarks: Landmarks): void {
    if (landmarks === this.known) return
    this.known = landmarks
    try {
      writeDurably(this.file, JSON.stringify(landmarks))
    } catch (error) {
      // The log has the event and reports a disk that refuses.
      console.error('could not write the landmarks of the log', error)
    }
  }
}

/** Throws if the file cannot be read now: the next write would replace its landmarks. */
function read(file: string): Landmarks {
  try {
    return Landmarks.parse(JSON.parse(readOwnFile(file)))
  } catch (error) {
    throwPassing(file, error)
    return noLandmarks
  }
}

/**
 * The landmarks of a log in a file of their own beside it, flushed before anybody hears of what they stand for: a disk that
 * loses the end of the log, or all of it, rarely loses this too.
 */
import type { EventEnvelope, SessionEvent } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import { readOwnFile } from '@roundhouse/owner'
import { throwPassing } from '../../files/read-if-there'
import { writeDurably } from '../../files/write-durably'
import { afterRebase, endOf, Landmarks, missingEnds, noLandmarks, note, withoutTold } from './landmarks'

export class LandmarkFile {
  private known: Landmarks

  /** `acked`: what the hub is known to have of the log that the landmarks are of. */
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
      // The log has it. A disk that refuses is told of by the log itself.
      console.error('the landmarks of the log could not be written', error)
    }
  }
}

/** Throws where the system does not give them back now: what is noted next would be written over them. */
function read(file: string): Landmarks {
  try {
    return Landmarks.parse(JSON.parse(readOwnFile(file)))
  } catch (error) {
    throwPassing(file, error)
    return noLandmarks
  }
}

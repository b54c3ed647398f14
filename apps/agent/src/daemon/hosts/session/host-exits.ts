/** Explains the exit code of a host that ended before it was usable. */
import { CodedError, outOfResources } from '@roundhouse/backend-types'
import { unreadableLog } from '../../../files/disk-trouble'
import { HELD_EXIT, LACKING_EXIT, UNREADABLE_EXIT } from '../../../host-contract/launch-spec'

/** Another host holds the session: one that a daemon before this one launched, and that began only later. */
export class HeldByAnother extends CodedError {
  constructor(sessionId: string, cause?: unknown) {
    super('ALREADY_RUNNING', `Another host of ${sessionId} holds its session.`, undefined, cause)
  }
}

/** Null where the code says nothing. */
export function meaningOfExit(sessionId: string, code: number | null | undefined, cause?: unknown): CodedError | null {
  switch (code) {
    case HELD_EXIT:
      return new HeldByAnother(sessionId, cause)
    case UNREADABLE_EXIT:
      return unreadableLog(cause)
    case LACKING_EXIT:
      return outOfResources(cause)
    default:
      return null
  }
}

const TRIES = 3

/** Does `work`, and again once `find` has looked for the other host, taken it over or seen it end. */
export async function whereNoneHolds<T>(work: () => Promise<T>, find: () => Promise<void>, tries = TRIES): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (tries <= 1 || !(error instanceof HeldByAnother)) throw error
    await find()
    return whereNoneHolds(work, find, tries - 1)
  }
}

/** SES-3: a deleted transcript goes in short steps, with the images of its prompts, so that nobody's ack waits behind a long delete. */
import { failpoint } from '@roundhouse/failpoint'
import type { Eraser } from '../../../core/ports/session-store'
import { coded } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import type { GroupCommit } from '../file/group-commit'

const ROWS_PER_STEP = 2_000

export function createEraser(writer: Connection, reader: Connection, commits: GroupCommit): Eraser {
  const undone = reader.prepare<[], { sessionId: string }>('SELECT sessionId FROM Tombstone WHERE erased = 0')
  const placeOf = writer.prepare<[string], number>('SELECT sessionPk FROM Tombstone WHERE sessionId = ?').pluck()
  const erase = writer.prepare(
    'DELETE FROM Event WHERE sessionPk = ? AND seq IN (SELECT seq FROM Event WHERE sessionPk = ? ORDER BY seq LIMIT ?)',
  )
  const image = writer.prepare<[number], { imageId: string }>('SELECT imageId FROM Image WHERE sessionPk = ? LIMIT 1')
  const eraseParts = writer.prepare('DELETE FROM ImagePart WHERE imageId = ?')
  const eraseImage = writer.prepare('DELETE FROM Image WHERE imageId = ?')
  const finish = writer.prepare('UPDATE Tombstone SET erased = 1 WHERE sessionPk = ?')

  function step(sessionPk: number): boolean {
    failpoint('hub.erase')
    if (erase.run(sessionPk, sessionPk, ROWS_PER_STEP).changes > 0) return true
    const found = image.get(sessionPk)
    if (found) {
      eraseParts.run(found.imageId)
      return eraseImage.run(found.imageId).changes > 0
    }
    finish.run(sessionPk)
    return false
  }

  return {
    undone: coded(() => undone.all().map(({ sessionId }) => sessionId)),
    eraseSome: (sessionId) =>
      commits.run(ROWS_PER_STEP, () => {
        const sessionPk = placeOf.get(sessionId)
        return sessionPk !== undefined && step(sessionPk)
      }),
  }
}

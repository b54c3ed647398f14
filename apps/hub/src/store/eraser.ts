/** SES-3: a deleted transcript goes at once, in short steps, so that nobody's ack waits behind a long delete. */
import type { Eraser, IngestTx } from '../core/ports'
import type { Connection } from './connections'
import type { GroupCommit } from './group-commit'

const ROWS_PER_STEP = 2_000

export function createEraser(writer: Connection, reader: Connection, commits: GroupCommit<IngestTx>): Eraser {
  const next = reader.prepare<[], { sessionPk: number }>('SELECT sessionPk FROM Tombstone WHERE erased = 0 LIMIT 1')
  const erase = writer.prepare(
    'DELETE FROM Event WHERE sessionPk = ? AND seq IN (SELECT seq FROM Event WHERE sessionPk = ? ORDER BY seq LIMIT ?)',
  )
  const finish = writer.prepare('UPDATE Tombstone SET erased = 1 WHERE sessionPk = ?')

  function step(sessionPk: number): void {
    if (erase.run(sessionPk, sessionPk, ROWS_PER_STEP).changes === 0) finish.run(sessionPk)
  }

  return {
    async eraseDeleted() {
      for (let row = next.get(); row; row = next.get()) {
        const { sessionPk } = row
        await commits.run(ROWS_PER_STEP, () => step(sessionPk))
      }
    },
  }
}

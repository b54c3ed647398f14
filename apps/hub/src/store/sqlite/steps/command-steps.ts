/** Commands in the event stream, by statements prepared once on the writing connection (STORE-2). */
import type { CommandState } from '@roundhouse/backend-types'
import type { CommandSteps, GivenCommand } from '../../../core/ports/command-store'
import type { Connection } from '../file/connections'
import { givenCommand, promptEdits } from '../rows/rows'

type CommandMark = NonNullable<ReturnType<CommandSteps['find']>>

export function createCommandSteps(db: Connection): CommandSteps {
  const one = db.prepare<[string], CommandMark>('SELECT sessionId, state, promptId FROM Command WHERE commandId = ?')
  const given = db.prepare<[string, string], GivenCommand>(givenCommand)
  const edits = db.prepare<[string, string], GivenCommand>(promptEdits)
  const proven = db.prepare('INSERT INTO Deed (commandId, kind, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const unsettled = db.prepare<[string], { commandId: string; state: CommandState }>(
    `SELECT commandId, state FROM Command WHERE sessionId = ? AND state IN ('sent', 'accepted')`,
  )
  const move = db.prepare(
    `UPDATE Command SET state = @to, errorCode = coalesce(@code, errorCode), errorMessage = coalesce(@message, errorMessage)
     WHERE commandId = @commandId AND state = @from`,
  )
  const refuseWaitingPrompts = db.prepare(
    `UPDATE Command SET state = 'refused', errorCode = @code, errorMessage = @message
     WHERE sessionId = @sessionId AND state = 'accepted' AND kind IN ('session.create', 'prompt.send')`,
  )
  const setState = db.prepare('UPDATE Command SET state = ? WHERE commandId = ?')
  return {
    find: (commandId) => one.get(commandId),
    given: (commandId, kind) => given.get(kind, commandId),
    promptEdits: (sessionId, promptId) => edits.all(sessionId, promptId),
    setProven: (commandId, kind, seq) => void proven.run(commandId, kind, seq),
    setState: (commandId, state) => void setState.run(state, commandId),
    move: (commandId, from, to, error) => {
      const { code = null, message = null } = error ?? {}
      return move.run({ commandId, from, to, code, message }).changes === 1
    },
    refuseWaitingPrompts: (sessionId, error) => void refuseWaitingPrompts.run({ sessionId, ...error }),
    unsettledOfSession: (sessionId) => unsettled.all(sessionId),
  }
}

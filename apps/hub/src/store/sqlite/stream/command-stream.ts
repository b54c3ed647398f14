/** Commands in the event stream, by statements prepared once on the writing connection (STORE-2). */
import type { CommandMark, GivenCommand } from '../../../core/ports/command-store'
import type { OperationOf } from '../../../core/ports/stream-change'
import { deedKey, editsKey, type LoadKeys } from '../../../core/ports/stream-writer'
import type { Connection } from '../file/connections'
import { givenCommand, promptEdits } from '../rows/rows'
import { found, lookEach, lookUp } from './look-up'
import { requireOne } from './require-one'

/** Several at once, by the deeds that they are asked for. */
const givenCommands = `SELECT c.commandId, c.sessionId, c.kind, c.body, c.authorId, c.authorName, d.seq AS provenSeq, k.value AS deed
  FROM json_each(?) k CROSS JOIN Command c ON c.commandId = substr(k.value, instr(k.value, ' ') + 1)
  LEFT JOIN Deed d ON d.commandId = c.commandId AND d.kind = substr(k.value, 1, instr(k.value, ' ') - 1)`

const mark = 'commandId, sessionId, kind, state, promptId'

export function createCommandStream(db: Connection) {
  const marks = lookUp<CommandMark, CommandMark>(db, {
    one: db.prepare(`SELECT ${mark} FROM Command WHERE commandId = ?`),
    many: db.prepare(`SELECT ${mark} FROM Command WHERE commandId IN (SELECT value FROM json_each(?))`),
    keyOf: ({ commandId }) => commandId,
    toRow: (row) => row,
  })
  const oneGiven = db.prepare<[string, string], GivenCommand>(givenCommand)
  const given = lookUp<GivenCommand & { deed?: string }, GivenCommand>(db, {
    one: { get: (deed) => oneGiven.get(...partsOf(deed)) },
    many: db.prepare(givenCommands),
    keyOf: ({ deed = '' }) => deed,
    toRow: ({ deed: _, ...row }) => row,
  })
  const edits = db.prepare<[string, string], GivenCommand>(promptEdits)
  const unsettled = db.prepare<[string], CommandMark>(
    `SELECT ${mark} FROM Command WHERE sessionId = ? AND state IN ('sent', 'accepted')`,
  )
  return {
    marks,
    given: (wanted: LoadKeys['given']) => given(wanted?.map(({ commandId, kind }) => deedKey(commandId, kind))),
    edits: (wanted: LoadKeys['promptEdits']) =>
      lookEach(wanted, ({ sessionId, promptId }) => [
        editsKey(sessionId, promptId),
        found(db, () => edits.all(sessionId, promptId)),
      ]),
    unsettled: (wanted: LoadKeys['unsettled']) =>
      lookEach(wanted, (sessionId) => [sessionId, found(db, () => unsettled.all(sessionId))]),
    ...createCommandChanges(db),
  }
}

function createCommandChanges(db: Connection) {
  const proven = db.prepare('INSERT INTO Deed (commandId, kind, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
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
    prove: ({ commandId, kind, seq }: OperationOf<'command.prove'>) => proven.run(commandId, kind, seq),
    setState: ({ commandId, state }: OperationOf<'command.setState'>) => setState.run(state, commandId),
    move: ({ commandId, from, to, error }: OperationOf<'command.move'>) => {
      const { code = null, message = null } = error ?? {}
      requireOne(move.run({ commandId, from, to, code, message }))
    },
    refuseWaitingPrompts: ({ sessionId, error }: OperationOf<'commands.refuseWaitingPrompts'>) =>
      refuseWaitingPrompts.run({ sessionId, ...error }),
  }
}

/** Of a `deedKey`: kinds hold no space. */
function partsOf(deed: string): [kind: string, commandId: string] {
  const at = deed.indexOf(' ')
  return [deed.slice(0, at), deed.slice(at + 1)]
}

/** Commands in the event stream, by statements prepared once on the writing connection (STORE-2). */
import type { CommandMark, GivenCommand } from '../../../core/ports/command-store'
import type { OperationOf } from '../../../core/ports/stream/stream-change'
import { deedKey, editsKey, type LoadKeys } from '../../../core/ports/stream/stream-writer'
import type { Connection } from '../file/connections'
import { type RawGiven, toGiven } from '../rows/command-rows'
import { givenCommand, givenCommands, promptEdits } from '../rows/rows'
import { byKey, found, lookEach, lookUp } from './look-up'
import { requireOne } from './require-one'

const mark = 'commandId, sessionId, kind, state, promptId'

export function createCommandStream(db: Connection) {
  const marks = lookUp<CommandMark, CommandMark>(db, {
    ...byKey(db, `SELECT ${mark} FROM Command`, 'commandId'),
    keyOf: ({ commandId }) => commandId,
    toRow: (row) => row,
  })
  const oneGiven = db.prepare<[string, string], RawGiven>(givenCommand)
  const manyGiven = db.prepare<[string], RawGiven & { askedKind: string }>(givenCommands)
  const given = lookUp<RawGiven & { askedKind?: string }, GivenCommand>(db, {
    one: (deed) => oneGiven.get(...partsOf(deed)),
    many: (deeds) => manyGiven.all(JSON.stringify(deeds.map((deed) => partsOf(deed).reverse()))),
    keyOf: ({ commandId, askedKind = '' }) => deedKey(commandId, askedKind),
    toRow: ({ askedKind: _, ...row }) => toGiven(row),
  })
  const edits = db.prepare<[string, string], RawGiven>(promptEdits)
  const unsettled = db.prepare<[string], CommandMark>(
    `SELECT ${mark} FROM Command WHERE sessionId = ? AND state IN ('sent', 'accepted')`,
  )
  return {
    marks,
    given: (wanted: LoadKeys['given']) => given(wanted?.map(({ commandId, kind }) => deedKey(commandId, kind))),
    edits: (wanted: LoadKeys['promptEdits']) =>
      lookEach(wanted, ({ sessionId, promptId }) => [
        editsKey(sessionId, promptId),
        found(db, () => edits.all(sessionId, promptId).map(toGiven)),
      ]),
    unsettled: (wanted: LoadKeys['unsettled']) =>
      lookEach(wanted, (sessionId) => [sessionId, found(db, () => unsettled.all(sessionId))]),
    ...createCommandChanges(db),
  }
}

function createCommandChanges(db: Connection) {
  const proven = db.prepare('INSERT INTO Deed (commandId, kind, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const move = db.prepare(
    `UPDATE Command SET state = @to, errorCode = coalesce(@code, errorCode), errorMessage = coalesce(@message, errorMessage),
       errorField = coalesce(@field, errorField)
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
      const { code = null, message = null, field = null } = error ?? {}
      requireOne(move.run({ commandId, from, to, code, message, field }))
    },
    refuseWaitingPrompts: ({ sessionId, error }: OperationOf<'commands.refuseWaitingPrompts'>) =>
      refuseWaitingPrompts.run({ sessionId, code: error.code, message: error.message }),
  }
}

/** Of a `deedKey`: kinds hold no space. */
function partsOf(deed: string): [kind: string, commandId: string] {
  const at = deed.indexOf(' ')
  return [deed.slice(0, at), deed.slice(at + 1)]
}

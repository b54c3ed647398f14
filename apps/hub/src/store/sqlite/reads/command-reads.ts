/** Commands as pages show them and as the pump sends them. One that is not whole is marked for its page, and never sent. */
import type { CommandRow, CommandStore, DueRow, GivenCommand } from '../../../core/ports/command-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { markedCommand, type RawCommand, type RawGiven, toCommand, toGiven, wholeCommands } from '../rows/command-rows'
import { pendingNumbers, pendingStatements } from '../rows/pending-statements'
import { readable, rowByRow } from '../rows/row-by-row'
import { commandColumns, givenCommand, givenCommands, promptEdits, promptEditsOfMany } from '../rows/rows'
import type { ShownBodies } from '../rows/shown-bodies'

/** A body that is no JSON any more is passed over. */
export const refusedRequests = `SELECT body ->> '$.requestId' FROM Command
  WHERE sessionId = ? AND kind = 'tool.answer' AND json_valid(body) AND NOT (body ->> '$.answer.ok')`

type ShownRow = RawCommand & { bodyBytes?: number }

export function createCommandReads(db: Connection, bodies: ShownBodies): AtOnce<CommandStore> {
  const shownOfMany = db.prepare<[string], ShownRow>(pendingStatements.shownOfMany)
  const sessionsShown = db.prepare<[], string>(pendingStatements.sessionsShown).pluck()
  const due = db.prepare<[string], DueRow>(pendingStatements.commands)
  const dueOf = db.prepare<[string], DueRow>(pendingStatements.commandsOf)
  const dueByNumber = db.prepare<[number], DueRow>(
    'SELECT commandId, sessionId, cmdSeq, state, kind FROM Command WHERE rowid = ?',
  )
  const undone = db.prepare<[string], { sessionId: string }>(pendingStatements.undoneDeletions)
  const pending = db.prepare<[], RawCommand>(pendingStatements.pending)
  const overdue = db.prepare<[number], RawCommand>(pendingStatements.overdue)
  const unsettled = db.prepare<[number], RawCommand>(pendingStatements.unsettled)
  const refused = db.prepare<[string], string>(refusedRequests).pluck()
  const one = db.prepare<[string], RawCommand>(`SELECT ${commandColumns} FROM Command WHERE commandId = ?`)
  const given = db.prepare<[string, string], RawGiven>(givenCommand)
  const givenMany = db.prepare<[string], RawGiven & { askedKind: string }>(givenCommands)
  const edits = db.prepare<[string, string], RawGiven>(promptEdits)
  const editsOfMany = db.prepare<[string, string], RawGiven & { promptId: string; place: number }>(promptEditsOfMany)

  const byNumber = db.prepare<[number], RawCommand>(`SELECT ${commandColumns} FROM Command WHERE rowid = ?`)
  const numbersOf = <Args extends unknown[]>(sql: string) => db.prepare<Args, number>(sql).pluck()
  const shownNumbers = numbersOf<[string]>(pendingNumbers.shownOfMany)
  const dueNumbers = numbersOf<[string]>(pendingNumbers.commands)
  const dueNumbersOf = numbersOf<[string]>(pendingNumbers.commandsOf)
  const unfinishedNumbers = numbersOf<[]>(pendingNumbers.unfinished)

  const toSend = (all: () => RawCommand[], numbers: () => number[]): CommandRow[] =>
    wholeCommands(rowByRow(all, numbers, (rowid) => byNumber.get(rowid)))

  const wholeBody = (commandId: string) => () => {
    const raw = readable(() => one.get(commandId))
    return (raw && readable(() => toCommand(raw))?.body) ?? null
  }
  const shownRow = ({ bodyBytes, ...row }: ShownRow): CommandRow => {
    const isLong = row.body === '' && bodyBytes !== undefined
    const shown = isLong ? bodies.of(row.commandId, bodyBytes, wholeBody(row.commandId)) : null
    return shown ? { ...markedCommand({ ...row, body: '{}' }), ...shown } : markedCommand(row)
  }
  const shownOf = (sessionId: string) =>
    rowByRow(
      () => shownOfMany.all(JSON.stringify([sessionId])),
      () => shownNumbers.all(JSON.stringify([sessionId])),
      (rowid) => byNumber.get(rowid),
    )
      .reverse()
      .map(shownRow)

  return {
    shown: shownOf,
    shownOfMany: (sessionIds) => {
      if (sessionIds.length === 0) return new Map()
      const rows = readable(() => shownOfMany.all(JSON.stringify(sessionIds)))
      const found = new Map<string, CommandRow[]>()
      if (!rows) for (const sessionId of sessionIds) found.set(sessionId, shownOf(sessionId))
      for (const row of rows?.reverse().map(shownRow) ?? []) {
        found.set(row.sessionId, [...(found.get(row.sessionId) ?? []), row])
      }
      return found
    },
    sessionsShown: () => readable(() => sessionsShown.all()) ?? [],
    dueOfMachine: (agentId) =>
      rowByRow(
        () => due.all(agentId),
        () => dueNumbers.all(agentId),
        (rowid) => dueByNumber.get(rowid),
      ),
    dueOfSession: (sessionId) =>
      rowByRow(
        () => dueOf.all(sessionId),
        () => dueNumbersOf.all(sessionId),
        (rowid) => dueByNumber.get(rowid),
      ),
    refusedRequests: (sessionId) => refused.all(sessionId),
    undoneDeletions: (agentId) => (readable(() => undone.all(agentId)) ?? []).map(({ sessionId }) => sessionId),
    pending: () =>
      toSend(
        () => pending.all(),
        () => unfinishedNumbers.all(),
      ).filter(({ state }) => state === 'pending'),
    overdue: (now) =>
      toSend(
        () => overdue.all(now),
        () => unfinishedNumbers.all(),
      ).filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now),
    unsettled: (madeBefore) => wholeCommands(unsettled.all(madeBefore)),
    given: (asked) => {
      if (asked.length === 0) return []
      const pairs = JSON.stringify(asked.map(({ commandId, kind }) => [commandId, kind]))
      const rows = readable(() => givenMany.all(pairs))
      const found =
        rows ??
        asked.flatMap(({ commandId, kind }) => {
          const raw = readable(() => given.get(kind, commandId))
          return raw ? [{ ...raw, askedKind: kind }] : []
        })
      return found.flatMap(({ askedKind: kind, ...raw }) => {
        const command = readable(() => toGiven(raw))
        return command ? [{ commandId: raw.commandId, kind, command }] : []
      })
    },
    promptEdits: (sessionId, promptIds) => {
      const found = new Map<string, GivenCommand[]>()
      if (promptIds.length === 0) return found
      const rows =
        readable(() => editsOfMany.all(sessionId, JSON.stringify(promptIds))) ??
        promptIds.flatMap((promptId) =>
          (readable(() => edits.all(sessionId, promptId)) ?? []).map((edit) => ({ ...edit, promptId, place: 0 })),
        )
      for (const { promptId, place: _, ...raw } of rows) {
        const edit = readable(() => toGiven(raw))
        if (edit) found.set(promptId, [...(found.get(promptId) ?? []), edit])
      }
      return found
    },
    find: (commandId) => {
      const raw = one.get(commandId)
      return raw && toCommand(raw)
    },
  }
}

/** Asks between their columns and what the core knows, and the statements that change them (BUS-12). */
import { AskAnswer, AskOption, type OpenAsk } from '@roundhouse/backend-types'
import type { AskRow, AskStep } from '../../../core/ports/ask-store'
import type { Statement } from './bus-rows'

/** Of one peer: so many open ones, and so many closed ones. The oldest make room. */
const ASKS_KEPT = 32

export interface RawAsk {
  peerId: string
  requestId: string
  kind: OpenAsk['kind']
  message: string
  at: number | bigint
  options: string
  closedAt: number | bigint | null
  answer: string | null
}

const columns = 'peerId, requestId, kind, message, at, options, closedAt, answer'
export const openAsksSql = `SELECT ${columns} FROM BusAsk WHERE closedAt IS NULL ORDER BY at, rowid`
export const askSql = `SELECT ${columns} FROM BusAsk WHERE peerId = ? AND requestId = ?`
export const askedCommandsSql = `SELECT a.peerId, a.commandId, c.state FROM BusAsk a
  LEFT JOIN Command c ON c.commandId = a.commandId WHERE a.commandId IS NOT NULL`
export const forgetAsksSql = 'DELETE FROM BusAsk WHERE closedAt < ?'

const Options = AskOption.array()

/** Nobody could read or answer another one. */
export const isWholeAsk = ({ peerId, requestId, kind, message, at }: RawAsk): boolean =>
  [peerId, requestId, message].every((text) => typeof text === 'string') &&
  ['BLOCKED', 'REQUEST'].includes(kind) &&
  Number.isSafeInteger(Number(at))

/** What is damaged in a column is left out: the ask can be answered without it. */
export function toAsk(raw: RawAsk): AskRow {
  const { peerId, requestId, kind, message, closedAt } = raw
  const options = Options.safeParse(json(raw.options))
  const answer = AskAnswer.safeParse(json(raw.answer))
  const ask = { requestId, kind, message, options: options.success ? options.data : [], at: Number(raw.at) }
  return {
    peerId,
    ask,
    closedAt: closedAt === null ? null : Number(closedAt),
    answer: closedAt !== null && answer.success ? answer.data : null,
  }
}

function json(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

const keepNewest = (peerId: string, of: 'closedAt IS NULL' | 'closedAt IS NOT NULL'): Statement => ({
  sql: `DELETE FROM BusAsk WHERE peerId = ? AND ${of} AND rowid NOT IN
    (SELECT rowid FROM BusAsk WHERE peerId = ? AND ${of} ORDER BY rowid DESC LIMIT ${ASKS_KEPT})`,
  values: [peerId, peerId],
})

export function askStep(step: AskStep): Statement[] {
  switch (step.step) {
    case 'open': {
      const { requestId, kind, message, options, at } = step.ask
      const sql =
        'INSERT OR REPLACE INTO BusAsk (peerId, requestId, kind, message, at, options) VALUES (?, ?, ?, ?, ?, ?)'
      const values = [step.peerId, requestId, kind, message, at, JSON.stringify(options)]
      return [{ sql, values }, keepNewest(step.peerId, 'closedAt IS NULL')]
    }
    case 'moved': {
      const sql = `UPDATE BusAsk SET closedAt = coalesce(closedAt, ?), commandId = NULL
        WHERE peerId = ? AND (closedAt IS NULL OR commandId IS NOT NULL)`
      return [{ sql, values: [step.at, step.peerId] }, keepNewest(step.peerId, 'closedAt IS NOT NULL')]
    }
    case 'answered': {
      const { peerId, requestId, answer, commandId } = step
      const sql = `UPDATE BusAsk SET closedAt = ?, answer = ?, commandId = ?
        WHERE peerId = ? AND requestId = ? AND closedAt IS NULL`
      const values = [answer.at, JSON.stringify(answer), commandId, peerId, requestId]
      return [{ sql, values }, keepNewest(peerId, 'closedAt IS NOT NULL')]
    }
    case 'told': {
      const { peerId, requestId, answer, commandId } = step
      const sql = `UPDATE BusAsk SET answer = ?, commandId = ?
        WHERE peerId = ? AND requestId = ? AND closedAt IS NULL AND commandId IS NULL`
      return [{ sql, values: [JSON.stringify(answer), commandId, peerId, requestId] }]
    }
    case 'heard': {
      const sql = 'UPDATE BusAsk SET closedAt = coalesce(closedAt, ?), commandId = NULL WHERE commandId = ?'
      return [{ sql, values: [step.at, step.commandId] }]
    }
    case 'unheard': {
      const sql = 'UPDATE BusAsk SET closedAt = NULL, answer = NULL, commandId = NULL WHERE commandId = ?'
      return [{ sql, values: [step.commandId] }]
    }
  }
}

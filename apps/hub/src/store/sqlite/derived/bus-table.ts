/**
 * The bus in SQLite. Programs with a token write through the group commit, as machines do; what sessions published comes in the
 * transaction of the follower. The gate lets one write at a time, so both count the same offsets.
 */
import type { OpenAsk } from '@roundhouse/backend-types'
import type { AskedCommand } from '../../../core/ports/ask-store'
import type { Appended, BusStore, BusTask, BusVolume, BusWrite, PeersRead } from '../../../core/ports/bus-store'
import { coded } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import type { GroupCommit } from '../file/group-commit'
import { transactionOf } from '../prisma/prisma-write-tx'
import {
  askedCommandsSql,
  askSql,
  askStep,
  forgetAsksSql,
  isWholeAsk,
  openAsksSql,
  type RawAsk,
  toAsk,
} from './ask-rows'
import {
  blankHeartbeatSql,
  busColumns,
  dropOfSessionSql,
  eraseOf,
  HEARTBEAT,
  insertAll,
  insertSql,
  isWholeTask,
  type OfSessions,
  ofSessionsSql,
  oldestOfSessionSql,
  peersByIdSql,
  peersSql,
  putPeer,
  putTasks,
  type RawBusRow,
  type RawPeer,
  tasksSql,
  toWholeBusRow,
  toWholePeer,
  valuesOf,
} from './bus-rows'

type RightsGuard = NonNullable<Parameters<BusStore['append']>[1]>

export interface BusTableDeps {
  writer: Connection
  reader: Connection
  commits: GroupCommit
  /** On the writing connection. */
  standing: (of: RightsGuard['credential']) => Parameters<RightsGuard['require']>[0]
}

export function createBusTable({ writer, reader, commits, standing }: BusTableDeps): BusStore {
  const insert = writer.prepare(insertSql)
  const blankHeartbeat = writer.prepare<[string]>(blankHeartbeatSql)
  const find = writer
    .prepare<[string, string], number>('SELECT "offset" FROM BusMessage WHERE fromPeer = ? AND messageId = ?')
    .pluck()
  const bounds = reader.prepare<[], { oldest: number; newest: number }>(
    `SELECT coalesce((SELECT min("offset") FROM BusMessage), 0) AS oldest, coalesce((SELECT max("offset") FROM BusMessage), 0) AS newest`,
  )
  const after = reader.prepare<[number, number], RawBusRow>(
    `SELECT ${busColumns} FROM BusMessage WHERE "offset" > ? ORDER BY "offset" LIMIT ?`,
  )
  const at = reader.prepare<[number], RawBusRow>(
    `SELECT ${busColumns} FROM BusMessage WHERE "offset" = ? AND erased = 0`,
  )
  const known = reader.prepare<[string, string], { messageId: string; offset: number }>(
    'SELECT messageId, "offset" FROM BusMessage WHERE fromPeer = ? AND messageId IN (SELECT value FROM json_each(?))',
  )
  const volume = reader.prepare<[string, string], BusVolume>(
    `SELECT coalesce((SELECT bytes FROM BusVolume WHERE fromPeer = ?), 0) AS own,
      coalesce((SELECT bytes FROM BusVolume WHERE fromPeer = '@' || ?), 0) AS person,
      (SELECT coalesce(sum(bytes), 0) FROM BusVolume WHERE fromPeer > '@' AND fromPeer < 'A') AS people,
      coalesce((SELECT bytes FROM BusVolume WHERE fromPeer = ''), 0) AS "all"`,
  )
  const ofSessions = reader.prepare<[], OfSessions>(ofSessionsSql)
  const oldestOf = writer.prepare<[string, number], { offset: number; bytes: number }>(oldestOfSessionSql)
  const drop = writer.prepare<[string, number]>(dropOfSessionSql)
  const peers = reader.prepare<[number], RawPeer>(peersSql)
  const peersById = reader.prepare<[string], RawPeer>(peersByIdSql)
  const tasks = reader.prepare<[], BusTask>(tasksSql)
  const asks = reader.prepare<[], RawAsk>(openAsksSql)
  const ask = reader.prepare<[string, string], RawAsk>(askSql)
  const askedCommands = reader.prepare<[], AskedCommand>(askedCommandsSql)
  const forgetAsks = writer.prepare<[number]>(forgetAsksSql)
  const forget = writer.prepare<[number, number]>(
    `DELETE FROM BusMessage WHERE "offset" IN (SELECT "offset" FROM BusMessage WHERE storedAt < ? AND
      "offset" < (SELECT max("offset") FROM BusMessage) ORDER BY storedAt LIMIT ?)`,
  )

  /** Sessions are added up only where all messages take more than they may. */
  const largestBeyond = coded((bytes: number) => {
    const all = volume.get('', '')?.all ?? 0
    const largest = all > bytes ? ofSessions.get() : undefined
    return largest && largest.together > bytes ? largest : null
  })

  const write = (wanted: BusWrite, guard?: RightsGuard): Appended[] => {
    if (guard) guard.require(standing(guard.credential))
    for (const { sql, values } of besides(wanted)) writer.prepare(sql).run(values)
    return wanted.rows.map((row) => {
      if (row.schema === HEARTBEAT && find.get(row.fromPeer, row.messageId) === undefined)
        blankHeartbeat.run(row.fromPeer)
      const { changes, lastInsertRowid } = insert.run(valuesOf(row))
      if (changes > 0) return { isNew: true, offset: Number(lastInsertRowid) }
      return { isNew: false, offset: find.get(row.fromPeer, row.messageId) ?? 0 }
    })
  }

  return {
    bounds: coded(() => bounds.get() ?? { oldest: 0, newest: 0 }),
    after: coded((offset, { rows: most, chars }) => {
      const rows = []
      const damaged: number[] = []
      let [next, left, looked] = [offset, chars, 0]
      for (const row of after.iterate(offset, most)) {
        next = row.offset
        looked += 1
        if (row.erased) continue
        const whole = toWholeBusRow(row)
        if (whole) rows.push(whole)
        else damaged.push(row.offset)
        left -= String(row.data).length
        if (left < 0) break
      }
      return { rows, next, isEnd: looked < most && left >= 0, damaged }
    }),
    at: coded((offset) => {
      const row = at.get(offset)
      return (row && toWholeBusRow(row)) ?? undefined
    }),
    known: coded(
      (fromPeer, ids) => new Map(known.all(fromPeer, JSON.stringify(ids)).map((row) => [row.messageId, row.offset])),
    ),
    volume: coded((peerId, userId) => volume.get(peerId, userId) ?? { own: 0, person: 0, people: 0, all: 0 }),
    peers: coded((sessions) => wholePeers(peers.all(sessions))),
    peersById: coded((peerIds) => wholePeers(peersById.all(JSON.stringify(peerIds)))),
    tasks: coded(() => tasks.all().filter(isWholeTask)),
    asks: coded(() => {
      const byPeer = new Map<string, OpenAsk[]>()
      for (const raw of asks.iterate()) {
        if (!isWholeAsk(raw)) continue
        const { peerId, ask } = toAsk(raw)
        byPeer.set(peerId, [...(byPeer.get(peerId) ?? []), ask])
      }
      return byPeer
    }),
    ask: coded((peerId, requestId) => {
      const raw = ask.get(peerId, requestId)
      return raw ? toAsk(raw) : null
    }),
    askedCommands: coded(() => askedCommands.all()),
    append: (wanted, guard) => commits.run(1 + wanted.rows.length, () => write(wanted, guard)),
    async askIn(tx, peerId, requestId) {
      const [raw] = await transactionOf(tx).$queryRawUnsafe<RawAsk[]>(askSql, peerId, requestId)
      return raw ? toAsk(raw) : null
    },
    async appendIn(tx, wanted) {
      const db = transactionOf(tx)
      const { rows } = wanted
      const statements = [...besides(wanted), ...(rows.length > 0 ? [insertAll(rows)] : [])]
      for (const { sql, values } of statements) await db.$executeRawUnsafe(sql, ...values)
    },
    async eraseIn(tx, sessionId) {
      for (const { sql, values } of eraseOf(sessionId)) await transactionOf(tx).$executeRawUnsafe(sql, ...values)
    },
    forgetBefore: (time, most) =>
      commits.run(most, () => {
        forgetAsks.run(time)
        return forget.run(time, most).changes
      }),
    async forgetOfSessions(bytes, most) {
      const largest = await largestBeyond(bytes)
      if (!largest) return 0
      return commits.run(most, () => {
        let [excess, last] = [largest.together - bytes, 0]
        for (const row of oldestOf.iterate(largest.peerId, most)) {
          last = row.offset
          excess -= row.bytes
          if (excess <= 0) break
        }
        return drop.run(largest.peerId, last).changes
      })
    },
  }
}

function wholePeers(rows: RawPeer[]): PeersRead {
  const peers = rows.flatMap((row) => toWholePeer(row) ?? [])
  return { peers, damaged: rows.length - peers.length }
}

/** Everything but its messages. */
const besides = ({ peers = [], tasks = [], asks = [] }: BusWrite) => [
  ...peers.map(putPeer),
  ...putTasks(tasks),
  ...asks.flatMap(askStep),
]

/**
 * Writes a very long session directly into the tables of a stopped hub, because no test can wait until a program has
 * printed a million events. It copies a session that the hub has, with more turns. Its machine must be offline: the
 * agent would report that it does not know the log.
 */
import { createHash } from 'node:crypto'
import path from 'node:path'
import type { SessionEvent } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'

export interface LongLog {
  sessionId: string
  /** The number of its last event. */
  head: number
}

interface Source {
  pk: number
  committed: number
  projection: string
  [column: string]: unknown
}

/** About `events` events, in whole turns. `agentId` names a machine that joined and never connects. */
export function growLog(
  hubDataDir: string,
  like: string,
  copy: { sessionId: string; agentId: string; events: number },
): LongLog {
  const db = new Database(path.join(hubDataDir, 'hub.db'))
  try {
    db.pragma('synchronous = OFF')
    const grown = db.transaction(() => fill(db, like, copy))()
    db.pragma('wal_checkpoint(TRUNCATE)')
    return grown
  } finally {
    db.close()
  }
}

function fill(
  db: Database.Database,
  like: string,
  { sessionId, agentId, events }: { sessionId: string; agentId: string; events: number },
): LongLog {
  const { pk: source, ...row } = db
    .prepare<[string], Source>('SELECT * FROM Session WHERE sessionId = ?')
    .get(like) ?? {
    pk: 0,
    committed: 0,
    projection: '{}',
  }
  const turns = Math.max(0, Math.round((events - row.committed) / turn(1).length))
  const head = row.committed + turns * turn(1).length
  const projection = JSON.stringify({ ...JSON.parse(row.projection), seq: head })
  const copied = { ...row, sessionId, agentId, title: `${head} events`, committed: head, projection }
  const names = Object.keys(copied)
  const pk = db
    .prepare(`INSERT INTO Session (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`)
    .run(copied).lastInsertRowid
  const columns = 'seq, toSeq, kind, v, at, storedAt, agentAt, hash, body'
  db.prepare(`INSERT INTO Event (sessionPk, ${columns}) SELECT ?, ${columns} FROM Event WHERE sessionPk = ?`).run(
    pk,
    source,
  )
  const insert = db.prepare(`INSERT INTO Event (sessionPk, ${columns}) VALUES (?, ?, NULL, ?, 1, ?, ?, ?, ?, ?)`)
  const begun = Date.now() - head
  let seq = row.committed
  for (let n = 1; n <= turns; n += 1) {
    for (const event of turn(n)) {
      seq += 1
      const [body, at] = [JSON.stringify(event), begun + seq]
      insert.run(pk, seq, event.kind, at, at, at, createHash('sha256').update(body).digest(), body)
    }
  }
  return { sessionId, head }
}

const author = { userId: 'user_ana', name: 'Ana' }

/** A typical turn of a coding program: a prompt, a tool call, a report. */
function turn(n: number): SessionEvent[] {
  const turnId = `long_${n}`
  const place = { turnId, procId: 'proc_long' }
  const callId = `call_${n}`
  return [
    { kind: 'turn_started', ...place, trigger: 'prompt' },
    { kind: 'user_message', turnId, promptId: `p_${n}`, text: `question ${n}`, author },
    { kind: 'assistant_text', ...place, text: `I look at **file ${n}** first, and then at those which import it.` },
    { kind: 'tool_use', ...place, callId, toolName: 'Read', input: { file_path: `/shop/src/file-${n}.ts` } },
    { kind: 'tool_result', ...place, callId, output: `export const answer = ${n}\n`.repeat(12) },
    { kind: 'assistant_text', ...place, text: `answer ${n}` },
    {
      kind: 'assistant_text',
      ...place,
      text: `Nothing else in it needs a change:\n\n- it has a test\n- it is ${n} lines`,
    },
    { kind: 'turn_completed', ...place, reason: 'completed', cost: 0.01, duration: 1_200 },
  ]
}

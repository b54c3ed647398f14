/** What follows the log behind the ack, on the production build: the check of decisions that were carried out. */
import path from 'node:path'
import { afterEach, expect } from 'vitest'
import { inTheFile } from '../support/accounts/in-the-file'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

let rig: Rig
afterEach(() => rig.dispose())

const FOLLOWER = 'carried-out-decisions'
const inHub = <T>(sql: string, ...values: unknown[]): T =>
  inTheFile(path.join(rig.system.hub.dataDir, 'hub.db'), (db) => db.prepare(sql).all(...values) as T)

const unrecorded = () =>
  inHub<Array<{ object: string; detail: string }>>(
    "SELECT object, detail FROM Audit WHERE action = 'permission.unrecorded'",
  )
/** Positions that the follower has not taken. */
const behind = () =>
  inHub<Array<{ n: number }>>(
    'SELECT (SELECT max(position) FROM Append) - coalesce((SELECT position FROM Follower WHERE name = ?), 0) AS n',
    FOLLOWER,
  )[0]?.n

/** As somebody with the hub's disk would: the answer is in the file, and in no row of the audit log. */
function forgeAnswer(requestId: string): void {
  inTheFile(path.join(rig.system.hub.dataDir, 'hub.db'), (db) => {
    const request = db
      .prepare('SELECT sessionId, agentId, procId, digest FROM Request WHERE requestId = ?')
      .get(requestId)
    const { sessionId, agentId, procId, digest } = request as Record<string, string>
    const body = { kind: 'permission.decide', requestId, procId, decision: 'allow', digest }
    const author = db.prepare("SELECT id, name FROM User WHERE role = 'owner'").get() as { id: string; name: string }
    db.prepare(
      `INSERT INTO Command (commandId, sessionId, agentId, cmdSeq, kind, body, state, authorId, authorName, createdAt, requestId, dismissed)
       VALUES ('cmd_forged', ?, ?, (SELECT nextCmdSeq FROM Session WHERE sessionId = ?), 'permission.decide', ?, 'pending', ?, ?, ?, ?, 0)`,
    ).run(sessionId, agentId, sessionId, JSON.stringify(body), author.id, author.name, Date.now(), requestId)
    db.prepare('UPDATE Session SET nextCmdSeq = nextCmdSeq + 1 WHERE sessionId = ?').run(sessionId)
  })
}

variation(
  '[STORE-2.3] [T51] a follower goes on over kills of the hub, and finds an answer that nobody is on record for, once',
  async () => {
    rig = await startRig()
    const { hub } = rig.system
    const sessionId = await rig.begin([
      { text: 'I ask.' },
      { tool: 'Write', input: { file_path: 'asked.txt', content: 'written' } },
      { text: 'Once more.' },
      { tool: 'Write', input: { file_path: 'again.txt', content: 'written' } },
      { text: 'Done.' },
    ])
    const first = await rig.asked(sessionId)
    await rig.allow(first)
    await until('the next question', async () => (await rig.asked(sessionId)).requestId !== first.requestId)
    const { requestId } = await rig.asked(sessionId)
    await until('the follower to have it all', () => behind() === 0)
    expect(unrecorded()).toEqual([])
    await hub.kill()
    forgeAnswer(requestId)
    await hub.start()
    await until('the forged answer to be found', () => unrecorded().length > 0)
    await hub.kill()
    await hub.start()
    await rig.agree(sessionId)
    await until('the follower to have it all', () => behind() === 0)
    expect(unrecorded().map(({ object, detail }) => [object, JSON.parse(detail).commandId])).toEqual([
      [requestId, 'cmd_forged'],
    ])
  },
)

/** What no event brings: the hub's own clock does it, once a second, while nobody asks for anything. */
import path from 'node:path'
import type { SessionSummary } from '@roundhouse/backend-types'
import { InboxWatch } from '@roundhouse/hub-client'
import type Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTheFile } from '../support/accounts/in-the-file'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { absentMachine } from '../support/wire/absent-machine'

let rig: Rig
// The machine is revoked in the second test; the last one needs none.
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig.dispose())

const inHubFile = <T>(work: (db: Database.Database) => T): T =>
  inTheFile(path.join(rig.system.hub.dataDir, 'hub.db'), work)

const commandState = (commandId: string) =>
  inHubFile((db) => db.prepare('SELECT state FROM Command WHERE commandId = ?').pluck().get(commandId))

describe('the clock of the hub', () => {
  it('[VIEW-7] the line of a list moves while a turn runs, though nobody asks', async () => {
    const lines = new Set<string>()
    const watch = new InboxWatch(rig.rest, rig.client.socket, {
      onInbox: ({ running }) => {
        for (const { lastLine } of running) if (lastLine) lines.add(lastLine)
      },
    })
    const sessionId = await rig.begin([{ count: { to: 400, delayMs: 25, prefix: 'step' } }])
    await until('two lines in mid-turn', () => [...lines].filter((line) => line.includes('step')).length >= 2)
    expect((await rig.rest.snapshot(sessionId, 1)).session.turnId).toBeDefined()
    watch.close()
  })

  it('[JOIN-3.1] a machine that another process revokes is cut off', async () => {
    const [agent] = (await rig.rest.agents()).items
    inHubFile((db) =>
      db.transaction(() => {
        db.prepare("UPDATE Agent SET state = 'revoked' WHERE agentId = ?").run(agent?.agentId)
        db.prepare('UPDATE HubState SET revocationVersion = revocationVersion + 1').run()
      })(),
    )
    await until('its connection to be gone', async () => !(await rig.rest.agents()).items[0]?.online)
  })

  it('[CMD-4.2] a prompt whose machine does not come expires by itself, and the page hears of it', async () => {
    const { rest, client } = rig
    const { hub, workDir } = rig.system
    const agentId = await absentMachine(rig.system)
    const settings = { backend: 'scripted', workDir }
    const { sessionId, commandId } = await rest.createSession({ agentId, settings, prompt: 'Hello.' })
    // The page may be back before the prompt expires, and is told; or after it, and reads the list anew.
    const shown = new Map<string, string>()
    const show = (sessions: SessionSummary[]) => {
      for (const one of sessions) shown.set(one.sessionId, one.status.status)
    }
    const watch = new InboxWatch(rest, client.socket, {
      onInbox: ({ running, recent }) => show([...running, ...recent]),
    })
    await hub.kill()
    inHubFile((db) =>
      db.prepare('UPDATE Command SET expiresAt = ? WHERE commandId = ?').run(Date.now() + 4_000, commandId),
    )
    await hub.start()
    expect(commandState(commandId)).toBe('pending')
    await until('the command to expire', () => commandState(commandId) === 'expired')
    await until('the list to hear of it', () => shown.get(sessionId) === 'ended')
    watch.close()
  })
})

/** One damaged log is the trouble of its session alone: the daemon stays, and the neighbours notice nothing. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf, progressOf, tableOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { flipPagesWith, logFile, loseValues } from '../support/damage/damage'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

const IDLE_MS = 500
let rig: Rig
let neighbour: string

/** Beside the session that is damaged, another one waits for a person. */
beforeEach(async () => {
  rig = await startRig({ idleMs: IDLE_MS })
  neighbour = await rig.begin([
    { text: 'I ask.' },
    { tool: 'Write', input: { file_path: 'asked.txt', content: 'written' } },
    { text: 'The end.' },
  ])
  await rig.asked(neighbour)
})
afterEach(() => rig.dispose())

const folderOf = (sessionId: string) => rig.system.agent.sessionFolder(sessionId)
const stored = (sessionId: string) => eventsOf(tableOf(rig.system.hub.dataDir, sessionId))
const textsOf = (sessionId: string) =>
  stored(sessionId).flatMap((event) => (event.kind === 'assistant_text' ? [String(event.text)] : []))
const rests = (sessionId: string) => !existsSync(path.join(folderOf(sessionId), 'host.json'))

/** A turn of which the hub has only the beginning: the daemon was killed in it, and the host went on and then rested. */
async function restedUnheard(): Promise<string> {
  const sessionId = await rig.begin([{ count: { to: 150, delayMs: 10 } }, { text: 'Said unheard.' }])
  await until('its first lines', () => textsOf(sessionId).length > 3)
  await rig.system.agent.kill()
  await until('its host to end the turn and go', () => rests(sessionId))
  expect(textsOf(sessionId)).not.toContain('Said unheard.')
  return sessionId
}

async function neighbourIsServed(): Promise<void> {
  await rig.allow(await rig.asked(neighbour))
  await rig.agree(neighbour)
  expect(textsOf(neighbour)).toEqual(['I ask.', 'The end.'])
  expect(stored(neighbour).filter(({ kind }) => kind === 'gap')).toEqual([])
}

/** The damaged one goes on by itself: what was lost is said, and the next prompt is answered. */
async function goesOn(sessionId: string): Promise<void> {
  const damaged = await until('the page to say what happened', () =>
    stored(sessionId).find((event) => event.kind === 'system' && event.subtype === 'log_damaged'),
  )
  expect(JSON.stringify(damaged)).toMatch(/log of this session .* damaged/)
  await rig.prompt(sessionId, [{ text: 'Here again.' }])
  await until('the answer', () => textsOf(sessionId).includes('Here again.'))
  await until('the log to be at the hub', async () => {
    const { head, inTurn } = progressOf(folderOf(sessionId))
    return !inTurn && (await rig.rest.snapshot(sessionId, 1)).head === head
  })
  const seqs = tableOf(rig.system.hub.dataDir, sessionId).map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  expect(readdirSync(folderOf(sessionId)).filter((name) => name.startsWith('log.db.broken-'))).not.toEqual([])
}

const agentSays = (sessionId: string) =>
  rig.system.agent.output.split('\n').filter((line) => line.includes(sessionId) && line.includes('damaged'))

describe('the log of one session is damaged', () => {
  variation('[F19] [REB-4.4] in a page of what the hub does not have yet, found when it is sent', async () => {
    const sessionId = await restedUnheard()
    expect(flipPagesWith(logFile(folderOf(sessionId)), 'line 60')).toBeGreaterThan(0)
    await rig.system.agent.start(['--idle-ms', String(IDLE_MS)])
    await neighbourIsServed()
    await goesOn(sessionId)
    expect(agentSays(sessionId)).toHaveLength(1)
  })

  it('[F19] [REB-4.13] in rows that lost their text: a gap stands for just these, and says why', async () => {
    const sessionId = await restedUnheard()
    loseValues(logFile(folderOf(sessionId)), 'events', ['body'], "body LIKE '%line 60\"%' OR body LIKE '%line 61\"%'")
    await rig.system.agent.start(['--idle-ms', String(IDLE_MS)])
    await neighbourIsServed()
    await until('the end of the turn', () => textsOf(sessionId).includes('Said unheard.'))
    const gaps = stored(sessionId).filter(({ kind }) => kind === 'gap')
    expect(gaps).toMatchObject([{ reason: 'corrupt' }, { reason: 'corrupt' }])
    expect(textsOf(sessionId)).toEqual([
      ...Array.from({ length: 150 }, (_, n) => `line ${n + 1}`).filter((text) => !/ 6[01]$/.test(text)),
      'Said unheard.',
    ])
  })

  variation(
    '[F19] [REB-4] under the pen of its host: what it printed last cannot be read while its program still runs',
    async () => {
      const sessionId = await rig.begin([{ count: { to: 60, delayMs: 20 } }, { text: 'It hangs.', hang: true }])
      await until('its first lines', () => textsOf(sessionId).length > 3)
      const { agent } = rig.system
      process.kill(agent.pid, 'SIGSTOP')
      await until('the last line', () => logOf(folderOf(sessionId)).some(({ body }) => body.includes('line 60')))
      const wal = `${logFile(folderOf(sessionId))}-wal`
      expect(flipPagesWith(wal, 'line 60')).toBeGreaterThan(0)
      process.kill(agent.pid, 'SIGCONT')
      await goesOn(sessionId)
      await neighbourIsServed()
      expect(agentSays(sessionId)).toHaveLength(1)
      expect(agent.output.match(/ connected to /g)).toHaveLength(1)
    },
  )
})

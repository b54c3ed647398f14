/**
 * A disk that does not give back a log, and does later: nothing in it is lost, and it is the same log afterwards. To SQLite
 * such a file is a damaged one.
 */
import { readdirSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { eventsOf, tableOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { failingDisk } from '../support/damage/failing-disk'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
const ends: Array<() => void> = []
afterEach(async () => {
  await rig?.dispose()
  for (const end of ends.splice(0)) end()
})

const probe = failingDisk(freshFolder('probe'))
if (typeof probe !== 'string') probe.close()

async function begin(idleMs: number) {
  const agentHome = freshFolder('agent')
  const disk = failingDisk(agentHome)
  if (typeof disk === 'string') throw new Error(disk)
  ends.push(() => disk.close())
  rig = await startRig({ agentHome, agentEnv: disk.env, envAllow: Object.keys(disk.env), idleMs })
  return disk
}

const folderOf = (sessionId: string) => rig.system.agent.sessionFolder(sessionId)
const events = (sessionId: string) => eventsOf(tableOf(rig.system.hub.dataDir, sessionId))
const texts = (sessionId: string) =>
  events(sessionId).flatMap((event) => (event.kind === 'assistant_text' ? [String(event.text)] : []))
const commandOf = async (sessionId: string, commandId: string) =>
  (await rig.rest.snapshot(sessionId, 1)).session.commands.find((command) => command.commandId === commandId)

async function isTheSame(sessionId: string): Promise<void> {
  await rig.agree(sessionId)
  expect(readdirSync(folderOf(sessionId)).filter((name) => /broken|damaged/.test(name))).toEqual([])
  expect(events(sessionId).filter(({ kind }) => kind === 'gap')).toEqual([])
}

it.skipIf(typeof probe === 'string')(
  '[T24] [REB-4.19] [REB-4.20] of a session at rest: a prompt is refused with a code, and goes on with the same log later',
  async () => {
    const disk = await begin(400)
    const sessionId = await rig.begin([{ text: 'One.' }])
    await rig.agree(sessionId)
    await until('the session to rest', () => !readdirSync(folderOf(sessionId)).includes('host.json'))
    disk.fails({ calls: ['read'], paths: `${sessionId}/log.db` })
    const { commandId } = await rig.prompt(sessionId, [{ text: 'Not now.' }])
    const refused = await until('the prompt to be refused', async () => {
      const command = await commandOf(sessionId, commandId)
      return command?.state === 'refused' && command
    })
    expect(refused.error).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    disk.heals()
    await rig.prompt(sessionId, [{ text: 'Two.' }])
    await until('the next answer', () => texts(sessionId).includes('Two.'))
    expect(texts(sessionId)).toEqual(['One.', 'Two.'])
    await isTheSame(sessionId)
  },
)

it.skipIf(typeof probe === 'string')(
  '[T24] [REB-4.19] under a host that writes: what it wrote meanwhile comes when the disk gives it back',
  async () => {
    const disk = await begin(60_000)
    const sessionId = await rig.begin([{ count: { to: 300, delayMs: 10, prefix: 'line' } }, { text: 'The end.' }])
    await until('some events at the hub', () => texts(sessionId).length > 10)
    disk.fails({ calls: ['read'], paths: `${sessionId}/log.db` })
    await until('the machine to say that it cannot read', () => /cannot be read now/.test(rig.system.agent.output))
    disk.heals()
    await until('the end', () => texts(sessionId).includes('The end.'))
    expect(texts(sessionId).filter((text) => text.startsWith('line'))).toHaveLength(300)
    await isTheSame(sessionId)
  },
)

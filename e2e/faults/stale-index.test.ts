/**
 * The daemon's index could not be written for a while, and logs went on. The daemon after it knows less of them than the hub,
 * and no host can tell it more yet: what the logs hold all the same is moved nowhere, and told once.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type FailingDisk, failingDisk } from '../support/damage/failing-disk'
import { OnDisks, wordy } from '../support/rigs/on-disks'

const on = new OnDisks()
const ends: Array<() => void> = []
afterEach(async () => {
  for (const end of ends.splice(0)) end()
  await on.end()
})

const probe = failingDisk(freshFolder('probe'))
if (typeof probe !== 'string') probe.close()

function failing(folder: string): FailingDisk {
  const disk = failingDisk(folder)
  if (typeof disk === 'string') throw new Error(disk)
  ends.push(() => disk.close())
  return disk
}

describe.skipIf(typeof probe === 'string')('an index that knows less than the log', () => {
  it('[REB-1] [STORE-3] moves nothing behind a gap that the hub and the log both have', async () => {
    const agentHome = freshFolder('agent')
    const disk = failing(agentHome)
    await on.begin({ agentHome, env: disk.env })
    const session = await on.resting('First.')
    await on.place.prompt(session, wordy('more'))
    await on.streams(session, 12)
    disk.fails({ error: 'ENOSPC', calls: ['write', 'sync'], paths: 'index.db' })
    const { length } = on.place.rows(session)
    await until('the hub to have more of it', () => on.place.rows(session).length > length + 20)
    await on.machine.agent.kill()
    on.machine.agent.killHost(session)
    // Its end cannot be recorded yet, so that no host tells how far the log goes.
    disk.fails({ error: 'ENOSPC', calls: ['write', 'sync'], paths: session })
    on.machine.agent.launch(on.machine.up)
    const { agent } = on.machine
    await until('the machine to be back', async () => (await on.place.view(on.machine)).online)
    await until('it to have tried', () => agent.output.includes('could not be taken over yet'), 20_000)
    await until(
      'it to have told of the log',
      () => /has another version of this log|told anew/.test(agent.output),
      3_000,
    ).catch(() => {})
    disk.heals()
    await on.noFaults(session)
    expect(on.place.events(session).map(({ kind }) => kind)).not.toContain('gap')
    expect(existsSync(path.join(agent.sessionFolder(session), 'host.json'))).toBe(false)
    await on.place.prompt(session, [{ text: 'Again.' }])
    await until('its answer', () => on.place.texts(session).includes('Again.'))
  })
})

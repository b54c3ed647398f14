/** The folder of one session takes no new files, as under `chattr +i`: what needs it is refused with a code, until it does. */
import { afterEach, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { failingDisk } from '../support/damage/failing-disk'
import { OnDisks } from '../support/rigs/on-disks'

const on = new OnDisks()
const ends: Array<() => void> = []
afterEach(async () => {
  for (const end of ends.splice(0)) end()
  await on.end()
})

const probe = failingDisk(freshFolder('probe'))
if (typeof probe !== 'string') probe.close()

describe.skipIf(typeof probe === 'string')('a session whose folder takes no files', () => {
  it('[REB-4] [FLOW-2] refuses a prompt with the code of the disk, and takes it when the folder is open again; its neighbour works', async () => {
    const agentHome = freshFolder('agent')
    const disk = failingDisk(agentHome)
    if (typeof disk === 'string') throw new Error(disk)
    ends.push(() => disk.close())
    await on.begin({ agentHome, env: disk.env })
    const [closed, neighbour] = [await on.resting('One.'), await on.resting('Two.')]
    disk.fails({ error: 'EPERM', calls: ['make', 'write', 'sync'], paths: closed })
    expect(await on.fate(on.place.prompt(closed, [{ text: 'Refused.' }]))).toBe('refused DISK_FAILING')
    await on.place.prompt(neighbour, [{ text: 'Works.' }])
    await until('the neighbour to answer', () => on.place.texts(neighbour).includes('Works.'))
    disk.heals()
    await on.place.prompt(closed, [{ text: 'Open again.' }])
    await until('its answer', () => on.place.texts(closed).includes('Open again.'))
    expect(on.place.texts(closed)).not.toContain('Refused.')
    await on.noFaults(closed)
  })
})

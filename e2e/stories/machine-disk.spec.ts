/** What a person sees while the disk of a machine is full: that it is so, and that their answer was not taken. */
import { rmSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { Person } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { failingDisk } from '../support/damage/failing-disk'
import { type System, startSystem } from '../support/processes/system'
import { scriptOf } from '../support/rigs/rig'

test('[FLOW-4.5] the disk of a machine is full: an answer is not shown as taken, its card says so, and the answer counts when there is room', async ({
  page,
}) => {
  const agentHome = freshFolder('agent')
  const disk = failingDisk(agentHome)
  if (typeof disk === 'string') throw new Error(disk)
  const system = await startSystem('scripted', { agentHome, env: disk.env, envAllow: Object.keys(disk.env) })
  try {
    const person = new Person(page, system)
    await person.open()
    await person.startSession(
      scriptOf([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }]),
    )
    await expect(person.ask).toBeVisible()
    const session = page.url()
    disk.fails({ error: 'ENOSPC' })
    await person.answer('Allow')
    await lost(system)
    await expect(person.ask.getByRole('button', { name: 'Allow', exact: true })).toBeVisible()
    await expect(page.getByText(/^Allowed by/)).toBeHidden()
    await page.goto(new URL('/agents', session).href)
    await expect(page.getByText('Disk full', { exact: true })).toBeVisible()
    await expect(page.getByText('Its disk is full. Free up space on that machine.')).toBeVisible()
    disk.heals()
    await page.goto(new URL('/agents', session).href)
    await expect(page.getByText('Connected', { exact: true })).toBeVisible()
    await page.goto(session)
    await person.answer('Allow')
    await expect(person.transcript).toContainText('Done.')
  } finally {
    await system.dispose()
    disk.close()
    rmSync(agentHome, { recursive: true, force: true })
  }
})

/** The machine refused the answer. Before that, the page may still show the buttons as they were when it was given. */
async function lost(system: System): Promise<void> {
  const { rest, close } = await system.hub.client()
  await until('the answer to be refused', async () => {
    const { items } = await rest.audit({ action: 'permission.decision_lost' })
    return items.some(({ detail }) => detail?.includes('DISK_FULL'))
  })
  close()
}

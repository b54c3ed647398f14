/** What a person sees while the disk of a machine is full: that it is so, and that their answer was not taken. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { smallDisk } from '../support/failing-disk'
import { scriptOf } from '../support/rig'
import { Person } from '../support/story'
import { type System, startSystem } from '../support/system'
import { until } from '../support/until'

test('[FLOW-4] the disk of a machine is full: its card says so, an answer is not shown as taken, and counts when there is room', async ({
  page,
}) => {
  const disk = smallDisk(24)
  test.skip(typeof disk === 'string', String(disk))
  if (typeof disk === 'string') return
  const agentHome = path.join(disk.folder, 'agent')
  mkdirSync(agentHome, { mode: 0o700 })
  const system = await startSystem('scripted', { agentHome })
  try {
    const person = new Person(page, system)
    await person.open()
    await person.startSession(
      scriptOf([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }]),
    )
    await expect(person.ask).toBeVisible()
    const session = page.url()
    disk.fill()
    await page.goto(new URL('/agents', session).href)
    await expect(page.getByText('Disk full', { exact: true })).toBeVisible()
    await expect(page.getByText('Its disk is full (DISK_FULL).')).toBeVisible()
    await page.goto(session)
    await person.answer('Allow')
    await lost(system)
    await expect(person.ask.getByRole('button', { name: 'Allow', exact: true })).toBeVisible()
    await expect(page.getByText(/^Allowed by/)).toBeHidden()
    disk.free()
    await page.goto(new URL('/agents', session).href)
    await expect(page.getByText('Connected', { exact: true })).toBeVisible()
    await page.goto(session)
    await person.answer('Allow')
    await expect(person.transcript).toContainText('Done.')
  } finally {
    await system.dispose()
    disk.close()
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

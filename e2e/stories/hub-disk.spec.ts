/** What a person sees while the hub cannot write: that it is so, and that their answer was not taken. */
import { rmSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { Person } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { failingDisk } from '../support/damage/failing-disk'
import { startSystem } from '../support/processes/system'
import { scriptOf } from '../support/rigs/rig'

test('[STORE-7.6] [STORE-7.9] the disk of the hub fails: a banner says so, an answer is not shown as taken, and counts once the hub goes on', async ({
  page,
}) => {
  const hubData = freshFolder('hub')
  const disk = failingDisk(hubData)
  if (typeof disk === 'string') throw new Error(disk)
  const system = await startSystem('scripted', { hubData, hubEnv: disk.env })
  try {
    const person = new Person(page, system)
    await person.open()
    await person.startSession(
      scriptOf([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }]),
    )
    await expect(person.ask).toBeVisible()
    disk.fails()
    await person.answer('Allow')
    await expect(page.getByTestId('storage')).toContainText('The hub’s disk is failing.')
    await expect(person.ask.getByText('STORAGE_UNAVAILABLE')).toBeHidden()
    await person.ask.getByText('Details', { exact: true }).click()
    await expect(person.ask.getByText('STORAGE_UNAVAILABLE')).toBeVisible()
    await expect(person.ask.getByRole('button', { name: 'Allow', exact: true })).toBeVisible()
    disk.heals()
    await expect(page.getByTestId('storage')).toBeHidden()
    await person.answer('Allow')
    await expect(person.transcript).toContainText('Done.')
  } finally {
    await system.dispose()
    disk.close()
    rmSync(hubData, { recursive: true, force: true })
  }
})

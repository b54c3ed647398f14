import { inBothThemes } from '../support/browser/axe'
import { expect, test } from '../support/browser/story'

test('[TREE-1.1] [TREE-5.1] a person lets a session start others, reads what that permits, and ends the whole tree', async ({
  person,
  page,
  system,
}) => {
  const { rest, close } = await system.hub.client()
  const sessionId = await person.startSession('Say something. SCRIPT: [{"text":"I am the root."}]')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  const menu = async (item: string) => {
    await page.getByRole('button', { name: 'More for this session' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await menu('Sessions that it starts…')
  const dialog = page.getByRole('dialog', { name: 'Sessions that this one starts' })
  await expect(dialog).toContainText('in your name')
  expect(await inBothThemes(page)).toEqual([])
  await dialog.getByLabel('Budget in US dollars').fill('2,50')
  await dialog.getByRole('button', { name: 'Allow it' }).click()
  await expect(dialog).toBeHidden()
  expect((await rest.snapshot(sessionId)).session.spawning).toMatchObject({ budgetUsd: 2.5 })
  await menu('Sessions that it starts…')
  await expect(page.getByTestId('spawning-now')).toContainText('Allowed by')
  await page.getByRole('button', { name: 'Let it start no more' }).click()
  await expect(dialog).toBeHidden()
  expect((await rest.snapshot(sessionId)).session.spawning).toBeNull()
  await menu('End the whole tree…')
  await page.getByRole('button', { name: 'End all its sessions' }).click()
  await expect(page.getByTestId('tree-stopped')).toContainText('a person ended them')
  close()
})

/** The form of a new session has an address, for a bookmark or a link. */
import { expect, test } from '../support/browser/story'

test('/sessions/new opens the form over the list, leads to the started session, and closes to the list', async ({
  person,
  page,
  system,
}) => {
  const form = page.getByRole('dialog', { name: 'New session' })
  await page.goto(`${system.hub.url}/sessions/new`)
  await expect(form).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/sessions$/)
  await expect(form).toHaveCount(0)

  await page.goto(`${system.hub.url}/sessions/new`)
  await form.getByLabel('Program').selectOption(system.kind)
  await form.getByLabel('Folder').fill(system.workDir)
  await form.getByLabel('First prompt').fill('Do it. SCRIPT: [{"text":"Done."}]')
  await form.getByRole('button', { name: 'Start session' }).click()
  await expect(person.turnEnds('completed')).toHaveCount(1)
  expect(page.url()).toContain(`/sessions/${person.sessionId}`)
  expect(person.sessionId).not.toBe('new')
})

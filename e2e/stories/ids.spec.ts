/** The ids and names by which a program calls the hub are on the pages, for whoever writes it. */
import { inOneTheme } from '../support/browser/axe'
import { expect, test } from '../support/browser/story'
import { owner } from '../support/processes/hub-process'

test('the pages have the id of a machine, the id of a token on the bus, and the names of the scopes', async ({
  person: { page },
  system,
}) => {
  const { rest, close } = await system.hub.client()
  const token = { scopes: ['worker' as const], ttlDays: 30, password: owner.password }
  const { tokenId } = await rest.makeToken({ ...token, name: 'deployer' })
  const { tokenId: reader } = await rest.makeToken({ ...token, name: 'reader', scopes: ['read'] })
  const [agent] = (await rest.agents()).items
  await page.goto(`${system.hub.url}/agents`)
  await expect(page.getByTestId('machine-id')).toHaveText(agent?.agentId ?? 'no machine')
  await expect(page.getByRole('button', { name: 'Copy the ID' })).toHaveCount(1)
  await page.goto(`${system.hub.url}/account`)
  await expect(page.getByText(`p_${tokenId}`)).toBeVisible()
  await expect(page.getByText(`p_${reader}`)).toHaveCount(0)
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('start sessions and send prompts operate')).not.toBeChecked()
  expect(await inOneTheme(page)).toEqual([])
  close()
})

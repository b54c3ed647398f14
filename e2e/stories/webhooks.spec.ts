/** A person registers an address of their own, tests it, and reads what was sent there and what was not. */
import { rmSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { inBothThemes, inOneTheme } from '../support/browser/axe'
import { phone } from '../support/browser/screens'
import { Person } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { startSystem } from '../support/processes/system'
import { turnedClock } from '../support/processes/turned-clock'
import { scriptOf } from '../support/rigs/rig'
import { status, WebhookReceiver } from '../support/wire/webhook-receiver'

test('[HOOK-2.1] on a phone a person adds a webhook, sends a test, sees a failure, sends it again and removes the webhook', async ({
  page,
}) => {
  const hubData = freshFolder('hub')
  const world = turnedClock()
  const hubEnv = { ...world.env, ROUNDHOUSE_OUTBOUND_NETWORKS: '127.0.0.0/8' }
  const system = await startSystem('scripted', { hubData, hubEnv })
  const receiver = await WebhookReceiver.start()
  try {
    await page.setViewportSize(phone)
    const person = new Person(page, system)
    await person.open()
    await page.goto(`${system.hub.url}/account`)

    await page.getByRole('button', { name: 'Add webhook' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add webhook' })
    await dialog.getByLabel('Address').fill('http://10.1.2.3/hook')
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await expect(dialog.getByText('ADDRESS_NOT_ALLOWED')).toBeAttached()
    await dialog.getByLabel('Address').fill(receiver.url())
    expect(await inBothThemes(page)).toEqual([])
    await page.screenshot({ path: 'test-results/webhook-add.png' })
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await expect(dialog.getByTestId('shown-once')).toHaveText(/^whsec_/)
    await dialog.getByRole('button', { name: 'Done' }).click()

    const hook = page.getByTestId('webhook')
    await expect(hook).toContainText('Nothing delivered yet')
    await hook.getByRole('button', { name: 'Send a test' }).click()
    await expect(hook).toContainText('Working')
    expect(receiver.arrived.map(({ type }) => type)).toEqual(['ping'])

    receiver.answer = status(500)
    const { rest } = await system.hub.client()
    const [agent] = (await rest.agents()).items
    const settings = { backend: 'scripted' as const, workDir: system.workDir }
    await rest.createSession({ agentId: agent?.agentId ?? '', settings, prompt: scriptOf([{ text: 'Done.' }]) })
    await hook.getByRole('button', { name: 'Deliveries' }).click()
    const deliveries = page.getByRole('dialog', { name: 'Deliveries' })
    const turn = deliveries.getByTestId('delivery').filter({ hasText: 'system.turn.completed' })
    await expect(turn).toContainText('500: the address did not accept it')
    await expect(turn.getByRole('link')).toHaveAttribute('href', /^\/sessions\/ses_/)
    await expect(turn.getByRole('link')).not.toHaveText(/ses_/)
    expect(await inBothThemes(page)).toEqual([])
    await page.screenshot({ path: 'test-results/webhook-deliveries.png' })
    receiver.answer = status(204)
    await turn.getByRole('button', { name: 'Try now' }).click()
    await expect(turn).toContainText('Delivered')
    await turn.getByRole('button', { name: 'Send again' }).click()
    await expect(turn).toContainText(/[3-9] attempts/)
    const turns = receiver.arrived.filter(({ type }) => type === 'system.turn.completed')
    expect(new Set(turns.map(({ id }) => id)).size).toBe(1)
    await page.keyboard.press('Escape')

    await hook.getByRole('button', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit webhook' })
    await expect(edit.getByLabel('Address')).toHaveValue(receiver.url())
    await edit.getByLabel('A turn ends').uncheck()
    await edit.getByLabel('Other topics').fill('worker.*.phase')
    expect(await inOneTheme(page)).toEqual([])
    await edit.getByRole('button', { name: 'Save' }).click()
    await expect(hook).toContainText('A permission request opens or closes · worker.*.phase')

    await hook.getByRole('button', { name: 'New secret' }).click()
    const secret = page.getByRole('dialog', { name: 'New secret' })
    await secret.getByRole('button', { name: 'Create new secret' }).click()
    await expect(secret.getByTestId('shown-once')).toHaveText(/^whsec_/)
    await secret.getByRole('button', { name: 'Done' }).click()

    await page.goto(`${system.hub.url}/people`)
    await expect(page.getByTestId('any-webhook')).toContainText('127.0.0.1')
    expect(await inOneTheme(page)).toEqual([])
    await page.goto(`${system.hub.url}/account`)
    await hook.getByRole('button', { name: 'Turn off' }).click()
    await expect(hook).toContainText('Off')
    await hook.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect(hook).toHaveCount(0)
  } finally {
    await receiver.close()
    await system.dispose()
    rmSync(hubData, { recursive: true, force: true })
  }
})

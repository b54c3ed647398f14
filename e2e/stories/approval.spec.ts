/** A machine that has to be approved, as the person at the page sees it. */
import { rmSync } from 'node:fs'
import { expect, onBackend, type Person, test } from '../support/browser/story'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { spawnJoin } from '../support/processes/spawn-join'

const machines: AgentProcess[] = []
test.afterEach(async () => {
  for (const machine of machines.splice(0)) {
    await machine.stop()
    rmSync(machine.home, { recursive: true, force: true, maxRetries: 5 })
  }
})

/** Joins by the command that the page shows, starts, and has printed its keys. */
async function join({ page }: Person): Promise<{ machine: AgentProcess; keys: string[] }> {
  await page.getByRole('button', { name: 'Add machine' }).first().click()
  const machine = new AgentProcess(freshFolder('waiting'), {})
  machines.push(machine)
  machine.writePolicy({ roots: [] })
  await spawnJoin(await page.getByTestId('join-command').innerText(), machine.home)
  await expect(page.getByTestId('join-state')).toContainText('waiting for your approval')
  machine.launch()
  const printed = await until('the keys to be printed', () => machine.output.match(/([0-9a-f]{4} ){4}[0-9a-f]{4}/g))
  return { machine, keys: [...printed] }
}

onBackend('scripted', () => {
  test('[JOIN-1.10] a machine waits for approval with the keys that it has printed, and comes in by itself or never', async ({
    person,
    system,
  }) => {
    const { page } = person
    await page.goto(`${system.hub.url}/machines`)
    await expect(page).toHaveURL(/\/agents$/)
    await page.getByLabel('New machines need approval').check()
    await expect(page.getByLabel('New machines need approval')).toBeEnabled()
    const wanted = await join(person)
    expect(wanted.keys).toHaveLength(2)
    const dialog = page.getByRole('dialog')
    for (const key of wanted.keys) await expect(dialog).toContainText(key)
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await expect(page.getByTestId('join-state')).toContainText('connected')
    await page.keyboard.press('Escape')
    await wanted.machine.connected()

    const unwanted = await join(person)
    await page.keyboard.press('Escape')
    const card = page.getByRole('listitem').filter({ hasText: 'Waiting for your approval' })
    for (const key of unwanted.keys) await expect(card).toContainText(key)
    await card.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('button', { name: 'Reject for good' }).click()
    await expect(card).toHaveCount(0)
    await unwanted.machine.ended()
    await page.getByLabel('New machines need approval').uncheck()
    await expect(page.getByLabel('New machines need approval')).toBeEnabled()
  })
})

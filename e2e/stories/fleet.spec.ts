/** What programs ask the person who directs them: answered on Fleet or in the Inbox, and gone everywhere once it is. */
import type { ApiTokenScope } from '@roundhouse/backend-types'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { inBothThemes } from '../support/browser/axe'
import { phone, screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { owner } from '../support/processes/hub-process'
import type { System } from '../support/processes/system'
import { scriptOf } from '../support/rigs/rig'
import { BusProgram } from '../support/wire/bus-program'

let made = 0

/** A program with a token that can ask, and read what it is told. */
async function worker({ hub }: System, name: string) {
  const { rest, close } = await hub.client()
  const scopes: ApiTokenScope[] = ['worker']
  const { token, tokenId } = await rest.makeToken({ name, scopes, ttlDays: 1, password: owner.password })
  close()
  const headers = () => ({ authorization: `Bearer ${token}` })
  const peerId = `p_${tokenId}`
  const own = () => new HubRest(new Transport({ baseUrl: hub.url, headers, timeoutMs: 5_000 }))
  return {
    peerId,
    /** On its socket. */
    hello: (called: string) => BusProgram.open(hub.port, token, { name: called }),
    ask: async (kind: 'BLOCKED' | 'REQUEST', message: string, more: object = {}) => {
      const request_id = `r${++made}`
      const data = { kind, severity: 'info', message, request_id, ...more }
      const { results } = await own().publish([
        { v: 1, id: `ask-${made}`, topic: `worker.${peerId}.event`, schema: 'worker-event-v1', data },
      ])
      expect(results).toMatchObject([{ ok: true }])
      return request_id
    },
    told: async () => {
      const { items } = await own().call('listMessages', { query: { after: 0, pattern: 'cmd.**', limit: 50 } })
      return items.map(({ topic, data }) => ({ does: topic.split('.').at(-1), ...data }))
    },
  }
}

for (const viewport of screens) {
  const { width } = viewport
  test.describe(`at ${width} px`, () => {
    test.use({ viewport })

    test('[BUS-12] a program asks, a person approves with words on Fleet, and it is gone from the Inbox too', async ({
      person: { page },
      system,
    }) => {
      const program = await worker(system, `deployer ${width}`)
      const request = await program.ask('REQUEST', `May I deploy from ${width}?`)
      const card = page.getByTestId('ask').filter({ hasText: `May I deploy from ${width}?` })
      await expect(card).toContainText(`(deployer ${width}) asks you`)
      await expect(card).toContainText('Actions that need permission still ask')
      await page.goto(`${system.hub.url}/fleet`)
      await expect(card).toHaveCount(1)
      expect(await inBothThemes(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      await card.getByLabel('Your answer').fill('After the tests.')
      await card.getByRole('button', { name: 'Approve' }).click()
      await expect(card).toHaveCount(0)
      await expect.poll(program.told).toEqual([{ does: 'approve', correlation_id: request, text: 'After the tests.' }])
      await page.goto(`${system.hub.url}/`)
      await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
      await expect(card).toHaveCount(0)
    })
  })
}

variation(
  '[BUS-12.3] what waits outlives a hub that is killed, and is rejected in the Inbox by keyboard',
  async ({ person: { page }, system }) => {
    const program = await worker(system, 'writer')
    const request = await program.ask('BLOCKED', 'The folder is missing.')
    const card = page.getByTestId('ask').filter({ hasText: 'The folder is missing.' })
    await expect(card).toContainText('is blocked')
    await system.hub.kill()
    await system.hub.start()
    await page.goto(`${system.hub.url}/`)
    await card.focus()
    for (let i = 0; i < 3; i += 1) {
      if (await card.getByLabel('Your answer').evaluate((field) => field === document.activeElement)) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.insertText('Make it first.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect(card.getByRole('button', { name: 'Reject' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(card).toHaveCount(0)
    await expect.poll(program.told).toEqual([{ does: 'reject', correlation_id: request, reason: 'Make it first.' }])
  },
)

variation(
  '[BUS-12.5] [BUS-12.6] [BUS-12.10] a person chooses an offered answer; where somebody else was first, the page says who and keeps the words',
  async ({ person: { page }, system: { hub } }) => {
    const program = await worker({ hub } as System, 'planner')
    const options = [
      { id: 'A', label: 'Rewrite the parser' },
      { id: 'B', label: 'Patch it' },
    ]
    const chosen = await program.ask('REQUEST', 'Rewrite or patch?', { options })
    const lost = await program.ask('REQUEST', 'Which branch?')
    const card = (text: string) => page.getByTestId('ask').filter({ hasText: text })
    await page.goto(`${hub.url}/`)
    await expect(page).toHaveTitle(/\(2\)/)
    await card('Rewrite or patch?').getByRole('button', { name: 'Patch it' }).click()
    await expect(card('Rewrite or patch?')).toHaveCount(0)
    await expect.poll(program.told).toEqual([{ does: 'approve', correlation_id: chosen, chosen: 'B' }])

    await card('Which branch?').getByLabel('Your answer').fill('The next one.')
    const { rest, close } = await hub.client()
    const id = { peerId: program.peerId, requestId: lost }
    await rest.call('answerAsk', { id, body: { decision: 'reject', text: 'None.' }, key: 'answer-of-somebody' })
    close()
    const gone = page.getByTestId('gone-ask')
    await expect(gone).toContainText(`Answered by ${owner.name}: rejected.`)
    await expect(gone).toContainText('Your words were not sent.')
    await expect(gone.getByRole('button', { name: 'Copy my words' })).toBeVisible()
    await expect(page).not.toHaveTitle(/\(\d/)
  },
)

test('[BUS-12.4] an ask comes and goes on an open page without a reload, also where another page answers it', async ({
  person: { page },
  system,
}) => {
  const other = await page.context().newPage()
  await page.goto(`${system.hub.url}/fleet`)
  await other.goto(`${system.hub.url}/`)
  await expect(page.getByRole('heading', { name: 'Fleet' })).toBeVisible()
  const program = await worker(system, 'reader')
  const request = await program.ask('REQUEST', 'Which file?')
  const ofPage = page.getByTestId('ask').filter({ hasText: 'Which file?' })
  const ofOther = other.getByTestId('ask').filter({ hasText: 'Which file?' })
  await expect(ofPage).toHaveCount(1)
  await ofOther.getByLabel('Your answer').fill('README.md')
  await ofOther.getByRole('button', { name: 'Approve' }).click()
  await expect(ofPage).toHaveCount(0)
  await expect(ofOther).toHaveCount(0)
  await expect.poll(program.told).toEqual([{ does: 'approve', correlation_id: request, text: 'README.md' }])
})

test('[BUS-14.1] [BUS-14.2] a program that calls itself like a person asks in the name of its own, and none calls itself like the hub', async ({
  person: { page },
  system,
}) => {
  const program = await worker(system, 'ci')
  await expect(program.hello('Roundhouse')).rejects.toThrow('NAME_NOT_ALLOWED')
  const connection = await program.hello('Ben')
  await program.ask('REQUEST', 'May I merge it?')
  await page.goto(`${system.hub.url}/fleet`)
  const called = `${owner.name} (ci: Ben)`
  await expect(page.getByTestId('ask').filter({ hasText: 'May I merge it?' })).toContainText(`${called} asks you`)
  await expect(page.getByTestId('fleet-row').filter({ hasText: called })).toContainText('Program with a token')
  connection.close()
})

test('[TREE-5] [TREE-3.4] a person sees on Fleet what a tree has used of its budget, and stops it, once more asked', async ({
  person,
  system,
}) => {
  const { page } = person
  const sessionId = await person.startSession('Lead them. SCRIPT: [{"text":"Ready."}]')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  const { rest, close } = await system.hub.client()
  await rest.setSpawning(sessionId, { on: true, budgetUsd: 5, budgetTokens: 400_000 })
  await person.open()
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await expect(page.getByRole('heading', { name: 'Fleet' })).toBeVisible()
  const row = page.getByTestId('fleet-row').filter({ has: page.locator(`a[href="/sessions/${sessionId}"]`) })
  await expect(row.getByTestId('fleet-backend')).toHaveText('Demo (scripted)')
  await expect(row.getByTestId('tree-budget')).toHaveText(/^Tree \$0\.00 of \$5\.00, \d+ of 400k tokens$/)
  await rest.prompt(sessionId, {
    promptId: 'prm_of_fleet',
    text: scriptOf([{ text: 'Led.', cost: 0.25, usage: { input_tokens: 1_200 } }]),
  })
  await expect(row.getByTestId('tree-budget')).toHaveText(/^Tree \$0\.25 of \$5\.00, 1\.\dk of 400k tokens$/)
  await page.setViewportSize(phone)
  await expect(row.getByTestId('tree-budget')).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(phone.width)
  expect(await inBothThemes(page)).toEqual([])
  await row.getByRole('button', { name: 'Stop tree' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Their transcripts are kept.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await rest.snapshot(sessionId)).session.status.status).not.toBe('ended')
  await row.getByRole('button', { name: 'Stop tree' }).click()
  await dialog.getByRole('button', { name: 'Stop tree' }).click()
  await expect(row).toHaveCount(0)
  await expect.poll(async () => (await rest.snapshot(sessionId)).session.status.status).toBe('ended')
  close()
})

import type { Page } from '@playwright/test'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { inBothThemes } from '../support/browser/axe'
import { expect, test } from '../support/browser/story'
import { owner } from '../support/processes/hub-process'
import type { System } from '../support/processes/system'
import { BusProgram } from '../support/wire/bus-program'

let made = 0

/** A program with a token that works and asks. */
async function worker(system: System) {
  const { rest, close } = await system.hub.client()
  const name = `Importer ${++made}`
  const { token, tokenId } = await rest.makeToken({ name, scopes: ['worker'], ttlDays: 1, password: owner.password })
  close()
  const peerId = `p_${tokenId}`
  const headers = () => ({ authorization: `Bearer ${token}` })
  const own = new HubRest(new Transport({ baseUrl: system.hub.url, headers, timeoutMs: 5_000 }))
  const publish = async (topic: string, schema: string, data: Record<string, unknown>) => {
    const { results } = await own.publish([
      { v: 1, id: `m-${++made}`, topic: `worker.${peerId}.${topic}`, schema, data },
    ])
    expect(results).toMatchObject([{ ok: true }])
  }
  return {
    name,
    asks: (requestId: string, message: string) =>
      publish('event', 'worker-event-v1', { kind: 'REQUEST', severity: 'warn', message, request_id: requestId }),
    async told() {
      const program = await BusProgram.open(system.hub.port, token)
      await program.ask('subscribe', { patterns: [`cmd.${peerId}.**`], after: 0 })
      return program
    },
  }
}

const cards = (page: Page, name: string) => page.getByTestId('ask').filter({ hasText: name })

test('[BUS-12.1] [BUS-12.4] a program asks; the person answers on the Fleet page, and the request is gone from the Inbox', async ({
  person,
  page,
  system,
}) => {
  await person.startSession('Say something. SCRIPT: [{"text":"I work."}]')
  const importer = await worker(system)
  await importer.asks('r1', 'Import the 312 rows that have no date?')
  await page.goto(system.hub.url)
  await expect(cards(page, importer.name)).toContainText('312 rows')
  await page.getByRole('link', { name: 'Fleet' }).first().click()
  const card = cards(page, importer.name)
  await expect(card).toContainText('asks you')
  await expect(page.getByTestId('fleet-row').filter({ hasText: importer.name })).toContainText('Asks you')
  expect(await inBothThemes(page)).toEqual([])
  await card.getByLabel('Your answer').fill('Yes, with the date of the file.')
  await card.getByRole('button', { name: 'Approve' }).click()
  await expect(card).toBeHidden()
  const program = await importer.told()
  await expect
    .poll(() => program.heard.map(({ topic, data }) => [topic.split('.').at(-1), data]))
    .toEqual([['approve', { correlation_id: 'r1', text: 'Yes, with the date of the file.' }]])
  program.close()
  await page.goto(system.hub.url)
  await expect(page.getByRole('heading', { name: 'Inbox' })).toBeVisible()
  await expect(cards(page, importer.name)).toBeHidden()
})

test('[BUS-12.3] what a program asked is still there after the hub was killed, and is rejected in the Inbox', async ({
  page,
  person: _,
  system,
}) => {
  const importer = await worker(system)
  await importer.asks('r2', 'Delete the old table?')
  await page.goto(system.hub.url)
  await expect(cards(page, importer.name)).toContainText('old table')
  await system.hub.kill()
  await system.hub.start()
  await page.reload()
  const card = cards(page, importer.name)
  await card.getByRole('button', { name: 'Reject' }).click()
  await expect(card).toBeHidden()
  const program = await importer.told()
  await expect.poll(() => program.heard.map(({ topic }) => topic.split('.').at(-1))).toEqual(['reject'])
  program.close()
})

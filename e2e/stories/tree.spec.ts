import type { Page } from '@playwright/test'
import { inBothThemes } from '../support/browser/axe'
import { desktop, phone } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { until } from '../support/common/until'
import { PlayedMachine } from '../support/rigs/played-machine'
import { envelope } from '../support/wire/raw-events'
import { RawWeb } from '../support/wire/raw-web'

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

test('a session and one that it started lead to each other by their titles', async ({ person, page, system }) => {
  const { rest, close } = await system.hub.client()
  const web = new RawWeb(system.hub)
  await web.asOwner()
  const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
  const settings = { backend: 'scripted', workDir: '/code' }
  const title = 'Plan the release of the parser'
  const { sessionId, commandId } = await rest.createSession({
    agentId: machine.agentId,
    settings,
    title,
    prompt: 'Go.',
  })
  await rest.setSpawning(sessionId, { on: true, budgetUsd: 1 })
  const logId = `log_${sessionId}`
  const written: ReturnType<typeof envelope>[] = []
  const writes = async (...events: (object & { kind: string })[]) => {
    const added = events.map((event, i) => envelope(event, { seq: written.length + i + 1 }))
    written.push(...added)
    const session = { sessionId, logId, firstRetained: 1, last: written.length, acked: 0, ackedEpoch: '' }
    await machine.ask('sessions', { last: true, sessions: [session] })
    await machine.ask('events', { sessionId, logId, events: added })
  }
  const input = { title: 'Lint the docs, and say which of their links lead nowhere', prompt: 'Lint.' }
  await writes(
    { kind: 'session_created', ...{ commandId, logId, settings, realWorkDir: '/code' } },
    { kind: 'tool_use', ...{ callId: 'c', toolName: 'mcp__roundhouse__spawn_session', input } },
    { kind: 'session_request', ...{ requestId: 'q1', verb: 'spawn', input } },
  )
  const childId = await until('the child', async () => {
    const { items } = await rest.sessions()
    return items.find(({ parentId }) => parentId === sessionId)?.sessionId
  })
  await writes({ kind: 'tool_result', ...{ callId: 'c', output: JSON.stringify({ sessionId: childId }) } })

  await page.goto(`${system.hub.url}/sessions/${sessionId}`)
  const child = person.transcript.getByTestId('other-session').getByRole('link')
  await expect(child).toHaveText(input.title)
  await expect(person.transcript.getByTestId('tool-card')).toHaveCount(1)
  await expect(page.getByTestId('marker').filter({ hasText: 'Asks for another session' })).toHaveCount(0)
  expect(await inBothThemes(page)).toEqual([])
  await onEachScreen(page, 'tree-root')
  await child.click()
  const parent = page.getByTestId('started-by').getByRole('link')
  await expect(parent).toHaveText(title)
  await onEachScreen(page, 'tree-child')
  await parent.click()
  await expect(page).toHaveURL(new RegExp(`/sessions/${sessionId}$`))
  machine.close()
  close()
})

async function onEachScreen(page: Page, name: string) {
  for (const viewport of [phone, desktop]) {
    await page.setViewportSize(viewport)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
    await page.screenshot({ path: `test-results/${name}-${viewport.width}.png` })
  }
}

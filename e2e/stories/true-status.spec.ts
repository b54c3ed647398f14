/** What a page says of a session is true at every moment: also while the hub is away, or a prompt is on its way. */
import type { HubRest } from '@roundhouse/hub-client'
import { inBothThemes } from '../support/browser/axe'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import type { System } from '../support/processes/system'
import { scriptOf } from '../support/rigs/rig'

for (const viewport of screens) {
  test(`at ${viewport.width} px, while the hub cannot be reached, a page says that alone, whatever it knew before`, async ({
    person,
    system,
    page,
  }) => {
    await page.setViewportSize(viewport)
    await person.startSession(scriptOf([{ text: 'Done.' }]))
    await expect(person.turnEnds('completed')).toHaveCount(1)
    await system.agent.stop()
    await expect(page.getByTestId('session-notice')).toContainText('The machine is not connected.')
    await system.hub.kill()
    await expect(page.getByTestId('link-notice')).toHaveText(
      'This page cannot reach the hub, so it may be out of date. When it reconnects, it shows what happened meanwhile.',
    )
    await expect(page.getByTestId('session-notice')).toHaveCount(0)
    await system.hub.start()
    await expect(page.getByTestId('link-notice')).toHaveCount(0)
    await expect(page.getByTestId('session-notice')).toContainText('The machine is not connected.')
    await expect(person.status).toHaveText(/^Machine offline( for \d+ s)?$/)
    await system.agent.start()
    await expect(person.status).not.toContainText('offline')
  })
}

for (const viewport of screens) {
  test(`[RUN-1.2] [RUN-7.5] at ${viewport.width} px, a run has its mark among the sessions, and they are shown without runs or runs alone`, async ({
    person,
    system,
    page,
  }) => {
    await page.setViewportSize(viewport)
    const { rest, close } = await system.hub.client()
    const title = `Nightly at ${viewport.width}`
    const run = await startRun(rest, system, title, [{ text: 'All tests pass.' }])
    const sessionId = await person.startSession(scriptOf([{ text: 'Done.' }]))
    await page.goto(`${system.hub.url}/sessions`)
    const row = (id: string) => page.locator(`a[href="/sessions/${id}"]`)
    await expect(row(run).getByTestId('run-mark')).toHaveText('Run')
    await expect(row(sessionId).getByTestId('run-mark')).toHaveCount(0)
    await page.getByLabel('Kind').selectOption('Runs')
    await expect(row(sessionId)).toHaveCount(0)
    await expect(row(run)).toBeVisible()
    expect(await inBothThemes(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
    await page.reload()
    await expect(page.getByLabel('Kind')).toHaveValue('true')
    await page.getByLabel('Kind').selectOption('Other sessions')
    await expect(row(sessionId)).toBeVisible()
    await expect(row(run)).toHaveCount(0)
    close()
  })
}

test('[RUN-1.3] [RUN-6.2] a run whose host died reads Failed with the reason, among the sessions and on its own page', async ({
  person,
  system,
  page,
}) => {
  const { rest, close } = await system.hub.client()
  const run = await startRun(rest, system, 'Nightly report', [{ text: 'Half of it.' }, { hang: true }])
  await expect.poll(async () => (await rest.snapshot(run)).session.lastLine).toBe('Half of it.')
  process.kill(system.agent.hostPid(run) ?? 0, 'SIGKILL')
  await expect.poll(async () => (await rest.snapshot(run)).session.status.status).toBe('ended')
  for (const list of ['/sessions', '/sessions?status=ended']) {
    await page.goto(`${system.hub.url}${list}`)
    await expect(page.locator(`a[href="/sessions/${run}"]`)).toContainText('Failed: host died')
  }
  await page.goto(`${system.hub.url}/sessions/${run}`)
  await expect(person.status).toHaveText('Failed: host died')
  await expect(page.getByTestId('session-notice')).toContainText(
    'The process that ran the program died, and the program was ended. The run is over.',
  )
  const { items } = await rest.call('listRuns')
  expect(items.find(({ runId }) => runId === run)?.status).toMatchObject({
    why: 'stopped',
    error: { code: 'HOST_DIED' },
  })
  close()
})

test('[SES-6.8] from a prompt until the end of its turn a session is never called idle', async ({ person, page }) => {
  await page.addInitScript(() => {
    const said: string[] = []
    Object.assign(window, { said })
    new MutationObserver(() => {
      const label = document.querySelector('[data-testid=session-status]')?.textContent
      if (label && label !== said.at(-1)) said.push(label)
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
  const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said)
  await page.reload()
  await person.startSession(scriptOf([{ text: 'One.' }]))
  await expect(person.turnEnds('completed')).toHaveCount(1)
  await expect(person.status).toHaveText('Idle')
  const first = await said()
  expect(first.slice(0, -1)).not.toContain('Idle')
  await person.send(scriptOf([{ text: 'Two.' }]))
  await expect(person.turnEnds('completed')).toHaveCount(2)
  await expect(person.status).toHaveText('Idle')
  expect((await said()).slice(first.length)).toEqual(['Working', 'Idle'])
})

variation('for whoever asks for less motion nothing moves while the program works', async ({ person, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await person.startSession(scriptOf([{ text: 'It hangs.', hang: true }]))
  await expect(person.status).toHaveText('Working')
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length)
  await expect.poll(moving).toBe(0)
})

/** As a script does. Resolves to its id. */
async function startRun(rest: HubRest, { workDir }: System, title: string, steps: readonly object[]): Promise<string> {
  const agentId = (await rest.agents()).items[0]?.agentId ?? ''
  const body = { agentId, backend: 'scripted', workDir, prompt: scriptOf(steps), title }
  const { runId } = await rest.call('createRun', { body, query: { wait: 'false' } })
  return runId
}

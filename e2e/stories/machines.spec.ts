import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, onBackend, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { freshFolder } from '../support/common/paths'
import { AgentProcess } from '../support/processes/agent-process'
import { prompts } from '../support/processes/backends'
import { signInPage } from '../support/processes/browser-login'
import { spawnJoin } from '../support/processes/spawn-join'

onBackend('scripted', () => {
  test('two browsers see the same, and the slower answer is told who was first', async ({
    person,
    system,
    browser,
  }) => {
    const sessionId = await person.startSession(prompts.write('scripted', path.join(system.workDir, 'x'), 'x', 'Done.'))
    const second = await (await browser.newContext()).newPage()
    await signInPage(second, system.hub.url)
    await second.goto(`${system.hub.url}/sessions/${sessionId}`)
    await expect(second.getByTestId('permission-prompt')).toHaveCount(1)
    await person.answer('Allow')
    await expect(second.getByTestId('permission-prompt')).toHaveCount(0)
    await expect(second.getByTestId('turn-end')).toHaveCount(1)
    const texts = (page: typeof second) => page.getByTestId('assistant-text').allTextContents()
    expect(await texts(second)).toEqual(await texts(person.page))
    await second.context().close()
  })

  test('[JOIN-1.6] a second agent joins with the copied command', async ({ person, system }) => {
    await person.page.goto(`${system.hub.url}/agents`)
    await person.page.getByRole('button', { name: 'Add machine' }).first().click()
    const command = await person.page.getByTestId('join-command').innerText()
    await expect(person.page.getByTestId('join-state')).toContainText('Waiting for the machine')
    const home = freshFolder('second')
    const agent = new AgentProcess(home, {})
    agent.writePolicy({ roots: [system.workDir] })
    await spawnJoin(command, home)
    await agent.start()
    await expect(person.page.getByTestId('join-state')).toContainText('connected')
    await agent.stop()
    rmSync(home, { recursive: true, force: true })
  })

  test('[T59] [JOIN-4.6] a copied machine is shown as what it is, and comes in again by a word', async ({
    person,
    system,
  }) => {
    const { rest, close } = await system.hub.client()
    const made = await rest.makeEnrollmentToken({ name: 'twin' })
    close()
    const machine = new AgentProcess(freshFolder('twin'), {})
    machine.writePolicy({ roots: [] })
    await machine.join(system.hub, 'twin', {
      token: made.token,
      fingerprint: made.hubKeyFingerprint,
      url: made.hubUrl,
    })
    await machine.start()
    await machine.kill()
    const copy = new AgentProcess(freshFolder('copy'), {})
    cpSync(machine.home, copy.home, { recursive: true })
    await machine.start()
    copy.launch()
    await person.page.goto(`${system.hub.url}/agents`)
    const card = person.page.getByTestId('agent-twin')
    await expect(card).toContainText('Copied or restored')
    await Promise.all([copy.kill(), machine.kill()])
    await card.getByRole('button', { name: 'It was restored' }).click()
    await person.page.getByRole('button', { name: 'Allow to connect' }).click()
    await expect(card).not.toContainText('Copied or restored')
    await machine.start()
    await expect(card).toContainText('Connected')
    await machine.stop()
    for (const { home } of [machine, copy]) rmSync(home, { recursive: true, force: true })
  })

  variation('a missing backend is greyed with its reason', async ({ person, system }) => {
    await person.page.goto(`${system.hub.url}/agents`)
    const line = person.page.getByTestId('backend-claude').first()
    await expect(line).toHaveAttribute('data-installed', 'false')
    await expect(line).toHaveAttribute('title', /\w+/)
  })

  variation(
    '[POL-1.2] a folder outside the allowed ones is refused in the dialog, with the command that allows it to copy',
    async ({ person: { page }, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'New session' }).first().click()
      await page.getByLabel('Folder').fill('/etc')
      await page.getByLabel('First prompt').fill('hello')
      await page.getByRole('button', { name: 'Start session' }).click()
      const refusal = page.getByRole('dialog').getByRole('alert')
      await expect(refusal).toContainText('or allow this one on that machine:')
      const command = refusal.getByTestId('command')
      await expect(command).toHaveText(/^ROUNDHOUSE_AGENT_HOME=.*main\.js allow \/etc$/)
      await refusal.getByRole('button', { name: 'Copy' }).click()
      await expect(refusal.getByRole('button', { name: 'Copied' })).toBeVisible()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await command.textContent())
      await expect(page.getByLabel('First prompt')).toHaveValue('hello')
    },
  )

  test('[POL-3.1] a machine that its owner has paused says so and refuses, until it goes on', async ({
    person,
    system,
  }) => {
    await system.agent.pause()
    await person.page.goto(`${system.hub.url}/agents`)
    await expect(person.page.getByText('Paused by its owner')).toBeVisible()
    await person.page.goto(`${system.hub.url}/`)
    await person.page.getByRole('button', { name: 'New session' }).first().click()
    // Others of this hub can still be chosen.
    await expect(person.page.getByRole('option', { name: /paused by its owner/ })).toBeDisabled()

    const { rest, close } = await system.hub.client()
    const { agentId = '' } = (await rest.agents()).items.find(({ pausedAt }) => pausedAt !== undefined) ?? {}
    const settings = { backend: 'scripted', workDir: system.workDir }
    const { sessionId } = await rest.createSession({ agentId, settings, prompt: 'hello' })
    close()
    await person.page.goto(`${system.hub.url}/sessions/${sessionId}`)
    await expect(person.page.getByText('has paused it')).toBeVisible()
    await system.agent.resume()
    await person.page.goto(`${system.hub.url}/agents`)
    await expect(person.page.getByText('Connected', { exact: true })).toBeVisible()
    await expect(person.page.getByText('Paused by its owner')).toHaveCount(0)
  })
})

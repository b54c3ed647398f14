/** What a page says of a machine that runs all the same: a version nobody tried, and no place among its programs. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { freshFolder } from '../support/common/paths'
import { AgentProcess } from '../support/processes/agent-process'
import { scriptOf } from '../support/rigs/rig'

test('[POL-1] a program of a version that was not tested can be used, and the machine says which were tested', async ({
  person,
  system,
}) => {
  const { rest, close } = await system.hub.client()
  const { token, hubKeyFingerprint: fingerprint, hubUrl: url } = await rest.makeEnrollmentToken({ name: 'newer' })
  close()
  const machine = new AgentProcess(freshFolder('newer'), {})
  const program = path.join(machine.home, 'claude')
  writeFileSync(program, '#!/bin/sh\necho "2.1.999 (Claude Code)"\n')
  chmodSync(program, 0o700)
  machine.writePolicy({ roots: [system.workDir], backends: { claude: { path: program } } })
  await machine.join(system.hub, 'newer', { token, fingerprint, url })
  await machine.start()
  try {
    await person.page.goto(`${system.hub.url}/agents`)
    const line = person.page.getByTestId('agent-newer').getByTestId('backend-claude')
    await expect(line).toHaveAttribute('data-installed', 'true')
    await expect(line).toContainText('2.1.999 · not tested with this release (tested: 2.1.330)')
  } finally {
    await machine.stop()
    rmSync(machine.home, { recursive: true, force: true })
  }
})

variation(
  '[CMD-8] a prompt without a place says how many programs run on which machine, and what helps',
  async ({ person, system }) => {
    const { rest, close } = await system.hub.client()
    const { items } = await rest.agents()
    const agent = items.find(({ online }) => online)
    const hangs = { backend: 'scripted', workDir: system.workDir }
    const busy: string[] = []
    for (let n = 0; n < 4; n++) {
      const asked = { agentId: agent?.agentId ?? '', settings: hangs, prompt: scriptOf([{ text: 'On.', hang: true }]) }
      busy.push((await rest.createSession(asked)).sessionId)
    }
    const running = async () => {
      const { items } = await rest.sessions({})
      return items.filter(({ sessionId, status }) => busy.includes(sessionId) && status.status === 'running').length
    }
    await expect.poll(running).toBe(4)
    await person.startSession(scriptOf([{ text: 'At last.' }]))
    const said = `4 of 4 programs are running on ${agent?.name}. Stop one, or raise limits.runningSessions`
    const waits = person.page.getByText(said)
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await person.page.setViewportSize(viewport)
      await expect(waits.first()).toBeVisible()
      await expect(waits.first()).toBeInViewport()
    }
    await rest.endProcess(busy[0] ?? '')
    await expect(person.transcript).toContainText('At last.')
    await expect(waits).toHaveCount(0)
    for (const sessionId of busy.slice(1)) await rest.endProcess(sessionId)
    close()
  },
)

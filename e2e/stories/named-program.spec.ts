/** A program that the owner names in the policy of the machine. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '../support/browser/story'
import { acpProgram } from '../support/processes/acp-program'
import { scriptOf } from '../support/rigs/rig'

const warning = 'Kilo may run commands and change files without asking you.'

test('[POL-1.10] a program that the policy names appears within seconds, warns before the first prompt, can be used, and goes again', async ({
  person,
  system,
}) => {
  const { page } = person
  const policy = JSON.parse(readFileSync(path.join(system.agent.home, 'config/policy.json'), 'utf8'))
  await page.getByRole('button', { name: 'New session' }).first().click()
  const programs = page.getByRole('dialog', { name: 'New session' }).getByLabel('Program')
  const kilo = programs.locator('option', { hasText: 'Kilo' })
  await expect(programs).toBeVisible()
  await expect(kilo).toHaveCount(0)
  system.agent.writePolicy({ ...policy, programs: { kilo: acpProgram('Kilo') } })
  await expect(kilo).toHaveCount(1, { timeout: 15_000 })

  await expect(page.getByText(warning)).toHaveCount(0)
  await programs.selectOption('kilo')
  await expect(page.getByText(warning)).toBeVisible()
  await page.getByLabel('Folder').fill(system.workDir)
  await page.getByRole('button', { name: 'Start session' }).click()
  await page.waitForURL(/\/sessions\/[^/]+$/)
  await expect(page.getByText(warning)).toBeVisible()
  await expect(page.getByTestId('may-act-unasked')).toBeVisible()

  const made = path.join(system.workDir, 'made.txt')
  await person.send(scriptOf([{ tool: 'shell', input: { command: `echo made > ${made}` } }, { text: 'Made.' }]))
  await expect(person.ask).toContainText('made.txt')
  await person.answer('Allow')
  await expect(person.turnEnds('completed')).toHaveCount(1)
  expect(existsSync(made)).toBe(true)

  system.agent.writePolicy(policy)
  await expect(page.getByTestId('may-act-unasked')).toHaveCount(0, { timeout: 15_000 })
  await person.send(scriptOf([{ text: 'Not any more.' }]))
  await expect(page.getByText(/kilo is not in this machine's policy/).first()).toBeVisible()
  await page.goto(`${system.hub.url}/sessions`)
  await page.getByRole('button', { name: 'New session' }).first().click()
  await expect(programs).toBeVisible()
  await expect(kilo).toHaveCount(0)
})

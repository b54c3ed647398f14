/** "Always allow here" as a person meets it: what, where and until when is read before, and taken back on the Machines page (PERM-13). */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { screens } from '../support/browser/screens'
import { expect, onBackend, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import type { System } from '../support/processes/system'

const asks = (...commands: string[]) => {
  const steps = commands.map((command) => ({ tool: 'Bash', input: { command }, ask: true, output: 'ok' }))
  return `Do it. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
}

function acceptRules({ agent }: System): string {
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  agent.writePolicy({ ...policy, acceptHubRules: true })
  return path.join(agent.home, 'config/rules')
}

onBackend('scripted', () => {
  for (const size of screens) {
    test(`[PERM-13.3] [PERM-13.9] [PERM-13.14] at ${size.width} px a person reads what is always allowed, where and until when, and takes it back on the page of the machine`, async ({
      person,
      system,
    }) => {
      const { page, ask, transcript } = person
      const folder = acceptRules(system)
      const picture = async (name: string) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.screenshot({ path: `test-results/rules-${name}-${size.width}-${colorScheme}.png` })
        }
      }
      const label = `commands that begin with “mkdir”, in ${system.workDir}`
      await page.setViewportSize(size)
      await person.startSession(asks('mkdir -p one', 'mkdir -p two'))
      await person.readToTheEnd()
      await expect(ask.getByRole('button', { name: 'Always allow here…' })).toBeEnabled()
      await picture('buttons')
      await person.answer('Always allow here…')
      const chooser = ask.getByRole('form', { name: 'Always allow here' })
      await expect(chooser).toContainText(`In all sessions of this program in ${system.workDir}, always allow`)
      await expect(chooser).toContainText(/For 30 days, until \w+/)
      await expect(chooser.getByRole('radio')).toHaveCount(2)
      await chooser.getByLabel(label).check()
      await expect(chooser.getByRole('button', { name: 'Always allow here' })).toBeInViewport()
      await picture('chooser')
      await chooser.getByRole('button', { name: 'Always allow here' }).click()
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(transcript).toContainText(`Always allowed in this folder by Ana: ${label}`)
      await expect(transcript).toContainText(`Allowed by a rule of this folder: ${label}`)
      await picture('answered')
      const [file = ''] = readdirSync(folder)
      const id = path.basename(file, '.json')

      // Another session of the same folder is not asked.
      await page.goto(system.hub.url)
      await person.startSession(asks('mkdir -p three'))
      await expect(person.turnEnds('completed')).toHaveCount(1)

      await page.goto(`${system.hub.url}/agents`)
      const rule = page.getByTestId(`rule-${id}`)
      await expect(rule).toContainText(label, { ignoreCase: true })
      await expect(rule).toContainText(`For Demo (scripted) in ${system.workDir}, until `)
      await expect(rule).toContainText(/By Ana on .* in this session/)
      await rule.scrollIntoViewIfNeeded()
      await picture('machine')
      await rule.getByRole('button', { name: 'Revoke' }).click()
      await expect(rule).toHaveCount(0, { timeout: 30_000 })
      expect(readdirSync(folder)).toEqual([])
      await page.goto(system.hub.url)
      await person.startSession(asks('mkdir -p four'))
      await expect(ask).toContainText('mkdir -p four')
    })
  }

  variation(
    '[PERM-13.9] a person takes the rule back on the card whose decision left it, and the next such command is asked about',
    async ({ person, system }) => {
      const { page, ask, transcript } = person
      const folder = acceptRules(system)
      await person.startSession(asks('mkdir -p one', 'mkdir -p two'))
      await person.answer('Always allow here…')
      const chooser = ask.getByRole('form', { name: 'Always allow here' })
      await chooser.getByLabel('commands that begin with “mkdir”').check()
      await chooser.getByRole('button', { name: 'Always allow here' }).click()
      await expect(person.turnEnds('completed')).toHaveCount(1)
      const cards = transcript.getByTestId('tool-permission')
      const revokes = transcript.getByRole('button', { name: /^Revok(e|ing…)$/ })
      await expect(cards).toHaveText([
        /^Always allowed in this folder.*Revoke$/,
        /^Allowed by a rule of this folder.*Revoke$/,
      ])
      await page.screenshot({ path: 'test-results/rules-card.png' })
      const shown = page.url()

      // The rule holds in every session of the folder, so each offers to revoke it.
      await page.goto(system.hub.url)
      await person.startSession(asks('mkdir -p three'))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(revokes).toHaveCount(1)
      await revokes.click()
      await expect(revokes).toHaveCount(0)
      expect(readdirSync(folder)).toEqual([])
      await page.goto(shown)
      await expect(cards).toHaveText([/^Always allowed in this folder/, /^Allowed by a rule of this folder/])
      await expect(revokes).toHaveCount(0)
      await person.send(asks('mkdir -p four'))
      await expect(ask).toContainText('mkdir -p four')
    },
  )
})

/** The settings under "More" of a new session: the program gets them, refusals stand at their field, and what a program lacks is not offered. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { AgentsList } from '@roundhouse/backend-types'
import type { HubClient } from '@roundhouse/hub-client'
import { receivedWith } from '../support/accounts/received'
import { inBothThemes } from '../support/browser/axe'
import { screens } from '../support/browser/screens'
import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import type { System } from '../support/processes/system'
import { scriptOf } from '../support/rigs/rig'

/** The owner keeps notes, and accepts rules of the hub. */
function allowAll(system: System): void {
  const file = path.join(system.agent.home, 'config/policy.json')
  const policy = JSON.parse(readFileSync(file, 'utf8'))
  const notes = policy.notes ?? freshFolder('notes')
  mkdirSync(path.join(notes, 'reviewer'), { recursive: true, mode: 0o755 })
  const put = (name: string, text: string) => writeFileSync(path.join(notes, 'reviewer', name), text, { mode: 0o644 })
  put('style.md', 'Review the style of the code. Prefer short sentences.\n')
  put('traps.md', `Known traps. ${'Each trap is described here. '.repeat(900)}`)
  put('unread.md', 'Nobody asks about this.')
  system.agent.writePolicy({ ...policy, notes, acceptHubRules: true })
}

/** In force once the hub knows the folder that comes with it. */
async function acceptNoRules({ agent }: System, rest: HubClient['rest']): Promise<void> {
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  const one = freshFolder('one')
  agent.writePolicy({ ...policy, roots: [...policy.roots, one], acceptHubRules: false })
  await until('the policy', async () => (await rest.agents()).items[0]?.roots.includes(one))
}

async function open(person: Person): Promise<ReturnType<Page['getByRole']>> {
  const { page, system } = person
  await page.getByRole('button', { name: 'New session' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New session' })
  await dialog.getByLabel('Folder', { exact: true }).fill(system.workDir)
  return dialog
}

const pictures = async (page: Page, name: string) => {
  const { width } = page.viewportSize() ?? { width: 0 }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: `test-results/more-${name}-${colorScheme}-${width}.png` })
  }
}

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    test('[PERM-12.1] [POL-6.1] [POL-6.3] every setting under More reaches the program or its host, by the keyboard alone', async ({
      person,
      system,
    }) => {
      allowAll(system)
      const { page } = person
      const dialog = await open(person)
      const more = dialog.getByRole('button', { name: 'More', exact: true })
      await expect(more).toHaveAttribute('aria-expanded', 'false')
      await expect(dialog.getByLabel('Role', { exact: true })).toHaveCount(0)
      await more.focus()
      await page.keyboard.press('Enter')
      await expect(dialog.getByLabel('Role', { exact: true })).toBeVisible()
      await pictures(page, 'empty')
      const further = path.join(system.workDir, 'further')
      mkdirSync(further, { recursive: true })
      await page.keyboard.press('Tab')
      const typed = ['reviewer', null, '9000', 'Be brief.', further, 'Read\nWebFetch', 'Agent', 'Bash(echo:*)', 'Edit']
      for (const text of typed) {
        if (text !== null) await page.keyboard.insertText(text)
        await page.keyboard.press('Tab')
      }
      await dialog.getByLabel('Everything else').selectOption('deny')
      await pictures(page, 'filled')
      expect(await inBothThemes(page)).toEqual([])
      await more.click()
      await expect(dialog.getByLabel('Role', { exact: true })).toHaveCount(0)
      await expect(dialog.getByRole('button', { name: /^More/ })).toContainText('Role, System prompt, Further folders')
      const word = `Review ${viewport.width}`
      const steps = [
        { tool: 'Bash', input: { command: 'echo allowed' } },
        { tool: 'Write', input: { file_path: 'never.txt', content: 'x' } },
        { text: 'Done.' },
      ]
      await dialog.getByLabel('First prompt').fill(`${word}. ${scriptOf(steps)}`)
      await pictures(page, 'folded')
      await page.keyboard.press('Control+Enter')
      await page.waitForURL(/\/sessions\/[^/]+$/)
      await expect(person.turnEnds('completed')).toHaveCount(1)
      const received = receivedWith(system.agent.home, word)
      expect(received?.settings).toMatchObject({
        additionalDirs: [further],
        allowedTools: ['Read', 'WebFetch'],
        disallowedTools: ['Agent'],
        maxOutputTokens: 9_000,
      })
      expect(received?.system).toMatch(/^Be brief\.[\s\S]*# Notes for the role reviewer[\s\S]*## style/)
      // The rules of the session decided both calls, and nobody was asked.
      await expect(person.ask).toHaveCount(0)
      await expect(person.transcript).toContainText('Allowed by the rules of this session: Bash(echo:*)')
      await expect(person.transcript).toContainText('the rules of this session deny everything that no rule allows')
      const notes = person.transcript.getByTestId('marker').filter({ hasText: 'notes of the role reviewer' })
      await expect(notes).toContainText('style.md (54 B)')
      await expect(notes).toContainText('traps.md (26 kB, cut)')
      await notes.getByText('Details').click()
      await expect(notes).toContainText('unread.md: the notes before it fill the limit')
      await pictures(page, 'notes')

      const menu = page.getByRole('button', { name: 'More for this session' })
      await menu.click()
      await page.getByRole('menuitem', { name: 'Context…' }).click()
      const context = page.getByRole('dialog', { name: 'Context' })
      await expect(context.getByRole('listitem')).toHaveText([
        /^style\.md54 B$/,
        /^traps\.md26 kB, cut$/,
        'Left out: unread.md, the notes before it fill the limit',
      ])
      await pictures(page, 'context')
      expect(await inBothThemes(page)).toEqual([])
      await page.keyboard.press('Escape')
      await menu.click()
      await page.getByRole('menuitem', { name: 'New session like this…' }).click()
      await dialog.getByRole('button', { name: /^More/ }).click()
      await expect(dialog.getByLabel('Role', { exact: true })).toHaveValue('reviewer')
      await expect(dialog.getByLabel('Allowed tools')).toHaveValue('Read\nWebFetch')
      await expect(dialog.getByLabel('Allow without asking')).toHaveValue('Bash(echo:*)')
      await expect(dialog.getByLabel('Everything else')).toHaveValue('deny')
    })

    variation(
      'what cannot be stands at its field, whether the page or the hub says it, and nothing starts',
      async ({ person, system }) => {
        const { page } = person
        const sessions = async () => (await (await system.hub.client()).rest.sessions({})).items.length
        const before = await sessions()
        const dialog = await open(person)
        await dialog.getByRole('button', { name: 'More', exact: true }).click()
        await dialog.getByLabel('Role', { exact: true }).fill('../x')
        await dialog.getByLabel('Deny without asking').fill('Read(~/x)')
        await expect(dialog.locator('[aria-invalid]')).toHaveCount(0)
        await dialog.getByRole('button', { name: /^More/ }).click()
        await dialog.getByRole('button', { name: 'Start session' }).click()
        await expect(dialog.getByLabel('Role', { exact: true })).toBeFocused()
        await expect(dialog.getByLabel('Role', { exact: true })).toHaveAccessibleDescription(
          /A role is a name of letters/,
        )
        await expect(dialog.getByLabel('Deny without asking')).toHaveAccessibleDescription(
          /“Read\(~\/x\)” is no pattern/,
        )
        await pictures(page, 'refused-here')
        await dialog.getByLabel('Role', { exact: true }).fill('reviewer')
        await dialog.getByLabel('Deny without asking').fill('')
        await dialog.getByLabel('System prompt').fill('x'.repeat(65_537))
        await dialog.getByRole('button', { name: 'Start session' }).click()
        await expect(dialog.getByLabel('System prompt')).toBeFocused()
        await expect(dialog.getByLabel('System prompt')).toHaveAccessibleDescription(
          /^Must have at most 65536 characters\./,
        )
        await expect(dialog.getByRole('alert')).toContainText('See “System prompt”. No session was started.')
        await pictures(page, 'refused-there')
        expect(await inBothThemes(page)).toEqual([])
        expect(await sessions()).toBe(before)
      },
    )

    variation(
      '[POL-1.11] what the machine refuses stands at its field, which gets the focus, and nothing starts',
      async ({ person, system }) => {
        const { page } = person
        const { rest } = await system.hub.client()
        await acceptNoRules(system, rest)
        const sessions = async () => (await rest.sessions({})).items.length
        const before = await sessions()
        const dialog = await open(person)
        const start = dialog.getByRole('button', { name: 'Start session' })
        await dialog.getByRole('button', { name: 'More', exact: true }).click()
        const folders = dialog.getByLabel('Further folders')
        await folders.fill('/etc')
        await start.click()
        await expect(folders).toBeFocused()
        await expect(folders).toHaveAttribute('aria-invalid', 'true')
        await expect(folders).toHaveAccessibleDescription(
          /\/etc: The folder is outside the folders this machine allows\./,
        )
        await expect(dialog.getByRole('alert')).toContainText('See “Further folders”. No session was started.')
        await pictures(page, 'machine-refused')
        expect(await inBothThemes(page)).toEqual([])

        await folders.fill('')
        const rules = dialog.getByLabel('Everything else')
        await rules.selectOption('allow')
        await start.click()
        await expect(rules).toBeFocused()
        await expect(rules).toHaveAccessibleDescription(/rules by which tools run without asking/)

        // A field that always stands there is marked, and the notice says what is wrong with it.
        await rules.selectOption('')
        const folder = dialog.getByLabel('Folder', { exact: true })
        await folder.fill('/etc')
        await start.click()
        await expect(folder).toBeFocused()
        await expect(folder).toHaveAccessibleDescription(/^The folder is outside the folders this machine allows\./)
        await expect(folder).toHaveAttribute('aria-invalid', 'true')
        expect(await inBothThemes(page)).toEqual([])
        expect(await sessions()).toBe(before)
      },
    )

    variation('[CAP-5.1] what the program lacks is not offered, with the reason', async ({ person, page }) => {
      await page.route(
        (url) => url.pathname === '/api/v1/agents',
        async (route) => {
          const answer = await route.fetch()
          const { items } = AgentsList.parse(await answer.json())
          const lacking = {
            acceptsAllowedToolsList: false,
            acceptsFolders: false,
            needsPermissionConfig: false,
            limitsOutput: false,
          }
          const plain = items.map((agent) => ({
            ...agent,
            manifest: agent.manifest && {
              ...agent.manifest,
              backends: agent.manifest.backends.map((backend) => ({
                ...backend,
                label: 'Plain',
                capabilities: { ...backend.capabilities, ...lacking },
              })),
            },
          }))
          await route.fulfill({ response: answer, json: { items: plain } })
        },
      )
      await person.open()
      const dialog = await open(person)
      await dialog.getByRole('button', { name: 'More', exact: true }).click()
      await expect(dialog.getByLabel('Role', { exact: true })).toBeVisible()
      for (const name of [
        'Further folders',
        'Allowed tools',
        'Denied tools',
        'Allow without asking',
        'Everything else',
      ])
        await expect(dialog.getByLabel(name)).toHaveCount(0)
      await expect(dialog.getByText('Plain takes no list of tools.')).toBeVisible()
      await expect(dialog.getByLabel('Answer limit')).toHaveAccessibleDescription(/Plain has no such limit/)
      await pictures(page, 'plain')
    })
  })
}

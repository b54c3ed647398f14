/** What a program lacks is not offered, or is shown with the reason. */
import type { Page } from '@playwright/test'
import { AgentsList, type Capabilities } from '@roundhouse/backend-types'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const lacking: Partial<Capabilities> = {
  supportsMessageInjection: false,
  supportsInterrupt: false,
  supportsSessionResume: false,
  supportsReasoningEffort: false,
  acceptsImages: false,
  acceptsImagesAlone: false,
  acceptsAllowedToolsList: false,
}

/** Shows the page a program that can do less than the real one. */
const withPlainProgram = (page: Page) =>
  page.route(
    (url) => url.pathname === '/api/v1/agents',
    async (route) => {
      const answer = await route.fetch()
      const { items } = AgentsList.parse(await answer.json())
      const plain = items.map((agent) => ({
        ...agent,
        manifest: agent.manifest && {
          ...agent.manifest,
          backends: agent.manifest.backends.map(({ thinkingOptions: _, ...backend }) => ({
            ...backend,
            label: 'Plain',
            capabilities: { ...backend.capabilities, ...lacking },
          })),
        },
      }))
      await route.fulfill({ response: answer, json: { items: plain } })
    },
  )

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    const pictures = async (page: Page, name: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.screenshot({ path: `test-results/unsupported-${name}-${colorScheme}-${viewport.width}.png` })
      }
    }

    test('[CAP-5.1] a program that takes no images, no steer and no interrupt is not asked for them', async ({
      person,
      page,
    }) => {
      await withPlainProgram(page)
      await person.open()
      await page.getByRole('button', { name: 'New session' }).first().click()
      await expect(page.getByLabel('First prompt')).toBeVisible()
      await expect(page.getByLabel('Attach images')).toHaveCount(0)
      await pictures(page, 'dialog')
      await page.getByRole('button', { name: 'Close' }).click()
      await person.startSession('Go on. SCRIPT: [{"text":"Thinking about it.","hang":true}]')
      await page.getByLabel('Prompt').fill('And then?')
      await expect(page.getByText('Plain cannot stop a turn; only the whole program can be stopped.')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Queue' })).toBeEnabled()
      for (const name of ['Stop turn', /^Steer/]) await expect(page.getByRole('button', { name })).toHaveCount(0)
      await expect(page.getByLabel('Thinking')).toHaveCount(0)
      await pictures(page, 'session')
      await page.getByRole('button', { name: 'More for this session' }).click()
      const again = page.getByRole('menuitemcheckbox', { name: /Resume automatically after a crash/ })
      await expect(again).toBeDisabled()
      await expect(again).toContainText('Plain cannot continue an earlier conversation.')
      await pictures(page, 'menu')
    })

    variation('[CAP-5.3] the Machines page lists what each program can do', async ({ person, page, system }) => {
      await withPlainProgram(page)
      await page.goto(`${system.hub.url}/agents`)
      const program = page.getByTestId('backend-scripted')
      await program.getByText('What it can do').click()
      await expect(program.getByRole('listitem').filter({ hasText: 'A running turn can be steered' })).toContainText(
        'no:',
      )
      await expect(program.getByRole('listitem').filter({ hasText: 'Tool calls wait for a person' })).toContainText(
        'yes:',
      )
      await program.scrollIntoViewIfNeeded()
      await pictures(page, 'machines')
      expect(person).toBeDefined()
    })

    variation(
      '[CAP-4.2] [CAP-4.7] a setting that the program or its model service refuses is told in the transcript, with what holds now',
      async ({ person, page, system }) => {
        const sessionId = await person.startSession('Say it. SCRIPT: [{"text":"Said."}]')
        await expect(person.turnEnds('completed')).toHaveCount(1)
        const { rest, close } = await system.hub.client()
        await rest.configure(sessionId, { model: 'no-such' })
        await expect(person.transcript.getByText('So the model is scripted-large again.')).toBeVisible()
        await person.send('Go on. SCRIPT: [{"text":"Gone on."}]')
        await expect(person.transcript.getByText('Gone on.', { exact: true })).toBeVisible()
        // The program takes this one, and its model service does not.
        await rest.configure(sessionId, { model: 'scripted-missing' })
        await person.send('Go on. SCRIPT: [{"text":"Never."}]')
        await expect(person.turnEnds('failed')).toHaveCount(1)
        await expect(person.transcript.getByText(/"scripted-missing" does not exist.* So the model is/)).toBeVisible()
        await pictures(page, 'taken-back')
        await person.send('Go on. SCRIPT: [{"text":"With the model before."}]')
        await expect(person.transcript.getByText('With the model before.', { exact: true })).toBeVisible()
        close()
      },
    )
  })
}

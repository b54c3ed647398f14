/** How full the context of a session is, how far its limit is, and each step by which room was made. */
import type { Page } from '@playwright/test'
import { inBothThemes } from '../support/browser/axe'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { scriptOf } from '../support/rigs/rig'

const uses = (tokens: number) =>
  scriptOf([{ text: `Used ${tokens}.`, usage: { input_tokens: tokens, output_tokens: 0 } }])

const pictures = async (page: Page, name: string) => {
  const { width } = page.viewportSize() ?? { width: 0 }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: `test-results/context-${name}-${colorScheme}-${width}.png` })
  }
}

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    test('[RES-7.1] [RES-7.6] the session says what its context holds, its limit, the distance, and each step of the answer limit', async ({
      person,
      page,
      system,
    }) => {
      await person.startSession(uses(150_000))
      await expect(person.turnEnds('completed')).toHaveCount(1)
      await expect(person.transcript).toContainText(
        'The conversation fills 89 % of what the model can hold: 150k of 168k tokens, 18k left',
      )
      await expect(person.transcript).toContainText('Answers are shorter now to make room: answer limit 16000')

      await page.getByRole('button', { name: 'More for this session' }).click()
      await page.getByRole('menuitem', { name: 'Context…' }).click()
      const context = page.getByRole('dialog', { name: 'Context' })
      const row = (label: string) => context.locator('dt', { hasText: new RegExp(`^${label}$`) }).locator('+ dd')
      await expect(row('Used')).toHaveText('150,000 tokens')
      await expect(row('Limit')).toHaveText('184,000 tokens')
      await expect(row('Distance')).toHaveText('34,000 left')
      await expect(row('Answer limit')).toHaveText('16,000 tokens')
      await expect(context.getByRole('listitem')).toHaveText([
        /^Nearly full: 150,000 of 168,000 tokens, 18,000 left/,
        /^Answer limit lowered to 16,000 tokens/,
      ])
      await pictures(page, 'first')
      expect(await inBothThemes(page)).toEqual([])
      await page.keyboard.press('Escape')

      // The step survives the host, and the next one follows it.
      system.agent.killHost(person.sessionId)
      await person.send(uses(180_000))
      await expect(person.turnEnds('completed')).toHaveCount(2)
      await page.getByLabel('Prompt').click()
      await page.getByRole('button', { name: /^Context: 180k\/200k/ }).click()
      await expect(row('Answer limit')).toHaveText('8,000 tokens')
      await expect(row('Distance')).toHaveText('12,000 left')
      await expect(context.getByRole('listitem')).toHaveCount(4)
      await pictures(page, 'second')
    })
  })
}

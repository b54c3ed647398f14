/** What a question shows beside its options, and what is left of it once it is answered. */
import { inBothThemes } from '../support/browser/axe'
import { screens } from '../support/browser/screens'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const asks = (...questions: unknown[]) =>
  `Ask me. SCRIPT: ${JSON.stringify([{ tool: 'AskUserQuestion', input: { questions } }, { text: 'Thanks.' }])}`

const wide = `+${'-'.repeat(80)}+\n|${' '.repeat(80)}|\n+${'-'.repeat(80)}+`
const layout = {
  question: 'Which layout?',
  header: 'Layout',
  options: [
    { label: 'Wide', description: 'One column', preview: wide },
    { label: 'Long', preview: 'a line of twenty...\n'.repeat(2_000) },
    { label: 'Plain' },
  ],
}
const toppings = { question: 'Which toppings?', multiSelect: true, options: [{ label: 'Nuts' }, { label: 'Fruit' }] }
const word = { question: 'Which word opens the door?', isSecret: true }

for (const viewport of screens) {
  test.describe(`at ${viewport.width} px`, () => {
    test.use({ viewport })

    variation(
      '[PERM-2.12] an option shows what it would look like while it has the focus or is chosen',
      async ({ person }) => {
        const { ask, page } = person
        await person.startSession(asks(layout))
        const preview = ask.getByRole('group', { name: 'Preview of' })
        // Letter under letter: no line of it is broken.
        await expect(preview).toHaveText(wide)
        await expect(preview).toHaveCSS('white-space-collapse', 'preserve')
        await expect(preview).toHaveCSS('text-wrap-mode', 'nowrap')
        expect(await inBothThemes(page)).toEqual([])
        await ask.getByRole('radio', { name: 'Long' }).check()
        await expect(preview).toContainText('a line of twenty...')
        // A whole line is left to its name beside a preview that is too high.
        expect((await ask.getByText('Preview of Long').boundingBox())?.height).toBeGreaterThan(12)
        await expect(ask.getByText('32,000 characters more are not shown.')).toBeVisible()
        await ask.getByRole('radio', { name: 'Plain' }).check()
        await expect(ask).toContainText('No preview of Plain')
        await ask.getByRole('radio', { name: 'Wide' }).focus()
        await expect(preview).toHaveText(wide)
        await ask.getByRole('radio', { name: 'Wide' }).check()
        await person.answer('Send answer')
        await expect(person.transcript).toContainText('Answered by Ana')
      },
    )

    test('[PERM-2.16] the answers stand on the card of their question, also after a reload, and a secret does not', async ({
      person,
    }) => {
      const { ask, page } = person
      await person.startSession(asks(layout, toppings, word))
      await ask.getByRole('radio', { name: 'Plain' }).check()
      await ask.getByLabel('Nuts').check()
      await ask.getByLabel('Fruit').check()
      await ask.getByLabel('Which word').fill('xyzzy')
      await person.answer('Send answer')
      await expect(person.turnEnds('completed')).toHaveCount(1)
      for (const look of ['at once', 'after a reload']) {
        if (look === 'after a reload') await page.reload()
        const card = person.transcript.getByTestId('tool-card')
        await expect(card).toContainText('Answered by Ana')
        await expect(card.getByRole('term')).toHaveText([
          'Which layout?',
          'Which toppings?',
          'Which word opens the door?',
        ])
        await expect(card.getByRole('definition')).toHaveText(['Plain', 'Nuts, Fruit', 'hidden'])
        await expect(person.transcript).not.toContainText('xyzzy')
      }
      expect(await inBothThemes(page)).toEqual([])
    })
  })
}

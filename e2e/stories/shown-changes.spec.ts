/** What a change would do to the file that lies there, as a person reads it before they allow it. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { screens } from '../support/browser/screens'
import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const script = (...steps: unknown[]) => `Do it. SCRIPT: ${JSON.stringify([...steps, { text: 'Done.' }])}`
const writes = (file_path: string, content: string) => ({ tool: 'Write', input: { file_path, content } })
const edits = (file_path: string, old_string: string, new_string: string, more: object = {}) => ({
  tool: 'Edit',
  input: { file_path, old_string, new_string, ...more },
})
const numbered = Array.from({ length: 60 }, (_, n) => `const line${n + 1} = true\n`).join('')
/** As some programs describe it: by its texts, and again as a path and a diff. */
const twice = (file_path: string, old_string: string, new_string: string) => {
  const diff = `Index: ${file_path}\n${'='.repeat(67)}\n--- ${file_path}\n+++ ${file_path}\n@@ -1,1 +1,1 @@\n-${old_string}\n+${new_string}\n`
  return edits(file_path, old_string, new_string, { filepath: file_path, diff })
}
const change = ({ ask, page }: Person) => ({
  words: ask.getByTestId('change-words'),
  lines: (file: string) => ask.getByRole('group', { name: `Change of ${file}` }),
  counts: ask.getByTestId('file-change').locator('.tabular-nums').first(),
  page,
})

for (const { width, height } of screens) {
  test(`[PERM-7.8] at ${width} px it is clear what of an existing file goes, where, and in how many places`, async ({
    person,
    system,
  }) => {
    const { page } = person
    await page.setViewportSize({ width, height })
    const name = (word: string) => `${word}-${width}.ts`
    const place = (word: string) => path.join(system.workDir, name(word))
    writeFileSync(place('old'), numbered)
    writeFileSync(place('places'), numbered)
    writeFileSync(place('large'), 'x'.repeat(1024 * 1024 + 1))
    await person.startSession(
      script(
        writes(name('new'), 'const one = 1\n'),
        writes(name('old'), numbered.replace('line40 = true', 'line40 = false')),
        edits(name('places'), 'const', 'let', { replace_all: true }),
        edits(name('old'), 'line50 = true', 'line50 = false'),
        writes(name('large'), 'small\n'),
        writes(`/elsewhere/${name('out')}`, 'x\n'),
      ),
    )
    const { words, lines, counts } = change(person)

    await expect(words).toHaveText('New file.')
    await expect(counts).toContainText('+1−0')
    await person.readToTheEnd()
    await person.answer('Allow')

    await expect(words).toHaveText('Replaces an existing file of 60 lines.')
    await expect(counts).toContainText('+1−1')
    await expect(lines(name('old'))).toHaveText(
      /37 *const line37 = true.*40-removed: const line40 = true40\+added: .*43/,
    )
    await expect(lines(name('old'))).not.toContainText('line36')
    await person.ask.getByRole('button', { name: 'Show the whole new text' }).click()
    await expect(person.ask.getByRole('group', { name: 'Whole new text' })).toContainText('const line1 = true')
    await person.ask.getByRole('button', { name: 'Hide the whole new text' }).click()
    await person.readToTheEnd()
    await person.answer('Allow')

    await expect(words).toHaveText('Replaces 60 places in a file of 60 lines.')
    await expect(counts).toContainText('+60−60')
    await expect(person.ask.getByRole('button', { name: 'Allow', exact: true })).toBeDisabled()
    await person.ask.getByRole('button', { name: /^Show all 12\d lines$/ }).click()
    await person.readToTheEnd()
    await person.answer('Allow')

    await expect(words).toHaveText('Changes an existing file of 60 lines.')
    await expect(lines(name('old'))).toHaveText(/50-removed: const line50 = true50\+added: const line50 = false/)
    // What is shown is what is allowed: another file is another question.
    writeFileSync(place('old'), `// first\n${readFileSync(place('old'), 'utf8')}`)
    await person.readToTheEnd()
    await person.answer('Allow')
    await expect(words).toHaveText('Changes an existing file of 61 lines.')
    await expect(lines(name('old'))).toHaveText(/51-removed: const line50 = true51\+added: const line50 = false/)
    await page.reload()
    await expect(words).toHaveText('Changes an existing file of 61 lines.')
    await person.readToTheEnd()
    await person.answer('Allow')

    await expect(words).toHaveText('Replaces something that exists. It is too large to be compared.')
    await expect(counts).not.toContainText('−')
    await person.readToTheEnd()
    await person.answer('Allow')

    await expect(words).toContainText('outside the folders of this session')
    await person.readToTheEnd()
    await person.answer('Deny…')
    await person.ask.getByRole('button', { name: 'Deny', exact: true }).click()

    await expect(person.turnEnds('completed')).toHaveCount(1)
    expect(readFileSync(place('places'), 'utf8')).toBe(numbered.replaceAll('const', 'let'))
    const card = person.transcript.getByTestId('tool-card').nth(3)
    await card.getByRole('button').first().click()
    await expect(card.getByTestId('change-words')).toHaveText('Changes an existing file of 61 lines.')
    await expect(card).toContainText('51')
  })
}

variation(
  '[PERM-7] a change that a program describes twice is shown once: on a phone it can be allowed at once',
  async ({ person, system }) => {
    await person.page.setViewportSize({ width: 390, height: 844 })
    const file = path.join(system.workDir, 'twice.ts')
    writeFileSync(file, 'one\n')
    await person.startSession(
      script(twice(file, 'one', 'two'), edits(file, 'two', 'three', { diff: '@@ -1 +1 @@\n-two\n+3' })),
    )
    await expect(person.ask.getByTestId('change-words')).toHaveText('Changes an existing file of 1 line.')
    await expect(person.ask).not.toContainText('Index:')
    await expect(person.ask).not.toContainText('filepath')
    await person.answer('Allow')
    // A diff that says something else is shown.
    await expect(person.ask).toContainText('-two')
    await person.readToTheEnd()
    await person.answer('Allow')
    await expect(person.turnEnds('completed')).toHaveCount(1)
    expect(readFileSync(file, 'utf8')).toBe('three\n')
  },
)

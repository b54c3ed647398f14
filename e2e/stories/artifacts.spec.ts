/** What was cut from an output, and images that tools give back, on the page: read from the machine when somebody wants them. */
import { pixels } from '../../packages/adapter-testkit/src/fixtures/pixels'
import { screens } from '../support/browser/screens'
import { expect, type Person, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { prompts } from '../support/processes/backends'

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n} of the output`).join('\n')
const runs = (output: unknown, command = 'make report') => ({ tool: 'Bash', input: { command }, output, ask: false })
const script = (steps: unknown[]) => `Report. SCRIPT: ${JSON.stringify(steps)}`
const cardOf = (person: Person) => person.transcript.getByTestId('tool-card').first()
const openCard = (person: Person) => cardOf(person).getByRole('button').first().click()

/** By its key: a click of this driver scrolls a list of such height to and fro under its own pointer, and may miss. */
async function press(person: Person, name: string): Promise<void> {
  const button = cardOf(person).getByRole('button', { name })
  await button.focus()
  await expect(button).toBeFocused()
  await person.page.keyboard.press('Enter')
}

/** Sent by a program: nobody types an output. */
async function play(person: Person, steps: unknown[]): Promise<void> {
  await person.startSession(script([{ text: 'Ready.' }]))
  await expect(person.transcript.getByText('Ready.', { exact: true })).toBeVisible()
  const { rest, close } = await person.system.hub.client()
  await rest.prompt(person.sessionId, { promptId: 'p_outputs', text: script(steps) })
  close()
}

for (const { width, height } of screens) {
  test(`[LOG-6.15] [LOG-6.16] at ${width} px the middle of a long output is read from its machine, or says that this is away`, async ({
    person,
    page,
    system,
  }) => {
    await page.setViewportSize({ width, height })
    await play(person, [runs(lines(6_000)), { text: 'Reported.' }])
    await expect(person.transcript.getByText('Reported.', { exact: true })).toBeVisible()
    await openCard(person)
    await expect(cardOf(person).getByText('line 3000 of the output')).toHaveCount(0)
    await press(person, 'Show all of it')
    await expect(cardOf(person).getByText('line 3000 of the output')).toBeAttached()
    const download = page.waitForEvent('download')
    await press(person, 'Save')
    expect((await download).suggestedFilename()).toMatch(/\.txt$/)

    await system.agent.kill()
    try {
      await page.reload()
      await openCard(person)
      await press(person, 'Show all of it')
      await expect(cardOf(person).getByRole('alert')).toContainText('The machine is not connected.')
      await expect(cardOf(person).getByRole('alert')).toContainText('AGENT_OFFLINE')
    } finally {
      await system.agent.start()
    }
    await expect(async () => {
      await cardOf(person).getByRole('button', { name: 'Try again' }).click()
      await expect(cardOf(person).getByText('line 3000 of the output')).toBeAttached({ timeout: 2_000 })
    }).toPass()
  })

  variation(
    `[LOG-6] at ${width} px who opens a long output at the end of the transcript reads it from its beginning`,
    async ({ person, page }) => {
      await page.setViewportSize({ width, height })
      await play(person, [runs(lines(400)), { text: 'Reported.' }])
      await expect(person.transcript.getByText('Reported.', { exact: true })).toBeVisible()
      await openCard(person)
      await expect(page.getByRole('button', { name: 'To the end' })).toBeVisible()
      await expect(cardOf(person).getByRole('button').first()).toBeInViewport()
      await openCard(person)
      await expect(page.getByRole('button', { name: 'To the end' })).toHaveCount(0)
      await person.send(prompts.say('And followed again.'))
      await expect(person.transcript.getByText('And followed again.', { exact: true })).toBeInViewport()
    },
  )

  test(`[LOG-6] at ${width} px images that tools give back are drawn, small ones and those that were cut`, async ({
    person,
    page,
  }) => {
    await page.setViewportSize({ width, height })
    const small = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixels.png } }
    // A picture may be followed by anything: it is one by its beginning.
    const data = Buffer.concat([Buffer.from(pixels.gif, 'base64'), Buffer.alloc(100_000)]).toString('base64')
    const cut = runs([{ type: 'image', data, mimeType: 'image/gif' }], 'make large')
    await play(person, [runs([small, { type: 'text', text: 'A chart.' }], 'make small'), cut, { text: 'Drawn.' }])
    await expect(person.transcript.getByText('Drawn.', { exact: true })).toBeVisible()
    const cardOfCommand = (command: string) =>
      person.transcript.getByTestId('tool-card').filter({ hasText: `make ${command}` })
    const drawn = async (command: string) => {
      const image = cardOfCommand(command).getByRole('img', { name: 'Image 1 of 1' })
      await expect(image).toHaveAttribute('src', /^blob:/)
      return image.evaluate(async (img: HTMLImageElement) => {
        await img.decode()
        return img.naturalWidth
      })
    }
    await cardOfCommand('large').getByRole('button').first().click()
    await cardOfCommand('large').getByRole('button', { name: 'Show all of it' }).click()
    expect(await drawn('large')).toBe(16)
    await cardOfCommand('large').getByRole('button').first().click()
    await cardOfCommand('small').getByRole('button').first().click()
    expect(await drawn('small')).toBe(16)
    await expect(cardOfCommand('small').getByText('A chart.')).toBeVisible()
  })
}
